// Reading of input cards: see the header. Numbers are read without regard to the host's locale.
#include "overlay/card/card.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <regex>

#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

namespace {

/// Names and codes of particles that cards begin showers with.
constexpr std::pair<const char*, long> kParticles[] = {
    {"gamma", 1},        {"positron", 2},     {"electron", 3},     {"mu+", 5},         {"mu-", 6},
    {"neutron", 13},     {"proton", 14},      {"helium", 402},     {"lithium", 703},   {"beryllium", 904},
    {"boron", 1105},     {"carbon", 1206},    {"nitrogen", 1407},  {"oxygen", 1608},   {"neon", 2010},
    {"sodium", 2311},    {"magnesium", 2412}, {"aluminium", 2713}, {"silicon", 2814},  {"phosphorus", 3115},
    {"sulfur", 3216},    {"argon", 4018},     {"calcium", 4020},   {"titanium", 4822}, {"chromium", 5224},
    {"manganese", 5525}, {"iron", 5626}};

constexpr std::size_t kLongestLine = 512;  // characters that CORSIKA reads of a line

/// The text's next line without its end; `at` moves behind the end.
std::string_view next_line(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string_view line = text.substr(at, end - at);
  at = end + 1;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string_view keyword_of(std::string_view line) {
  return line.substr(0, std::min(line.find_first_of(" \t!"), line.size()));
}

bool is_comment(std::string_view line) {
  return line.empty() || line[0] == ' ' || line[0] == '\t' || line[0] == '*' || line[0] == '!' ||
         keyword_of(line) == "C" || keyword_of(line) == "c";
}

bool begins_with(std::string_view line, std::string_view keyword) {
  return line.size() >= keyword.size() && upper_case(line.substr(0, keyword.size())) == keyword;
}

/// Length of what marks a comment line that the IACT package reads as an IACT line; 0 where the line is none.
std::size_t iact_mark(std::string_view line) {
  for (const std::string_view mark : {"*(IACT) ", "* (IACT) "})
    if (begins_with(line, mark)) return mark.size() - 1;
  return 0;
}

}  // namespace

Card::Card(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = next_line(text, at).substr(0, kLongestLine);
    if (begins_with(line, "EXIT")) break;
    CardLine entry;
    if (const std::size_t mark = iact_mark(line); mark > 0) {
      entry = {"IACT", std::string(line.substr(mark))};
    } else if (is_comment(line)) {
      continue;
    } else {
      const std::string_view keyword = keyword_of(line);
      entry = {upper_case(keyword), std::string(line.substr(keyword.size()))};
    }
    std::replace(entry.rest.begin(), entry.rest.end(), '\t', ' ');
    lines_.push_back(std::move(entry));
  }
}

const std::string* Card::last(std::string_view keyword) const {
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line)
    if (line->keyword == keyword) return &line->rest;
  return nullptr;
}

std::string Card::word(std::string_view keyword, int n) const {
  const std::string* rest = last(keyword);
  return rest == nullptr ? "" : card_word(*rest, n);
}

long Card::number(std::string_view keyword, long otherwise) const {
  return card_integer(word(keyword), otherwise);
}

long Card::showers() const { return has("NSHOW") ? std::max(1L, number("NSHOW", 1)) : 10; }

long Card::run_number() const { return number("RUNNR", 1); }

int Card::atmosphere() const {
  const long table = number("ATMOSPHERE", 0);
  return table > 0 && table <= INT_MAX ? static_cast<int>(table) : 0;
}

std::string card_word(std::string_view rest, int n) {
  std::size_t at = 0;
  for (int word = 1;; ++word) {
    at = rest.find_first_not_of(' ', at);
    if (at == std::string_view::npos || rest[at] == '!') return {};
    std::size_t begin = at, end = 0;
    if (word == 1 && (rest[at] == '\'' || rest[at] == '"')) {
      begin = at + 1;
      end = std::min(rest.find(rest[at], begin), rest.size());
      at = std::min(end + 1, rest.size());
    } else {
      at = end = std::min(rest.find_first_of(" !", at), rest.size());
    }
    if (word == n) return std::string(rest.substr(begin, end - begin));
  }
}

bool card_logical(std::string_view word, bool otherwise) {
  const std::string text = upper_case(word);
  for (const char* yes : {"T", "TRUE", ".TRUE.", "Y", "YES", "ON", "1"})
    if (text == yes) return true;
  for (const char* no : {"F", "FALSE", ".FALSE.", "N", "NO", "OFF", "0"})
    if (text == no) return false;
  return otherwise;
}

