// Writes the manual page and the completion of bash from the declared options.
#include "command_pages.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

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

/// Options that are shown, each with its long name.
std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) {
    return !option->get_group().empty() && !option->get_lnames().empty();
  });
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

std::string long_name(const CLI::Option& option) { return "--" + option.get_lnames().front(); }

/// The name of an option's value ("DIR"); empty: a flag.
std::string value_of(const CLI::Option& option) {
  return option.get_expected_max() > 0 && option.get_type_size() > 0 ? option.get_type_name() : "";
}

std::string option_entries(const CLI::App& command) {
  std::string text;
  for (const auto* option : options_of(command)) {
    text += ".TP\n";
    for (const auto& name : option->get_snames()) text += fmt::format("\\fB{}\\fR, ", groff("-" + name));
    text += fmt::format("\\fB{}\\fR", groff(long_name(*option)));
    if (!value_of(*option).empty()) text += fmt::format(" \\fI{}\\fR", groff(value_of(*option)));
    text += '\n' + groff(option->get_description());
    if (option->get_required()) text += " (required)";
    if (!option->get_default_str().empty())
      text += fmt::format(" (default: {})", groff(option->get_default_str()));
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
std::string path_options(const CLI::App& command) {
  std::string text;
  for (const auto* option : options_of(command))
    if (const auto value = value_of(*option); value == "DIR" || value == "FILE" || value == "PATH")
      text += (text.empty() ? "" : "|") + long_name(*option);
  return text;
}

/// A section for each command, and for the commands of a command.
std::string command_sections(const std::string& before, const CLI::App& program) {
  std::string text;
  for (const auto* command : commands_of(program)) {
    const auto name = before + " " + command->get_name();
    text += fmt::format(".SS {}\n{}.\n", groff(name), groff(command->get_description())) +
            option_entries(*command) + command_sections(name, *command);
  }
  return text;
}

/// What completes behind `key`, and behind each of its own commands, as cases of bash.
std::string completion_cases(const std::string& key, const CLI::App& command) {
  std::vector<std::string> offered;
  std::string inner_cases;
  for (const auto* inner : commands_of(command)) {
    offered.push_back(inner->get_name());
    inner_cases += completion_cases(key + " " + inner->get_name(), *inner);
  }
  for (const auto* option : options_of(command)) offered.push_back(long_name(*option));
  return fmt::format("    '{}') options='{}'; paths='{}' ;;\n", key, words(offered), path_options(command)) +
         inner_cases;
}

}  // namespace

std::string manual_page(const CLI::App& program, const std::string& version) {
  std::string text =
      fmt::format(".TH {0} 1 \"\" \"{0} {1}\" \"User commands\"\n", groff(program.get_name()), version) +
      fmt::format(".SH NAME\n{0} \\- {1}\n", groff(program.get_name()), groff(program.get_description())) +
      fmt::format(".SH SYNOPSIS\n.B {}\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n", groff(program.get_name())) +
      fmt::format(".SH DESCRIPTION\n{}\n", groff(program.get_description()));
  if (!program.get_footer().empty()) text += fmt::format(".PP\n{}\n", groff(program.get_footer()));
  text += ".SH OPTIONS\n" + option_entries(program) + ".SH COMMANDS\n";
  text += command_sections(program.get_name(), program);
  return text +
         ".SH EXIT STATUS\n"
         "0: done. 1: an error, in one line on standard error. 2: the command line is wrong.\n"
         "1 also: compare could not compare. 3: compare found outputs that differ. 130: interrupted.\n"
         "production run: 65: no attempt can succeed. 69: this node computes other last bits. 74: a disk is "
         "full.\n"
         "75: another attempt may succeed.\n";
}

std::string bash_completion(const CLI::App& program) {
  std::vector<std::string> offered, with_commands;
  std::string cases;
  for (const auto* command : commands_of(program)) {
    offered.push_back(command->get_name());
    if (!commands_of(*command).empty()) with_commands.push_back(command->get_name());
    cases += completion_cases(command->get_name(), *command);
  }
  for (const auto* option : options_of(program)) offered.push_back(long_name(*option));
  return fmt::format(
      R"(# Completion of bash for {0}.
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options='' paths=''
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{1}' -- "$word")
    return
  fi
  local key=${{COMP_WORDS[1]}}
  case " {3} " in
    *" $key "*) [ "$COMP_CWORD" -lt 3 ] || key+=" ${{COMP_WORDS[2]}}" ;;
  esac
  case $key in
{2}  esac
  if [ -n "$paths" ] && [[ $before =~ ^($paths)$ ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  fi
}}
complete -F _{0} {0}
)",
      program.get_name(), words(offered), cases, words(with_commands));
}

}  // namespace overlay
