// The rules of CORSIKA's sources: see the header.

#include <regex>

#include "overlay/card/card.hpp"
#include "support/error.hpp"
#include "support/nearest.hpp"

namespace overlay {
namespace {

using corsika_patches::FixedFormSource;
using corsika_patches::Truth;  // whether an option is selected, or lines of the source are in the program
using OptionStates = std::map<std::string, Truth>;  ///< by name; others are perhaps

/// What the source takes, less what the preprocessor leaves out.
class Rules {
 public:
  Rules(const FixedFormSource& source, const OptionStates& options) : source_(source), options_(options) {
    static const std::regex keyword(R"(LINE\(1:\d+\)\.EQ\.'([^']+)')");
    static const std::regex largest_primary(R"(PRMPAR\(0\)\.GT\.([0-9.D]+)\.OR\.PRMPAR\(0\)\.LE\.0)");
    static const std::regex largest_zenith(R"(^IF\(THETPR\(2\)\.GT\.([0-9.D]+)\)THEN)");
    for (const auto& [label, text, first, last, branch, split] : source.statements()) {
      std::smatch found;
      if (text.find("LINE(1:") != std::string::npos) {
        if (text.find("'!'") != std::string::npos && !text.ends_with("THEN")) continue;
        const auto state = state_of(branch);
        for (std::sregex_iterator it(text.begin(), text.end(), keyword), end; it != end; ++it)
          if (auto [known, fresh] = keywords.try_emplace((*it)[1]);
              fresh || state.first > known->second.first)
            known->second = state;
      } else if (text.find("PRMPAR(0)") != std::string::npos &&
                 std::regex_search(text, found, largest_primary) && state_of(branch).first != Truth::no) {
        primary = std::max(primary, card_real(found[1]));
      } else if (text.find("THETPR(2)") != std::string::npos &&
                 std::regex_search(text, found, largest_zenith) && state_of(branch).first != Truth::no) {
        zenith = std::max(zenith, card_real(found[1]));
      }
    }
  }

  using State = std::pair<Truth, std::string>;  ///< and the innermost condition that takes it out, in words
  std::map<std::string, State> keywords;
  std::optional<double> primary, zenith;  ///< the largest

 private:
  State state_of(int branch) const {
    State state{Truth::yes, ""};
    for (const int each : source_.path(0, branch)) {
      const Truth own = truth_of(each);
      state.first = std::min(state.first, own);
      if (own == Truth::no) state.second = in_words(each);
    }
    return state;
  }

  /// Macros have the form __OPTION__.
  Truth truth_of(int branch) const try {
    return source_.truth_in_parent(branch, [&](const std::string& macro) {
      const bool marked = macro.size() > 4 && macro.starts_with("__") && macro.ends_with("__");
      const auto option = options_.find(marked ? macro.substr(2, macro.size() - 4) : macro);
      return option == options_.end() ? Truth::perhaps : option->second;
    });
  } catch (const support::Error&) {
    return Truth::perhaps;
  }

  std::string in_words(int branch) const {
    const auto* own = &source_.branch(branch);
    const int group = own->group;
    const bool otherwise = own->keyword == "else";  // than the branch before it
    while (own->keyword == "else" || own->group != group) own = &source_.branch(--branch);
    std::string text = own->condition;
    if ((own->keyword == "ifndef") != otherwise) text = "!(" + text + ")";
    for (const auto& [from, to] : {std::pair{"__", ""}, {"!", "without "}, {"&&", "and"}, {R"(\|\|)", "or"}})
      text = std::regex_replace(text, std::regex(from), to);
    return text;
  }

  const FixedFormSource& source_;
  const OptionStates& options_;
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

std::string refused_zenith(const Card& card, const Rules& rules, const FixedFormSource& source,
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

std::string card_of_known_lines(const std::string& text, const FixedFormSource& source,
                                const std::vector<std::string>& on, const std::vector<std::string>& off) {
  const OptionStates options = states_of(on, off);
  const Rules rules(source, options);
  return changed_card(text, [&](const std::string& line) {
    return refused_line(line, rules).empty() ? std::optional(line) : std::nullopt;
  });
}

std::string card_refusal(const std::string& text, const FixedFormSource& source,
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
