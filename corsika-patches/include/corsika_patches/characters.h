// Small questions on characters, in ASCII whatever the locale. Touches nothing.
#pragma once

#include <string_view>

namespace corsika_patches {

/// 0 to 9.
constexpr bool digit(char c) { return c >= '0' && c <= '9'; }

/// A to Z, a to z.
constexpr bool letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/// A letter, a digit, or an underscore.
constexpr bool word(char c) { return letter(c) || digit(c) || c == '_'; }

/// True if `text` begins with `literal`, which is passed then.
constexpr bool take_literal(std::string_view& text, std::string_view literal) {
  if (!text.starts_with(literal)) return false;
  text.remove_prefix(literal.size());
  return true;
}

}  // namespace corsika_patches
