// Writes the manual page from the declared options.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "options.hpp"

namespace overlay {
namespace {

/// Text as groff prints it unchanged: hyphens stay hyphens, and no line begins with a request.
std::string groff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else
      result += c == '-' ? std::string("\\-") : std::string(1, c);
  }
  return result;
}

/// A section for each command that is shown, with its help, and for the commands of a command.
std::string command_sections(const std::string& before, const CLI::App& program) {
  std::string text;
  for (const auto* command :
       program.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    const auto name = before + " " + command->get_name();
    text += fmt::format(".SS {}\n.nf\n{}\n.fi\n", groff(name), groff(command->help(before))) +
            command_sections(name, *command);
  }
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& program, const std::string& version) {
  const auto name = groff(program.get_name());
  return fmt::format(
             ".TH {0} 1 \"\" \"{0} {1}\" \"User commands\"\n"
             ".SH NAME\n{0} \\- {2}\n"
             ".SH SYNOPSIS\n.B {0}\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
             ".SH DESCRIPTION\n{2}\n.PP\n{3}\n.SH COMMANDS\n",
             name, version, groff(program.get_description()), groff(program.get_footer())) +
         command_sections(program.get_name(), program) +
         ".SH EXIT STATUS\n"
         "0: done. 1: an error, in one line on standard error. 2: the command line is wrong.\n"
         "1 also: compare could not compare. 3: compare found outputs that differ. 130: interrupted.\n"
         "production run: 65: no attempt can succeed. 69: this node computes other last bits. 74: a disk is "
         "full.\n"
         "75: another attempt may succeed.\n";
}

}  // namespace overlay
