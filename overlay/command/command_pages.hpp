// The manual page and the completion of bash, written from the declared options.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace overlay {

/// A page for man(1), section 1, in the man macros of groff. Hidden commands and options are left out.
std::string manual_page(const CLI::App& program, const std::string& version);

/// A script that bash sources: completes commands, options, and files after an option that takes one.
std::string bash_completion(const CLI::App& program);

}  // namespace overlay
