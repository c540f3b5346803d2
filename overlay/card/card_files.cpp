// Files and commands of a card: see the header.
#include "overlay/card/card_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

namespace overlay {
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
