// TELFIL lines of a card: see the header.
#include "overlay/card/telescope_output.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace overlay {
namespace {

/// The rest of a line behind its first word and the blanks that follow; empty where there is none.
std::string_view behind_first_word(std::string_view rest) {
  const std::size_t word = rest.find_first_not_of(" \t");
  if (word == std::string_view::npos) return {};
  const std::size_t blank = rest.find_first_of(" \t", word);
  if (blank == std::string_view::npos) return {};
  const std::size_t next = rest.find_first_not_of(" \t", blank);
  return next == std::string_view::npos ? std::string_view() : rest.substr(next);
}

/// What an IACT line says behind its keyword: its whole rest, without a comment and blanks at the end.
std::string iact_value(std::string_view rest) {
  std::string_view value = behind_first_word(rest);
  value = value.substr(0, std::min({value.find('#'), value.find(" // "), value.size()}));
  const std::size_t last = value.find_last_not_of(" \t");
  return last == std::string_view::npos ? std::string() : std::string(value.substr(0, last + 1));
}

std::string last_iact_value(const Card& card, std::initializer_list<const char*> keywords) {
  std::string value;
  for (const CardLine& line : card.lines())
    for (const char* keyword : keywords)
      if (line.keyword == "IACT" && upper_case(card_word(line.rest, 1)) == keyword)
        value = iact_value(line.rest);
  return value;
}

/// Place of the `|` with which a TELFIL line's value begins, quotes and `+` before it apart; npos where it
/// does not begin so.
std::size_t pipe_in(std::string_view line, std::size_t value) {
  std::size_t at = line.find_first_not_of(" \t", value);
  if (at != std::string_view::npos && (line[at] == '\'' || line[at] == '"')) ++at;
  if (at < line.size() && line[at] == '+') ++at;
  return at < line.size() && line[at] == '|' ? at : std::string_view::npos;
}

/// Where what the line's TELFIL names begins: behind `TELFIL`, also in an IACT line. npos in other lines.
std::size_t value_of_telfil(const std::string& line) {
  const Card read(line);
  if (read.lines().size() != 1) return std::string::npos;
  const CardLine& entry = read.lines().front();
  const bool iact = entry.keyword == "IACT" && upper_case(card_word(entry.rest, 1)) == "TELFIL";
  if (!iact && entry.keyword != "TELFIL") return std::string::npos;
  return upper_case(line).find("TELFIL") + 6;
}

/// The name of the variable that begins at a `$`, as the IACT package reads it, and the place behind it.
struct Variable {
  std::string name;
  std::size_t end = 0;
};

std::optional<Variable> variable_at(const std::string& text, std::size_t dollar) {
  std::size_t begin = dollar + 1, end = begin;
  const char open = begin < text.size() ? text[begin] : '\0';
  if (open == '{' || open == '(') {
    end = text.find(open == '{' ? '}' : ')', ++begin);
    if (end == std::string::npos || end == begin) return std::nullopt;
    return Variable{text.substr(begin, end - begin), end + 1};
  }
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!letter(open)) return std::nullopt;
  while (end < text.size() &&
         (letter(text[end]) || (text[end] >= '0' && text[end] <= '9') || text[end] == '_'))
    ++end;
  return Variable{text.substr(begin, end - begin), end};
}

