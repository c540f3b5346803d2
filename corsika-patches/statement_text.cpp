// Canonical texts of statements, and small questions on them.
#include "corsika-patches/statement_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "corsika-patches/text.h"

namespace corsika_patches {
namespace {

bool name_char(char c) { return word(c) || c == '$'; }
char up(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// Behind the characters that `belongs` takes, from `at` on.
template <typename Belongs>
std::size_t behind(std::string_view text, std::size_t at, Belongs&& belongs) {
  while (at < text.size() && belongs(text[at])) ++at;
  return at;
}

/// True where `.LETTERS.` begins at the point `at`.
bool dotted_word(std::string_view text, std::size_t at) {
  const auto end = behind(text, at + 1, letter);
  return end > at + 1 && end < text.size() && text[end] == '.';
}

/// Reads a numeric constant at `at` and gives its canonical form; moves `at` behind it. A real constant
/// without a D has single precision in Fortran, so its value is that of a float.
std::string constant(std::string_view text, std::size_t& at) {
  const auto begin = at;
  bool real = false, single = true;
  at = behind(text, at, digit);
  if (at < text.size() && text[at] == '.' && !dotted_word(text, at)) {
    real = true;
    at = behind(text, at + 1, digit);
  }
  std::string digits(text.substr(begin, at - begin));
  if (at < text.size() && (up(text[at]) == 'D' || up(text[at]) == 'E')) {
    std::size_t i = at + 1;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (i < text.size() && digit(text[i])) {
      real = true;
      single = up(text[at]) != 'D';
      const auto end = behind(text, i, digit);
      digits += 'e';
      digits += text.substr(at + 1, end - at - 1);
      at = end;
    }
  }
  if (!real) return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  const double value =
      single ? double{std::strtof(digits.c_str(), nullptr)} : std::strtod(digits.c_str(), nullptr);
  return fmt::format("{:.17g}.", value);
}

/// What is in quotes, a name, a constant in its canonical form, an operator in its dotted form, or a
/// character.
struct Token {
  std::string text;
  bool name = false;
};
Token next_token(std::string_view text, std::size_t& at) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 5> operators = {
      {{"==", ".EQ."}, {"<=", ".LE."}, {">=", ".GE."}, {"<", ".LT."}, {">", ".GT."}}};
  const auto begin = at;
  const char c = text[at];
  const bool name = letter(c) || c == '_';
  if (digit(c) || (c == '.' && at + 1 < text.size() && digit(text[at + 1]))) return {constant(text, at)};
  for (const auto& [written, dotted] : operators)
    if (c == written[0] && text.substr(at).starts_with(written)) {
      at += written.size();
      return {dotted};
    }
  if (name)
    at = behind(text, at, name_char);
  else if (c == '\'' || c == '"')
    at = std::min(text.find(c, at + 1), text.size() - 1) + 1;
  else if (c == '.' && dotted_word(text, at))
    at = text.find('.', at + 1) + 1;
  else
    ++at;
  return {std::string(text.substr(begin, at - begin)), name};
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
  for (std::size_t at = 0; at < text.size();) out += next_token(text, at).text;
  return out;
}

std::vector<std::string> identifiers(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();)
    if (auto token = next_token(text, at); token.name) names.push_back(std::move(token.text));
  return names;
}

bool is_name(std::string_view text) {
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), name_char);
}

bool is_integer(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), digit);
}

/// The first `wanted` from `from` on that stands outside of quotes, and behind which no parenthesis is open
/// that was opened there; npos where there is none.
static std::size_t find_outside(std::string_view text, char wanted, std::size_t from = 0) {
  int depth = 0;
  char quote = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == wanted && depth == 0) return i;
  }
  return std::string_view::npos;
}

std::size_t closing_parenthesis(std::string_view text, std::size_t open) {
  return find_outside(text, ')', open);
}

std::size_t top_level_equals(std::string_view text) { return find_outside(text, '='); }

std::vector<std::string> split_arguments(std::string_view list) {
  std::vector<std::string> parts;
  for (bool more = !list.empty(); more;) {
    const auto comma = find_outside(list, ',');
    parts.emplace_back(list.substr(0, comma));
    more = comma != std::string_view::npos;
    if (more) list.remove_prefix(comma + 1);
  }
  return parts;
}

std::string take_type(std::string_view& text) {
  static constexpr std::array types = {"DOUBLEPRECISION", "DOUBLECOMPLEX", "REAL",      "INTEGER",
                                       "LOGICAL",         "COMPLEX",       "CHARACTER", "BYTE"};
  for (const std::string_view name : types) {
    if (!text.starts_with(name)) continue;
    std::size_t end = name.size();
    const bool length = text.substr(end).starts_with('*');
    if (length) ++end;
    if (text.substr(end).starts_with('('))
      end = closing_parenthesis(text, end) + 1;
    else if (length)
      end = behind(text, end, digit);
    std::string type(text.substr(0, end));  // none where the parenthesis does not close
    text.remove_prefix(end);
    return type;
  }
  return {};
}

std::optional<Reference> parse_reference(std::string_view text) {
  if (is_name(text)) return Reference{std::string(text), std::nullopt};
  const auto open = text.find('(');
  if (open == std::string_view::npos || !is_name(text.substr(0, open))) return std::nullopt;
  if (closing_parenthesis(text, open) != text.size() - 1) return std::nullopt;
  return Reference{std::string(text.substr(0, open)),
                   std::string(text.substr(open + 1, text.size() - open - 2))};
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

}  // namespace corsika_patches
