// Writes the manual page and the completion of bash from the declared options.
#include "command_pages.hpp"

#include <fmt/format.h>

namespace overlay {
namespace {

/// Text as groff prints it unchanged: hyphens stay hyphens, and no line begins with a request.
std::string groff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) {
      result += std::string("\\&") + c;
    } else {
      result += c;
    }
  }
  return result;
}

std::string option_entries(const CommandDescription& command) {
  std::string text;
  for (const auto& option : command.options) {
    text += ".TP\n";
    text += option.short_name.empty()
                ? fmt::format("\\fB{}\\fR", groff(option.name))
                : fmt::format("\\fB{}\\fR, \\fB{}\\fR", groff(option.short_name), groff(option.name));
    if (!option.value.empty()) text += fmt::format(" \\fI{}\\fR", groff(option.value));
    text += '\n' + groff(option.help);
    if (option.required) text += " (required)";
    if (!option.default_value.empty()) text += fmt::format(" (default: {})", groff(option.default_value));
    text += '\n';
  }
  return text;
}

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& word : list) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The options of a command that take a file or a folder, as alternatives of a pattern of bash.
std::string path_options(const CommandDescription& command) {
  std::string text;
  for (const auto& option : command.options)
    if (option.value == "DIR" || option.value == "FILE" || option.value == "PATH")
      text += (text.empty() ? "" : "|") + option.name;
  return text;
}

/// A section for each command, and for the commands of a command.
std::string command_sections(const std::string& before, const std::vector<CommandDescription>& commands) {
  std::string text;
  for (const auto& command : commands) {
    const auto name = before + " " + command.name;
    text += fmt::format(".SS {}\n{}.\n", groff(name), groff(command.summary)) + option_entries(command) +
            command_sections(name, command.commands);
  }
  return text;
}

/// What completes behind `key`, and behind each of its own commands, as cases of bash.
std::string completion_cases(const std::string& key, const CommandDescription& command) {
  std::vector<std::string> offered;
  for (const auto& inner : command.commands) offered.push_back(inner.name);
  for (const auto& option : command.options) offered.push_back(option.name);
  auto cases =
      fmt::format("    '{}') options='{}'; paths='{}' ;;\n", key, words(offered), path_options(command));
  for (const auto& inner : command.commands) cases += completion_cases(key + " " + inner.name, inner);
  return cases;
}

}  // namespace

std::string manual_page(const CommandDescription& program, const std::string& version) {
  std::string text =
      fmt::format(".TH {0} 1 \"\" \"{0} {1}\" \"User commands\"\n", groff(program.name), version) +
      fmt::format(".SH NAME\n{0} \\- {1}\n", groff(program.name), groff(program.summary)) +
      fmt::format(".SH SYNOPSIS\n.B {}\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n", groff(program.name)) +
      fmt::format(".SH DESCRIPTION\n{}\n", groff(program.summary));
  if (!program.footer.empty()) text += fmt::format(".PP\n{}\n", groff(program.footer));
  text += ".SH OPTIONS\n" + option_entries(program) + ".SH COMMANDS\n";
  text += command_sections(program.name, program.commands);
  return text +
         ".SH EXIT STATUS\n"
         "0: done. 1: an error, in one line on standard error. 2: the command line is wrong.\n"
         "1 also: compare could not compare. 3: compare found outputs that differ. 130: interrupted.\n"
         "production run: 65: no attempt can succeed. 69: this node computes other last bits. 74: a disk is "
         "full.\n"
         "75: another attempt may succeed.\n";
}

std::string bash_completion(const CommandDescription& program) {
  std::vector<std::string> names, top, with_commands;
  for (const auto& command : program.commands) {
    names.push_back(command.name);
    if (!command.commands.empty()) with_commands.push_back(command.name);
  }
  for (const auto& option : program.options) top.push_back(option.name);
  std::string cases;
  for (const auto& command : program.commands) cases += completion_cases(command.name, command);
  return fmt::format(
      R"(# Completion of bash for {0}.
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options='' paths=''
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{1} {2}' -- "$word")
    return
  fi
  local key=${{COMP_WORDS[1]}}
  case " {4} " in
    *" $key "*) [ "$COMP_CWORD" -lt 3 ] || key+=" ${{COMP_WORDS[2]}}" ;;
  esac
  case $key in
{3}  esac
  if [ -n "$paths" ] && [[ $before =~ ^($paths)$ ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  fi
}}
complete -F _{0} {0}
)",
      program.name, words(names), words(top), cases, words(with_commands));
}

}  // namespace overlay