/// The value of a variable in a run with this card; nothing where it is the program's to say.
std::optional<std::string> value_of(const std::string& name, const Card& card) {
  if (name == "RUNNR") return std::to_string(card.run_number());
  if (name == "NSHOW") return std::to_string(card.showers());
  if (name == "PRMPAR" && card.has("PRMPAR")) return card_word(*card.last("PRMPAR"), 1);
  if (name == "OBSLEV" || name.starts_with("CORSIKA_")) return std::nullopt;
  std::optional<std::string> value;
  for (const CardLine& line : card.lines()) {
    if (line.keyword != "IACT" || upper_case(card_word(line.rest, 1)) != "SETENV") continue;
    const std::string setting = iact_value(line.rest);
    const std::size_t end = std::min(setting.find_first_of(" \t"), setting.size());
    if (setting.substr(0, end) != name) continue;
    std::size_t begin = setting.find_first_not_of(" \t", end);
    if (begin != std::string::npos && setting[begin] == '=')
      begin = setting.find_first_not_of(" \t", begin + 1);
    value = begin == std::string::npos ? std::string() : setting.substr(begin);
  }
  if (value) return value;
  const char* set = std::getenv(name.c_str());
  return set == nullptr ? std::string() : std::string(set);
}

std::string line_with_command_behind(const std::string& line, const std::string& program) {
  const std::size_t value = value_of_telfil(line);
  const std::size_t bar = value == std::string::npos ? value : pipe_in(line, value);
  if (bar == std::string::npos) return line;
  const std::string before = line.substr(0, bar + 1) + program + " ";
  const std::size_t first = line.find_first_not_of(" \t", value);
  const bool quoted = line[first] == '\'' || line[first] == '"';
  const bool whole_rest = upper_case(line.substr(0, 6)) != "TELFIL";  // an IACT line
  if (quoted || whole_rest) return before + line.substr(bar + 1);
  // One word for CORSIKA, and two from now on.
  const std::size_t end = std::min(line.find_first_of(" \t!\r", bar), line.size());
  const std::string quote = line.substr(bar, end - bar).find('\'') == std::string::npos ? "'" : "\"";
  return line.substr(0, first) + quote + before.substr(first) + line.substr(bar + 1, end - bar - 1) + quote +
         line.substr(end);
}

}  // namespace

std::string telescope_output(const Card& card) {
  std::string name;
  for (const CardLine& line : card.lines()) {
    if (line.keyword == "TELFIL") name = card_word(line.rest, 1);
    if (line.keyword == "IACT" && upper_case(card_word(line.rest, 1)) == "TELFIL")
      name = iact_value(line.rest);
  }
  name = name.substr(0, name.find(':'));
  if (!name.empty() && name[0] == '+') name.erase(0, 1);
  return name.empty() ? "telescope.dat" : name;
}

std::optional<std::string> with_variables(std::string name, const Card& card) {
  constexpr int kMost = 100;  // expansions, as in the package: a value may name variables too
  for (int i = 0; i < kMost; ++i) {
    const std::size_t dollar = name.find('$');
    if (dollar == std::string::npos) return name;
    const auto variable = variable_at(name, dollar);
    const auto value = variable ? value_of(variable->name, card) : std::nullopt;
    if (!value) return std::nullopt;
    name.replace(dollar, variable->end - dollar, *value);
  }
  return std::nullopt;
}

std::optional<std::string> telescope_command(const Card& card) {
  std::string command = telescope_output(card);
  if (command[0] != '|') return std::nullopt;
  command.erase(0, 1);
  const std::string more = last_iact_value(card, {"TELOPT", "TELOPTIONS"});
  if (!more.empty()) command += " " + more;
  for (std::size_t at = command.find("$("); at != std::string::npos; at = command.find("$(", at)) {
    const std::size_t end = command.find(')', at);
    if (end == std::string::npos) break;
    command[at + 1] = '{';
    command[end] = '}';
  }
  return command;
}

std::string card_with_command_behind(const std::string& card, const std::string& program) {
  std::string text;
  bool ended = false;
  for (std::size_t at = 0; at < card.size();) {
    const std::size_t end = std::min(card.find('\n', at), card.size());
    const std::string line = card.substr(at, end - at);
    ended = ended || upper_case(line.substr(0, 4)) == "EXIT";
    text += ended ? line : line_with_command_behind(line, program);
    if (end < card.size()) text += '\n';
    at = end + 1;
  }
  return text;
}

}  // namespace overlay
