// C sources as text: comments, and where a name is first used. Works on text alone.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace corsika_patches {

/// The text without its comments; a blank stands for each. Lines keep their numbers.
std::string without_c_comments(std::string_view text);

/// Line (from 0) of the first use of one of these names outside of comments and preprocessor lines; if it
/// stands in conditionals, the line of the outermost #if. Lines put before it apply to all uses. -1: no use.
int first_line_with(std::string_view text, const std::vector<std::string>& names);

/// Arguments of a function where it is first named with a list; those under a condition do not count. 0:
/// none, or no such name.
int argument_count(std::string_view text, const std::string& function);

}  // namespace corsika_patches
