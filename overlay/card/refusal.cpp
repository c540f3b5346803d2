// The rules of CORSIKA's sources, read line by line: see the header.

#include <regex>

#include "corsika-patches/fixed_form.h"
#include "overlay/card/card.hpp"
#include "support/error.hpp"
#include "support/nearest.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

using corsika_patches::Truth;  // whether an option is selected, or lines of the source are in the program
using OptionStates = std::map<std::string, Truth>;  ///< by name; others are perhaps

/// What the source takes, read line by line, less what the preprocessor leaves out.
class Rules {
 public:
  Rules(const std::string& source, const OptionStates& options) : options_(options) {
    static const std::regex keyword(R"(LINE\(1:\d+\) *\.EQ\. *'([^']+)')");
    static const std::regex largest_primary(
        R"(PRMPAR\(0\) *\.GT\. *([0-9.D]+) +\.OR\. +PRMPAR\(0\) *\.LE\. *0)");
    static const std::regex largest_zenith(R"(^ *IF *\( *THETPR\(2\) *\.GT\. *([0-9.D]+) *\) *THEN)");
    constexpr std::size_t kLongest = 200;  // far more than Fortran's columns
    for (const std::string& line : support::split(source)) {
      if (line.starts_with('#')) follow(line);
      if (!line.starts_with(' ') || line.size() > kLongest) continue;
      Truth state = Truth::yes;
      for (const Branch& branch : branches_) state = std::min(state, branch.now);
      std::smatch found;
      if (line.find("LINE(1:") != std::string::npos) {
        if (line.find("'!'") != std::string::npos && line.find("THEN") == std::string::npos) continue;
        for (std::sregex_iterator it(line.begin(), line.end(), keyword), end; it != end; ++it)
          if (auto [known, fresh] = keywords.try_emplace((*it)[1]); fresh || state > known->second.first)
            known->second = {state, why_out()};
      } else if (state != Truth::no && line.find("PRMPAR(0)") != std::string::npos &&
                 std::regex_search(line, found, largest_primary)) {
        primary = std::max(primary, card_real(found[1]));
      } else if (state != Truth::no && line.find("THETPR(2)") != std::string::npos &&
                 std::regex_search(line, found, largest_zenith)) {
        zenith = std::max(zenith, card_real(found[1]));
      }
    }
  }

  std::map<std::string, std::pair<Truth, std::string>> keywords;  ///< their state, and why they are out
  std::optional<double> primary, zenith;                          ///< the largest

 private:
  struct Branch {
    Truth now, before;  ///< this one, and whether one before it was taken
    std::string text;
  };

  /// Follows #if, #ifdef, #ifndef, #elif, #else and #endif.
  void follow(std::string_view line) {
    static constexpr std::string_view kWords[] = {"ifdef", "ifndef", "if", "elif", "else", "endif"};
    line.remove_prefix(std::min(line.find_first_not_of(" \t", 1), line.size()));
    const auto* word = std::ranges::find_if(kWords, [&](auto each) { return line.starts_with(each); });
    if (word == std::end(kWords)) return;
    if (word->starts_with("if")) branches_.push_back({Truth::no, Truth::no, {}});
    if (branches_.empty()) return;
    if (*word == "endif") {
      branches_.pop_back();
      return;
    }
    Branch& branch = branches_.back();
    std::string text(line.substr(word->size(), line.find("/*") - word->size()));
    text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
    text.erase(0, text.find_first_not_of(" \t"));
    if (*word == "ifndef") text = "!(" + text + ")";
    if (*word == "else") text = "!(" + branch.text + ")";
    branch.now = std::min(opposite(branch.before), *word == "else" ? Truth::yes : value_of(text));
    branch.before = std::max(branch.before, branch.now);
    branch.text = text;
  }
  /// The innermost condition that takes the lines out, in words.
  std::string why_out() const {
    const auto out = std::ranges::find(branches_.rbegin(), branches_.rend(), Truth::no, &Branch::now);
    if (out == branches_.rend()) return {};
    std::string text = out->text;
    for (const auto& [from, to] : {std::pair{"__", ""}, {"!", "without "}, {"&&", "and"}, {R"(\|\|)", "or"}})
      text = std::regex_replace(text, std::regex(from), to);
    return text;
  }

  /// A condition of the preprocessor, with names of the form __OPTION__.
  Truth value_of(const std::string& condition) const try {
    return corsika_patches::truth_of(condition, [&](const std::string& macro) {
      const bool marked = macro.size() > 4 && macro.starts_with("__") && macro.ends_with("__");
      const auto option = options_.find(marked ? macro.substr(2, macro.size() - 4) : macro);
      return option == options_.end() ? Truth::perhaps : option->second;
    });
  } catch (const support::Error&) {
    return Truth::perhaps;
  }

  const OptionStates& options_;
  std::vector<Branch> branches_;
};

