// Walks a pattern and a text side by side; nothing is tried twice, for each placeholder takes all that it
// can.
#include "corsika_patches/statement_pattern.h"

#include "corsika_patches/characters.h"

namespace corsika_patches {
namespace {

bool capital(char c) { return c >= 'A' && c <= 'Z'; }

/// The characters at the beginning that `belongs` takes; they are passed.
template <typename Belongs>
std::string_view take(std::string_view& text, Belongs&& belongs) {
  std::size_t size = 0;
  while (size < text.size() && belongs(text[size])) ++size;
  const auto out = text.substr(0, size);
  text.remove_prefix(size);
  return out;
}

/// One placeholder; false where the text does not go on like that.
bool take_placeholder(std::string_view& text, char kind, std::string_view value,
                      std::vector<std::string>& taken) {
  std::string_view got;
  switch (kind) {
    case 's':
      got = take_literal(text, "JSEQ") ? std::string_view("JSEQ") : take(text, digit);
      break;
    case 'w':
      got = take(text, word);
      break;
    case 'n':
      if (!text.empty() && capital(text.front())) got = take(text, word);
      break;
    case 'd':
      taken.emplace_back(take(text, digit));
      return true;
    case '=':
      return !taken.empty() && take_literal(text, taken.front());
    case 'v':
      return !value.empty() && take_literal(text, value);
    case '0':
    case '1':
      if (!take_literal(text, std::string_view(&kind, 1))) return false;
      take_literal(text, ".");
      return true;
    case ',':
      take_literal(text, ",");
      return true;
    default:
      return false;
  }
  taken.emplace_back(got);
  return !got.empty();
}

}  // namespace

bool matches(std::string_view text, std::string_view pattern, std::string_view value,
             std::vector<std::string>& taken) {
  taken.clear();
  while (!pattern.empty()) {
    if (pattern.front() == '%' && pattern.size() > 1) {
      if (!take_placeholder(text, pattern[1], value, taken)) return false;
      pattern.remove_prefix(2);
    } else {
      if (!take_literal(text, pattern.substr(0, 1))) return false;
      pattern.remove_prefix(1);
    }
  }
  return text.empty();
}

bool matches(std::string_view text, std::string_view pattern) {
  std::vector<std::string> taken;
  return matches(text, pattern, {}, taken);
}

}  // namespace corsika_patches
