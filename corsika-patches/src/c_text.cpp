// C comments, and the first use of a name: see the header.
#include "corsika_patches/c_text.h"

#include <algorithm>
#include <regex>

#include "corsika_patches/text_file.h"

namespace corsika_patches {

std::string without_c_comments(std::string_view text) {
  std::string out;
  char within = 0;  // '"' or '\'', '/' of a comment down to the line's end, '*' of one that is closed
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool comment = within == '/' || within == '*';
    if (c == '\n' && within != '*') within = 0;
    if (c == '\\' && within != '*') {  // joins lines, or is part of a constant
      if (!comment) out += c;
      if (next == '\n' || !comment) out += next;
      ++i;
    } else if (c == '\n' || !comment) {
      if (within == 0 && c == '/' && (next == '/' || next == '*')) {
        within = next;
        out += ' ';
        ++i;
        continue;
      }
      if (within == c)
        within = 0;
      else if (within == 0 && (c == '"' || c == '\''))
        within = c;
      out += c;
    } else if (within == '*' && c == '*' && next == '/') {
      within = 0;
      ++i;
    }
  }
  return out;
}

int first_line_with(std::string_view text, const std::vector<std::string>& names) {
  const std::string code = without_c_comments(text);
  int outermost = -1, depth = 0, number = 0;
  for (std::size_t at = 0; at < code.size(); ++number) {
    const auto end = std::min(code.find('\n', at), code.size());
    auto line = std::string_view(code).substr(at, end - at);
    at = end + 1;
    const auto skip_blanks = [&] {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    };
    skip_blanks();
    if (line.starts_with('#')) {
      line.remove_prefix(1);
      skip_blanks();
      if (line.starts_with("if") && depth++ == 0) outermost = number;
      if (line.starts_with("endif")) --depth;
    } else if (std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return has_word(line, name); })) {
      return depth > 0 ? outermost : number;
    }
  }
  return -1;
}

int argument_count(std::string_view text, const std::string& function) {
  const std::string code = without_c_comments(text);
  std::smatch found;
  if (!std::regex_search(code, found, std::regex("\\b" + function + "\\s*\\(([^)]*)\\)"))) return 0;
  const auto list = std::regex_replace(found.str(1), std::regex("#if[^#]*#endif"), "");
  return list.empty() ? 0 : 1 + static_cast<int>(std::count(list.begin(), list.end(), ','));
}

}  // namespace corsika_patches