/// Why a line begins with no keyword. CORSIKA looks with what it begins: a keyword, or what makes a comment
/// of it.
std::string refused_line(const std::string& line, const Rules& rules) {
  if (!rules.keywords.contains("NSHOW") || !rules.keywords.contains("*")) return {};
  std::string begin = upper_case(line) + "        ";
  std::ranges::replace(begin, '\t', ' ');
  if (begin.find_first_not_of(' ') == std::string::npos) return {};
  const bool blank = begin.starts_with(' ');
  const std::pair<Truth, std::string>* best = nullptr;
  bool blanks_known = false;
  for (const auto& [word, known] : rules.keywords) {
    blanks_known = blanks_known || word.find_first_not_of(' ') == std::string::npos;
    if (begin.starts_with(word) && (best == nullptr || known.first > best->first)) best = &known;
  }
  if ((best != nullptr && best->first != Truth::no) || (blank && !blanks_known)) return {};
  const std::string keyword = begin.substr(0, begin.find(' '));
  if (begin[0] < 'A' || begin[0] > 'Z')
    return fmt::format(
        "CORSIKA takes no line that begins with {}: '{}'; begin it with a keyword, or with * for a comment",
        blank                     ? "a blank"
        : begin.starts_with("//") ? "//"
                                  : begin.substr(0, 1),
        line);
  if (best == nullptr) {
    std::vector<std::string> words;
    for (const auto& [word, known] : rules.keywords)
      if (known.first != Truth::no && word.size() > 2) words.push_back(word);
    const std::string nearest = support::nearest(keyword, words);
    return fmt::format("CORSIKA has no keyword {}; {}", keyword,
                       nearest.empty() ? "correct the line or delete it" : "did you mean " + nearest + "?");
  }
  const std::string& builds = best->second;
  return fmt::format("{} is a keyword only of builds {}{}; delete the line, or build with other options",
                     keyword, builds.starts_with("without ") ? "" : "with ", builds);
}

std::vector<std::string> refused_keywords(const std::string& card, const Rules& rules) {
  std::vector<std::string> why;
  changed_card(card, [&](const std::string& line) {
    why.push_back(refused_line(line, rules));
    return std::optional(line);
  });
  return why;
}

std::string refused_primary(const Card& card, const Rules& rules) {
  const std::string* rest = card.last("PRMPAR");
  if (rest == nullptr || !rules.primary) return {};
  const long none = -1, code = card_integer(card_word(*rest, 1), none);
  const char* give = "1 is a gamma, 14 a proton, 100 A + Z a nucleus: 5626 iron";
  if (code != none && (code < 1 || static_cast<double>(code) > *rules.primary))
    return fmt::format("CORSIKA takes primaries of 1 to {:.0f} (PRMPAR), and not {}; {}", *rules.primary,
                       code, give);
  if (has_too_many_protons(code))
    return fmt::format("the primary {} (PRMPAR) has {} protons in {} nucleons; {}", code, code % 100,
                       code / 100, give);
  return {};
}

std::string refused_zenith(const Card& card, const Rules& rules, const std::string& source,
                           OptionStates options) {
  const std::string* rest = card.last("THETAP");
  // With UPWARD there are other ranges.
  if (rest == nullptr || !rules.zenith || !options.contains("UPWARD") || options.at("UPWARD") != Truth::no)
    return {};
  for (const int word : {1, 2})
    if (const auto angle = card_real(card_word(*rest, word));
        angle && !(*angle >= 0 && *angle <= *rules.zenith)) {
      options["CURVED"] = Truth::yes;
      return fmt::format(
          "CORSIKA with these options takes zenith angles of 0 to {:.0f} degrees (THETAP), and not {}; give "
          "{}",
          *rules.zenith, *angle,
          *angle > *rules.zenith && *angle <= Rules(source, options).zenith.value_or(0)
              ? "less, or add CURVED: with --with CURVED (overlay install), else in --options or the profile"
          : *angle < 0 ? "more"
                       : "less");
    }
  return {};
}

/// These models make tables for hours where the card does not name those that come with them.
std::string refused_model(const Card& card, const OptionStates& options) {
  for (const auto& [model, keyword] : {std::pair{"EPOS", "EPOPAR"}, {"NEXUS", "NEXPAR"}}) {
    const auto state = options.find(model);
    const std::string* rest = card.last(model);
    if (state != options.end() && state->second == Truth::yes && !card.has(keyword) &&
        (rest == nullptr || card_logical(card_word(*rest, 1), true)))
      return fmt::format(
          "{0} needs its parameters: the card has no {1}; copy the lines {1} of an example in run/", model,
          keyword);
  }
  return {};
}

OptionStates states_of(const std::vector<std::string>& on, const std::vector<std::string>& off) {
  OptionStates options;
  for (const std::string& name : off) options[name] = Truth::no;
  for (const std::string& name : on) options[name] = Truth::yes;
  return options;
}

}  // namespace

std::string card_of_known_lines(const std::string& text, const std::string& source,
                                const std::vector<std::string>& on, const std::vector<std::string>& off) {
  const OptionStates options = states_of(on, off);
  const Rules rules(source, options);
  return changed_card(text, [&](const std::string& line) {
    return refused_line(line, rules).empty() ? std::optional(line) : std::nullopt;
  });
}

std::string card_refusal(const std::string& text, const std::string& source,
                         const std::vector<std::string>& on, const std::vector<std::string>& off) {
  const OptionStates options = states_of(on, off);
  const Rules rules(source, options);
  const Card card(text);
  auto all = refused_keywords(text, rules);
  all.insert(all.end(), {refused_primary(card, rules), refused_zenith(card, rules, source, options),
                         refused_model(card, options)});
  std::string said;
  for (const std::string& why : all)
    if (said.find(why) == std::string::npos) said += (said.empty() ? "" : "; also: ") + why;
  return said;
}

}  // namespace overlay
