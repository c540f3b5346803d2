#include "corsika_patches/overlay_marks.h"

#include <fmt/format.h>

#include <optional>
#include <regex>
#include <set>

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

std::optional<Mark> read_mark(std::string_view line) {
  if (!line.starts_with('#') || line.find("-overlay ") == std::string_view::npos) return std::nullopt;
  static const std::regex form(
      R"(^#(?:if|else|endif)\b.*/\* \S+-overlay (begin|else|end) (\d{1,6})(?:/(\d{1,6}) ([0-9a-f]{16}))?( nonl)? \*/[ \t]*$)");
  std::match_results<std::string_view::const_iterator> m;
  if (!std::regex_match(line.begin(), line.end(), m, form)) return std::nullopt;
  Mark mark;
  mark.word = m[1];
  mark.number = std::stoi(m[2]);
  if (m[3].matched) mark.count = std::stoi(m[3]);
  mark.digest = m[4];
  mark.no_line_end = m[5].matched;
  if ((mark.word == "begin") != m[3].matched) return std::nullopt;
  return mark;
}

}  // namespace

std::string Marks::begin(const std::string& flag, const std::string& rules, int number, int count,
                         const std::string& digest) {
  return fmt::format("#if {} /* {}-overlay begin {}/{} {} */", flag, rules, number, count, digest);
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
