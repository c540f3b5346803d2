// The manual page and the completion of bash, written from the declared options. Knows no command line
// library: options.cpp hands over plain data.
#pragma once

#include <string>
#include <vector>

namespace overlay {

/// One option as declared.
struct OptionDescription {
  std::string name;           ///< "--out"
  std::string short_name;     ///< "-h", or empty
  std::string value;          ///< name of its value ("DIR"); empty: a flag
  std::string default_value;  ///< empty: none is shown
  std::string help;
  bool required = false;
};

/// The program, or one of its commands.
struct CommandDescription {
  std::string name, summary, footer;
  std::vector<OptionDescription> options;
  std::vector<CommandDescription> commands;
};

/// A page for man(1), section 1, in the man macros of groff.
std::string manual_page(const CommandDescription& program, const std::string& version);

/// A script that bash sources: completes commands, options, and files after an option that takes one.
std::string bash_completion(const CommandDescription& program);

}  // namespace overlay
