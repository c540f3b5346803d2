// Writes, finds and takes out the marks of our blocks. Works on texts alone.
#include "corsika_patches/overlay_marks.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "corsika_patches/characters.h"
#include "corsika_patches/text_file.h"
#include "support/checksum.hpp"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

struct Mark {
  std::string word;  ///< begin, else, end
  int number = 0;
  int count = 0;
  std::string digest;
  bool no_line_end = false;
};

/// A whole number of one to six digits, which is passed; nullopt for anything else.
std::optional<int> take_number(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && text[size] >= '0' && text[size] <= '9') ++size;
  if (size < 1 || size > 6) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, size)) value = 10 * value + (c - '0');
  text.remove_prefix(size);
  return value;
}

/// The comment that ends a directive: NAME-overlay WORD NUMBER[/COUNT DIGEST][ nonl].
std::optional<Mark> read_comment(std::string_view text) {
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto name = text.substr(0, blank);
  constexpr std::string_view end_of_name = "-overlay";
  if (!name.ends_with(end_of_name) || name.size() == end_of_name.size() ||
      name.find('\t') != std::string_view::npos)
    return std::nullopt;
  text.remove_prefix(blank + 1);
  Mark mark;
  for (const std::string_view word : {"begin ", "else ", "end "})
    if (take_literal(text, word)) mark.word = word.substr(0, word.size() - 1);
  const auto number = take_number(text);
  if (mark.word.empty() || !number) return std::nullopt;
  mark.number = *number;
  if (mark.word == "begin") {
    if (!take_literal(text, "/")) return std::nullopt;
    const auto count = take_number(text);
    if (!count || !take_literal(text, " ") || text.size() < 16) return std::nullopt;
    mark.count = *count;
    mark.digest = text.substr(0, 16);
    if (mark.digest.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
    text.remove_prefix(16);
  }
  mark.no_line_end = take_literal(text, " nonl");
  return text.empty() ? std::optional(mark) : std::nullopt;
}

std::optional<Mark> read_mark(std::string_view line) {
  if (!line.starts_with('#') || line.find("-overlay ") == std::string_view::npos) return std::nullopt;
  auto directive = line.substr(1);
  if (!take_literal(directive, "if ") && !take_literal(directive, "else ") &&
      !take_literal(directive, "endif "))
    return std::nullopt;
  while (directive.ends_with(' ') || directive.ends_with('\t')) directive.remove_suffix(1);
  const auto open = directive.rfind("/* ");
  if (open == std::string_view::npos || !directive.ends_with(" */")) return std::nullopt;
  const auto comment = directive.substr(open + 3);
  if (comment.size() < 3) return std::nullopt;
  return read_comment(comment.substr(0, comment.size() - 3));
}

}  // namespace

std::string Marks::begin(const std::string& macro, const std::string& rules, int number, int count,
                         const std::string& digest) {
  return fmt::format("#if {} /* {}-overlay begin {}/{} {} */", macro, rules, number, count, digest);
}
std::string Marks::otherwise(const std::string& rules, int number) {
  return fmt::format("#else /* {}-overlay else {} */", rules, number);
}
std::string Marks::end(const std::string& rules, int number, bool no_line_end) {
  return fmt::format("#endif /* {}-overlay end {}{} */", rules, number, no_line_end ? " nonl" : "");
}
std::string Marks::digest(std::string_view ours, std::string_view stock) {
  std::string both(ours);
  both += '\0';
  both += stock;
  return support::sha256_of_text(both).substr(0, 16);
}

bool has_marks(std::string_view text) {
  for (std::size_t at = text.find("-overlay "); at != std::string_view::npos;
       at = text.find("-overlay ", at + 1)) {
    const auto begin = text.rfind('\n', at);
    const auto first = begin == std::string_view::npos ? 0 : begin + 1;
    auto line = text.substr(first, text.find('\n', at) - first);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (read_mark(line)) return true;
  }
  return false;
}

std::string strip_marks(const std::string& bytes, const std::string& file) {
  const TextFile text{bytes};
  std::string out;
  std::string ours, stock;
  std::optional<Mark> open;
  bool otherwise = false;
  std::set<int> seen;
  int count = 0;
  const auto broken = [&](int line, const std::string& why) {
    return support::Error(
        fmt::format("{}:{}: {}; undo that edit, or take the stock file", file, line + 1, why));
  };
  for (int i = 0; i < text.line_count(); ++i) {
    const auto mark = read_mark(text.line(i));
    if (!mark) {
      if (!open) {
        out += text.raw_line(i);
      } else {
        (otherwise ? stock : ours) += text.raw_line(i);
      }
      continue;
    }
    if (mark->word == "begin") {
      if (open) throw broken(i, "a block of the overlay begins inside another one");
      open = mark;
      otherwise = false;
      ours.clear();
      stock.clear();
      count = mark->count;
      if (!seen.insert(mark->number).second) throw broken(i, "a block of the overlay is there twice");
    } else if (!open || mark->number != open->number || (mark->word == "else" && otherwise)) {
      throw broken(i, "a mark of the overlay is out of place");
    } else if (mark->word == "else") {
      otherwise = true;
    } else {
      if (mark->no_line_end && stock.ends_with('\n')) {
        stock.pop_back();
        if (stock.ends_with('\r')) stock.pop_back();
      }
      if (Marks::digest(ours, stock) != open->digest)
        throw broken(i, fmt::format("block {} of the overlay was edited", open->number));
      out += stock;
      open.reset();
    }
  }
  if (open) throw broken(text.line_count() - 1, "a block of the overlay does not end");
  if (static_cast<int>(seen.size()) != count)
    throw support::Error(
        fmt::format("{}: {} of {} blocks of the overlay are missing; undo that edit, or take the stock file",
                    file, count - static_cast<int>(seen.size()), count));
  return out;
}

}  // namespace corsika_patches
