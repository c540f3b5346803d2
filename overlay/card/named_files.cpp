// What a card names: see the header.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "overlay/card/card.hpp"

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
  if (name == "PRMPAR" && card.has("PRMPAR")) return card.word("PRMPAR");
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
  if (!names_telescope_output(line)) return line;
  const bool iact = !Card(line).has("TELFIL");
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

/// Whether the program writes where DIRECT says: without PAROUT, tables and light on a grid it need not.
bool uses_direct(const Card& card, bool compact, bool grid) {
  const auto is_on = [&](const char* keyword, int word, bool otherwise) {
    return card_logical(card.word(keyword, word), otherwise);
  };
  return grid || is_on("PAROUT", 1, true) || is_on("PAROUT", 2, false) || is_on("DATBAS", 1, false) ||
         (is_on("LONGI", 1, false) && (compact || is_on("LONGI", 4, false)));
}

std::string writes_outside(const char* keyword, const std::string& name, const char* give) {
  return fmt::format(
      "the card writes outside of the run folder ({} {}), where runs would meet; give a relative name, as {}",
      keyword, name, give);
}

/// Keywords of CORSIKA 7 and its IACT package that name something, with their first word, in an IACT line
/// with all that follows; but for ATMOSPHERE, TELFIL, EPOPAR and NEXPAR, which say more.
constexpr std::pair<const char*, Names> kNamingKeywords[] = {{"ATMFILE", Names::input},
                                                             {"CUTFILE", Names::input},
                                                             {"INFILE", Names::input},
                                                             {"DATDIR", Names::tables},
                                                             {"DIRECT", Names::prefix},
                                                             {"HISTDS", Names::output},
                                                             {"OUTFILE", Names::output},
                                                             {"IACT EXTPRIM", Names::optional_input},
                                                             {"IACT EXTPRM", Names::optional_input},
                                                             {"IACT TELSAMPLE", Names::optional_input}};

/// `1d:NAME`, `text:NAME`: how to read the file, and its name.
std::string without_form(const std::string& value) { return value.substr(value.find(':') + 1); }

/// `fname KIND NAME` and `input NAME` of EPOS and NEXUS: what is read; their outputs stay as they are.
std::string table_of_model(const std::string& rest) {
  const std::string what = card_word(rest, 1), kind = card_word(rest, 2);
  if (what == "input") return kind;
  return what == "fname" && kind.starts_with("ini") ? card_word(rest, 3) : std::string();
}

}  // namespace

bool names_telescope_output(std::string_view line) {
  const Card card(line);
  return card.has("TELFIL") || upper_case(card.word("IACT")) == "TELFIL";
}

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
  const std::string prefix = card.word("DIRECT");
  const std::set<std::string> has(options.begin(), options.end());
  // CORSIKA itself refuses /dev/null, and says what to do.
  if (!stays_in_folder(prefix) && !prefix.starts_with("/dev/null") &&
      uses_direct(card, has.contains("COMPACT"), has.contains("CERENKOV") && !has.contains("IACT")))
    return writes_outside("DIRECT", prefix, "DIRECT ./");
  if (!has.contains("IACT") || !card.has("TELESCOPE")) return {};
  const std::string telescope = telescope_output(card);
  if (telescope[0] == '|') return {};
  if (telescope.starts_with("/dev/"))
    return fmt::format("the card's light is not kept (TELFIL {}); give TELFIL the name of a file", telescope);
  // A name with variables that the program alone knows is taken to stay.
  const std::string name = with_variables(telescope, card).value_or("");
  return !stays_in_folder(name) ? writes_outside("TELFIL", name, "TELFIL telescope.dat") : std::string();
}

std::string card_with_outputs_here(const std::string& card) {
  static const std::regex folder(
      R"re(^(\s*(?:DIRECT|(?:IACT\s+)?TELFIL)\s+['"]?\+?)(?!/dev/(?!shm/))(?:/|\$[^\s'"/]*/|\.\./)(?:[^\s'"]*/)?)re",
      std::regex::icase);
  return changed_card(
      card, [](const std::string& line) { return std::optional(std::regex_replace(line, folder, "$1./")); });
}

bool stays_in_folder(const std::string& name) {
  const auto path = std::filesystem::path(name).lexically_normal();
  return !path.is_absolute() && (path.empty() || *path.begin() != "..");
}

std::string atmosphere_file(const Card& card) {
  constexpr int kByName = 99;
  const int number = card.atmosphere();
  std::string name;
  for (const CardLine& line : card.lines())
    if (iact_keyword(line) == "ATMOFILE") name = iact_value(line.rest);
  if (number == kByName && !name.empty()) return name;
  return number == 0 ? std::string() : fmt::format("atmprof{}.dat", number);
}

std::vector<NamedFile> named_files(const Card& card) {
  std::vector<NamedFile> files;
  const auto add = [&](Names how, const std::string& keyword, std::string name) {
    if (how != Names::prefix) std::erase_if(name, [](char c) { return c == '\'' || c == '"'; });
    if (!name.empty()) files.push_back({how, keyword, std::move(name)});
  };
  add(Names::input, "ATMOSPHERE", atmosphere_file(card));
  for (const CardLine& line : card.lines()) {
    const std::string iact = iact_keyword(line), keyword = iact.empty() ? line.keyword : "IACT " + iact;
    if (keyword == "EPOPAR" || keyword == "NEXPAR")
      add(Names::optional_input, keyword, table_of_model(line.rest));
    for (const auto& [known, how] : kNamingKeywords)
      if (keyword == known)
        add(how, keyword, iact.empty() ? card_word(line.rest, 1) : without_form(iact_value(line.rest)));
  }
  if (const auto command = telescope_command(card)) {
    std::istringstream words(*command);
    std::string program;  // its other words may be names of outputs
    words >> program;
    add(Names::command, "TELFIL", program);
  } else if (const auto name = with_variables(telescope_output(card), card)) {
    add(Names::output, "TELFIL", *name);
  }
  return files;
}

std::vector<std::string> output_folders(const Card& card) {
  std::vector<std::string> folders;
  for (const auto& [how, keyword, name] : named_files(card)) {
    if (how != Names::output && how != Names::prefix) continue;
    const auto folder = std::filesystem::path(name).lexically_normal().parent_path().string();
    if (!folder.empty() && folder != "." && stays_in_folder(folder)) folders.push_back(folder);
  }
  return folders;
}

std::string unquoted_command(const Card& card) {
  for (const CardLine& line : card.lines()) {
    const std::string first = card_word(line.rest, 1);
    const std::string rest = line.rest.substr(0, line.rest.find('!'));
    if (line.keyword != "TELFIL" || card_word(line.rest, 2).empty() ||
        rest.find_first_of("'\"") != std::string::npos ||
        !(first.starts_with('|') || first.starts_with("+|")))
      continue;
    const auto begin = rest.find_first_not_of(' ');
    return fmt::format(
        "CORSIKA takes only the first word of TELFIL, {}; put the command into quotes: TELFIL '{}'", first,
        rest.substr(begin, rest.find_last_not_of(' ') + 1 - begin));
  }
  return {};
}

}  // namespace overlay
