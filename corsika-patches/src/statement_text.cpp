// Canonical texts of statements, and small questions on them.
#include "corsika_patches/statement_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "corsika_patches/characters.h"

namespace corsika_patches {
namespace {

bool name_char(char c) { return letter(c) || digit(c) || c == '_' || c == '$'; }
char up(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// True where `.LETTERS.` begins at the point `at`.
bool dotted_word(std::string_view text, std::size_t at) {
  std::size_t i = at + 1;
  while (i < text.size() && letter(text[i])) ++i;
  return i > at + 1 && i < text.size() && text[i] == '.';
}

/// Reads a numeric constant at `at` and gives its canonical form; moves `at` behind it. A real constant without
/// a D has single precision in Fortran, so its value is that of a float.
std::string constant(std::string_view text, std::size_t& at) {
  std::string digits;
  bool real = false, single = true;
  while (at < text.size() && digit(text[at])) digits += text[at++];
  if (at < text.size() && text[at] == '.' && !dotted_word(text, at)) {
    real = true;
    digits += text[at++];
    while (at < text.size() && digit(text[at])) digits += text[at++];
  }
  if (at < text.size() && (up(text[at]) == 'D' || up(text[at]) == 'E')) {
    std::size_t i = at + 1;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (i < text.size() && digit(text[i])) {
      real = true;
      single = up(text[at]) != 'D';
      digits += 'e';
      digits += text.substr(at + 1, i - at - 1);
      while (i < text.size() && digit(text[i])) digits += text[i++];
      at = i;
    }
  }
  if (!real) {
    const auto first = digits.find_first_not_of('0');
    return first == std::string::npos ? "0" : digits.substr(first);
  }
  const double value =
      single ? double{std::strtof(digits.c_str(), nullptr)} : std::strtod(digits.c_str(), nullptr);
  return fmt::format("{:.17g}.", value);
}

}  // namespace

void append_code(std::string& statement, std::string_view code, char& quote) {
  for (const char c : code) {
    if (quote != 0) {
      statement += c;
      if (c == quote) quote = 0;
    } else if (c == '!') {
      return;
    } else if (c == '\'' || c == '"') {
      quote = c;
      statement += c;
    } else if (c != ' ' && c != '\t' && c != '\f' && c != '\r') {
      statement += up(c);
    }
  }
}

std::string canonical(std::string_view text) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (quote != 0) {
      out += c;
      if (c == quote) quote = 0;
      ++i;
    } else if (c == '\'' || c == '"') {
      quote = c;
      out += c;
      ++i;
    } else if (letter(c) || c == '_') {
      while (i < text.size() && name_char(text[i])) out += text[i++];
    } else if (digit(c) || (c == '.' && i + 1 < text.size() && digit(text[i + 1]))) {
      out += constant(text, i);
    } else if (c == '.' && dotted_word(text, i)) {
      do out += text[i++];
      while (text[i] != '.');
      out += text[i++];
    } else if (text.substr(i, 2) == "==") {
      out += ".EQ.", i += 2;
    } else if (text.substr(i, 2) == "<=") {
      out += ".LE.", i += 2;
    } else if (text.substr(i, 2) == ">=") {
      out += ".GE.", i += 2;
    } else if (c == '<') {
      out += ".LT.", ++i;
    } else if (c == '>') {
      out += ".GT.", ++i;
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}

bool is_name(std::string_view text) {
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), name_char);
}

bool is_integer(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), digit);
}

/// Quotes and parentheses that are open in a text, character by character.
class Nesting {
 public:
  /// Takes the next character; true where it is outside of quotes and is no quote itself.
  bool take(char c) {
    if (quote_ != 0) {
      if (c == quote_) quote_ = 0;
      return false;
    }
    if (c == '\'' || c == '"') {
      quote_ = c;
      return false;
    }
    if (c == '(') ++depth_;
    if (c == ')') --depth_;
    return true;
  }
  /// Parentheses that are open behind it.
  int depth() const { return depth_; }

 private:
  int depth_ = 0;
  char quote_ = 0;
};

std::size_t closing_parenthesis(std::string_view text, std::size_t open) {
  Nesting nesting;
  for (std::size_t i = open; i < text.size(); ++i)
    if (nesting.take(text[i]) && text[i] == ')' && nesting.depth() == 0) return i;
  return std::string_view::npos;
}

std::vector<std::string> split_arguments(std::string_view list) {
  std::vector<std::string> parts;
  if (list.empty()) return parts;
  parts.emplace_back();
  Nesting nesting;
  for (const char c : list) {
    if (nesting.take(c) && c == ',' && nesting.depth() == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::size_t top_level_equals(std::string_view text) {
  Nesting nesting;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (nesting.take(text[i]) && text[i] == '=' && nesting.depth() == 0) return i;
  return std::string_view::npos;
}

std::string_view take_length(std::string_view& rest) {
  if (!rest.starts_with("*")) return {};
  std::size_t i = 1;
  if (i < rest.size() && rest[i] == '(') i = closing_parenthesis(rest, i) + 1;
  while (i < rest.size() && rest[i] >= '0' && rest[i] <= '9') ++i;
  const std::string_view length = rest.substr(0, i);
  rest.remove_prefix(i);
  if (rest.starts_with(",")) rest.remove_prefix(1);
  return length;
}

std::optional<Reference> parse_reference(std::string_view text) {
  if (is_name(text)) return Reference{std::string(text), std::nullopt};
  const auto open = text.find('(');
  if (open == std::string_view::npos || !is_name(text.substr(0, open))) return std::nullopt;
  if (closing_parenthesis(text, open) != text.size() - 1) return std::nullopt;
  return Reference{std::string(text.substr(0, open)),
                   std::string(text.substr(open + 1, text.size() - open - 2))};
}

std::vector<std::string> identifiers(std::string_view text) {
  std::vector<std::string> names;
  char quote = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      ++i;
    } else if (c == '\'' || c == '"') {
      quote = c;
      ++i;
    } else if (letter(c) || c == '_') {
      std::string name;
      while (i < text.size() && name_char(text[i])) name += text[i++];
      names.push_back(std::move(name));
    } else if (digit(c)) {
      constant(text, i);
    } else if (c == '.' && dotted_word(text, i)) {
      for (++i; text[i] != '.'; ++i) {
      }
      ++i;
    } else {
      ++i;
    }
  }
  return names;
}

bool is_specification(std::string_view text) {
  static constexpr std::array keywords = {
      "IMPLICIT",  "INTEGER",   "REAL",      "DOUBLEPRECISION", "DOUBLECOMPLEX", "COMPLEX",
      "LOGICAL",   "CHARACTER", "DIMENSION", "COMMON",          "SAVE",          "EXTERNAL",
      "INTRINSIC", "PARAMETER", "DATA",      "EQUIVALENCE",     "FORMAT",        "NAMELIST",
      "BYTE",      "INCLUDE",   "VIRTUAL",   "STATIC",          "AUTOMATIC",     "VOLATILE"};
  const bool known = std::any_of(keywords.begin(), keywords.end(),
                                 [&](std::string_view keyword) { return text.starts_with(keyword); });
  if (!known) return false;
  return top_level_equals(text) == std::string_view::npos || text.find("::") != std::string_view::npos;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), up);
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

}  // namespace corsika_patches