long card_integer(std::string_view word, long otherwise) {
  long value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() ? value : otherwise;
}

std::optional<double> card_real(std::string word) {
  std::ranges::replace_if(
      word, [](char c) { return c == 'D' || c == 'd'; }, 'E');
  const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(begin, word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

std::string filled_in(const std::string& form, const std::map<std::string, std::string>& values) {
  static const std::regex place("@([A-Za-z]\\w{0,99})@");
  std::string text;
  auto rest = form.begin();
  for (std::sregex_iterator it(rest, form.end(), place), end; it != end; ++it) {
    const auto value = values.find((*it)[1]);
    if (value == values.end()) {
      std::vector<std::string> known;
      for (const auto& [name, unused] : values) known.push_back(name);
      throw support::Error("the placeholder {} is not known; there are {}", it->str(),
                           support::join(known, ", "));
    }
    text.append(rest, (*it)[0].first).append(value->second);
    rest = (*it)[0].second;
  }
  return text.append(rest, form.end());
}

std::string filled_form(const std::string& forms, const std::string& name,
                        const std::map<std::string, std::string>& values) {
  const auto mark = "=== " + name + "\n";
  const auto begin = forms.find(mark) + mark.size();
  // npos + 1: to the end
  return filled_in(forms.substr(begin, forms.find("\n=== ", begin) + 1 - begin), values);
}

bool has_placeholder(const std::string& form, const std::string& name) {
  return form.find("@" + name + "@") != std::string::npos;
}

std::string changed_card(const std::string& card,
                         const std::function<std::optional<std::string>(const std::string&)>& change) {
  std::string text;
  bool ended = false;
  for (std::size_t at = 0; at < card.size();) {
    const std::size_t start = at;
    const std::string line(next_line(card, at));
    at = std::min(at, card.size());
    ended = ended || begins_with(line, "EXIT");
    if (const auto made = ended ? line : change(line))
      text.append(*made).append(card, start + line.size(), at - start - line.size());
  }
  return text;
}

std::string card_with_lines(const std::string& card, std::string_view keyword,
                            const std::vector<std::string>& lines) {
  auto put = support::join(lines, "\n");
  const auto text = changed_card(card, [&](const std::string& line) {
    if (upper_case(keyword_of(line)) != keyword) return std::optional(line);
    auto first = std::exchange(put, "");
    return first.empty() ? std::nullopt : std::optional(std::move(first));
  });
  return put.empty() ? text : put + "\n" + text;
}

std::string card_with_showers(const std::string& card, long showers) {
  return card_with_lines(card, "NSHOW", {"NSHOW   " + std::to_string(showers)});
}

std::string card_of_one_low_shower(const std::string& card) {
  const std::string text = card_with_showers(card, 1);
  const Card read(card);
  if (!read.has("ERANGE")) return text;
  // GeV; a nucleus has 100 times its nucleons for a number
  const long low = 100 * std::max(1L, read.number("PRMPAR", 0) / 100);
  std::string energy = read.word("ERANGE");
  const double lowest = card_real(energy).value_or(0);
  // PARALLEL has limits of energy, above which the primary's must stay.
  if (lowest <= 0 || (lowest > static_cast<double>(low) && !read.has("PARALLEL")))
    energy = std::to_string(low) + ".";
  return card_with_lines(text, "ERANGE", {"ERANGE  " + energy + " " + energy});
}

bool has_too_many_protons(long code) {
  constexpr long kFirstNucleus = 200;
  return code >= kFirstNucleus && code % 100 * 3 > code / 100 * 2;
}

std::string particle_code(const std::string& text) {
  for (const auto& [name, code] : kParticles)
    if (upper_case(text) == upper_case(name)) return std::to_string(code);
  constexpr long kLargest = 25099;  // of CONEX
  const long code = card_integer(text, 0);
  if (code < 1 || code > kLargest || has_too_many_protons(code))
    throw support::Error(
        "no primary is called '{}'; give gamma, electron, proton, helium, nitrogen, silicon, iron, ..., or "
        "CORSIKA's code",
        text);
  return std::to_string(code);
}

std::string particle_name(const std::string& code) {
  for (const auto& [name, known] : kParticles)
    if (code == std::to_string(known)) return name;
  return code;
}

}  // namespace overlay
