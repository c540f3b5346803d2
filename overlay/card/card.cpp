// Reading of input cards, and the files and commands that they name: see the header. Numbers are read without
// regard to the host's locale.
#include "overlay/card/card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

namespace overlay {

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

namespace {

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

long Card::number(std::string_view keyword, long otherwise) const {
  const std::string* rest = last(keyword);
  return rest == nullptr ? otherwise : card_integer(card_word(*rest, 1), otherwise);
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

std::string card_with_line(const std::string& card, std::string_view keyword, const std::string& line) {
  bool found = false;
  const std::string text = changed_card(card, [&](const std::string& old) -> std::optional<std::string> {
    if (upper_case(keyword_of(old)) != keyword) return old;
    found = true;
    return line;
  });
  return found ? text : line + "\n" + text;
}

std::string card_with_lines(const std::string& card, std::string_view keyword,
                            const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text + changed_card(card, [&](const std::string& old) {
           return upper_case(keyword_of(old)) == keyword ? std::nullopt : std::optional(old);
         });
}

std::string card_with_showers(const std::string& card, long showers) {
  return card_with_line(card, "NSHOW", "NSHOW   " + std::to_string(showers));
}

std::string card_of_one_low_shower(const std::string& card) {
  const std::string text = card_with_showers(card, 1);
  const Card read(card);
  const std::string* range = read.last("ERANGE");
  if (range == nullptr) return text;
  // GeV; a nucleus has 100 times its nucleons for a number
  const long low = 100 * std::max(1L, read.number("PRMPAR", 0) / 100);
  std::string energy = card_word(*range, 1);
  double lowest = 0;
  std::from_chars(energy.data(), energy.data() + energy.size(), lowest);
  if (lowest <= 0 || lowest > static_cast<double>(low)) energy = std::to_string(low) + ".";
  return card_with_line(text, "ERANGE", "ERANGE  " + energy + " " + energy);
}

namespace {

/// What an IACT line says behind its keyword: its whole rest, without a comment and blanks at the end.
std::string iact_value(const std::string& rest) {
  std::istringstream words(rest.substr(0, std::min(rest.find('#'), rest.find(" // "))));
  std::string value;
  words >> value;
  value.clear();
  std::getline(words >> std::ws, value);
  return value.substr(0, value.find_last_not_of(" \t") + 1);
}

/// The second keyword of an IACT line; empty for other lines.
std::string iact_keyword(const CardLine& line) {
  return line.keyword == "IACT" ? upper_case(card_word(line.rest, 1)) : std::string();
}

/// The value of a variable in a run with this card; nothing where it is the program's to say.
std::optional<std::string> value_of(const std::string& name, const Card& card) {
  if (name == "RUNNR") return std::to_string(card.run_number());
  if (name == "NSHOW") return std::to_string(card.showers());
  if (name == "PRMPAR" && card.has("PRMPAR")) return card_word(*card.last("PRMPAR"), 1);
  if (name == "OBSLEV" || name.starts_with("CORSIKA_")) return std::nullopt;
  static const std::regex form(R"((\S+)[ \t]*(?:=[ \t]*)?(.*))");
  const char* set = std::getenv(name.c_str());
  std::string value = set == nullptr ? "" : set;
  for (const CardLine& line : card.lines()) {
    const std::string setting = iact_value(line.rest);
    std::smatch parts;
    if (iact_keyword(line) == "SETENV" && std::regex_match(setting, parts, form) && parts[1] == name)
      value = parts[2];
  }
  return value;
}

/// A line with `program` before its TELFIL's command; other lines as they are.
std::string line_with_command_behind(const std::string& line, const std::string& program) {
  const Card read(line);
  if (read.lines().size() != 1) return line;
  const CardLine& entry = read.lines().front();
  const bool iact = iact_keyword(entry) == "TELFIL";
  if (!iact && entry.keyword != "TELFIL") return line;
  const std::size_t first = line.find_first_not_of(" \t", upper_case(line).find("TELFIL") + 6);
  if (first == std::string::npos) return line;
  const bool quoted = line[first] == '\'' || line[first] == '"';
  std::size_t bar = first + (quoted ? 1 : 0);
  if (bar < line.size() && line[bar] == '+') ++bar;
  if (bar >= line.size() || line[bar] != '|') return line;
  const std::string command = program + " " + line.substr(bar + 1);
  if (quoted || iact) return line.substr(0, bar + 1) + command;
  // One word for CORSIKA, and two from now on.
  const std::size_t end = std::min(command.find_first_of(" \t!", program.size() + 1), command.size());
  const std::string quote = command.substr(0, end).find('\'') == std::string::npos ? "'" : "\"";
  return line.substr(0, first) + quote + line.substr(first, bar + 1 - first) + command.substr(0, end) +
         quote + command.substr(end);
}

bool leads_out(const std::string& name) {
  const auto path = std::filesystem::path(name).lexically_normal();
  return path.is_absolute() || (!path.empty() && *path.begin() == "..");
}

/// Whether the program writes where DIRECT says: without PAROUT, tables and light on a grid it need not.
bool uses_direct(const Card& card, bool compact, bool grid) {
  const auto is_on = [&](const char* keyword, int word, bool otherwise) {
    const std::string* rest = card.last(keyword);
    return rest == nullptr ? otherwise : card_logical(card_word(*rest, word), otherwise);
  };
  return grid || is_on("PAROUT", 1, true) || is_on("PAROUT", 2, false) || is_on("DATBAS", 1, false) ||
         (is_on("LONGI", 1, false) && (compact || is_on("LONGI", 4, false)));
}

std::string writes_outside(const char* keyword, const std::string& name, const char* give) {
  return fmt::format(
      "the card writes outside of the run folder ({} {}), where runs would meet; give a relative name, as {}",
      keyword, name, give);
}

}  // namespace

std::string telescope_output(const Card& card) {
  std::string name;
  for (const CardLine& line : card.lines()) {
    if (line.keyword == "TELFIL") name = card_word(line.rest, 1);
    if (iact_keyword(line) == "TELFIL") name = iact_value(line.rest);
  }
  name = name.substr(0, name.find(':'));
  if (name.starts_with('+')) name.erase(0, 1);
  return name.empty() ? "telescope.dat" : name;
}

std::optional<std::string> with_variables(std::string name, const Card& card) {
  constexpr int kMost = 100;  // expansions, as in the package: a value may name variables too
  static const std::regex variable(R"(^([^$]*)\$(?:\{([^}]+)\}|\(([^)]+)\)|([A-Za-z]\w*)))");
  for (int i = 0; i < kMost; ++i) {
    if (name.find('$') == std::string::npos) return name;
    std::smatch found;
    if (!std::regex_search(name, found, variable)) return std::nullopt;
    const auto value = value_of(found[2].str() + found[3].str() + found[4].str(), card);
    if (!value) return std::nullopt;
    name = found[1].str() + *value + found.suffix().str();
  }
  return std::nullopt;
}

std::optional<std::string> telescope_command(const Card& card) {
  std::string command = telescope_output(card), more;
  if (command[0] != '|') return std::nullopt;
  for (const CardLine& line : card.lines())
    if (const std::string what = iact_keyword(line); what == "TELOPT" || what == "TELOPTIONS")
      more = iact_value(line.rest);
  if (!more.empty()) command += " " + more;
  static const std::regex variable(R"(\$\(([^)]*)\))");
  return std::regex_replace(command.substr(1), variable, "$${$1}");
}

std::string card_with_command_behind(const std::string& card, const std::string& program) {
  return changed_card(
      card, [&](const std::string& line) { return std::optional(line_with_command_behind(line, program)); });
}

std::string outputs_elsewhere(const std::string& text, const std::vector<std::string>& options) {
  const Card card(text);
  const std::string* direct = card.last("DIRECT");
  const std::string prefix = direct == nullptr ? std::string() : card_word(*direct, 1);
  const std::set<std::string> has(options.begin(), options.end());
  // CORSIKA itself refuses /dev/null, and says what to do.
  if (leads_out(prefix) && !prefix.starts_with("/dev/null") &&
      uses_direct(card, has.contains("COMPACT"), has.contains("CERENKOV") && !has.contains("IACT")))
    return writes_outside("DIRECT", prefix, "DIRECT ./");
  if (!has.contains("IACT") || !card.has("TELESCOPE")) return {};
  const std::string telescope = telescope_output(card);
  if (telescope[0] == '|') return {};
  if (telescope.starts_with("/dev/"))
    return fmt::format("the card's light is not kept (TELFIL {}); give TELFIL the name of a file", telescope);
  // A name with variables that the program alone knows is taken to stay.
  const std::string name = with_variables(telescope, card).value_or("");
  return leads_out(name) ? writes_outside("TELFIL", name, "TELFIL telescope.dat") : std::string();
}

std::vector<std::string> input_files(const Card& card) {
  std::vector<std::string> names;
  const auto add = [&](std::string word) {
    std::erase_if(word, [](char c) { return c == '\'' || c == '"'; });
    for (const std::string before : {"1d:", "2d:", "./"})
      if (word.starts_with(before)) word.erase(0, before.size());
    const bool plain = !word.empty() && word.find('/') == std::string::npos && word != "." && word != "..";
    if (plain && std::ranges::find(names, word) == names.end()) names.push_back(word);
  };
  for (const CardLine& line : card.lines()) {
    if (line.keyword == "INFILE" || line.keyword == "ATMFILE") add(card_word(line.rest, 1));
    for (const char* reads : {"TELSAMPLE", "EXTPRIM", "EXTPRM", "ATMOFILE"})
      if (iact_keyword(line) == reads) add(card_word(line.rest, 2));
  }
  std::istringstream words(telescope_command(card).value_or(""));
  std::string program;  // its other words may be names of outputs
  if (words >> program) add(program);
  return names;
}

}  // namespace overlay
