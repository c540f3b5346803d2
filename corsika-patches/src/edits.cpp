// Puts blocks into a text.
#include "corsika_patches/edits.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/checksum.hpp"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

/// Of a block: our lines, and the stock text that they stand for.
std::string digest(std::string ours, std::string_view stock) {
  ours += '\0';
  ours += stock;
  return support::sha256_of_text(ours).substr(0, 16);
}

}  // namespace

std::string apply_blocks(const TextFile& stock, std::vector<Block> blocks, const std::string& file) {
  std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) {
    return a.first != b.first ? a.first < b.first
                              : a.last < b.last;  // an insertion goes before what begins there
  });
  for (std::size_t i = 1; i < blocks.size(); ++i)
    if (blocks[i].first <= blocks[i - 1].last)
      throw support::Error(
          fmt::format("{}:{}: two rules want to change the same lines; use rule files that do not overlap",
                      file, blocks[i].first + 1));
  std::string out;
  out.reserve(stock.bytes().size() + 1024 * blocks.size());
  int at = 0;
  int number = 0;
  for (const auto& block : blocks) {
    ++number;
    out += stock.range(at, block.first - 1);
    const bool replaces = block.last >= block.first;
    if (block.first == stock.line_count() && !stock.has_final_line_end())
      throw support::Error(fmt::format("{}: its last line has no line end; add one", file));
    const int near = std::max(0, replaces ? block.first : block.first - 1);
    const auto end = std::string(stock.line_end_near(near));
    std::string ours;
    for (const auto& line : block.lines) ours += line + end;
    const auto old = replaces ? stock.range(block.first, block.last) : std::string_view{};
    const bool no_line_end = replaces && !old.ends_with('\n');
    if (no_line_end && old.ends_with('\r'))
      throw support::Error(
          fmt::format("{}: its last line ends with half a line end (CR alone); add LF", file));
    out += fmt::format("#if {} /* {}-overlay begin {}/{} {} */", block.macro, block.rules, number,
                       blocks.size(), digest(ours, old)) +
           end;
    out += ours;
    if (replaces) {
      out += fmt::format("#else /* {}-overlay else {} */", block.rules, number) + end;
      out += old;
      if (no_line_end) out += end;
    }
    out += fmt::format("#endif /* {}-overlay end {}{} */", block.rules, number, no_line_end ? " nonl" : "");
    if (!no_line_end) out += end;
    at = replaces ? block.last + 1 : block.first;
  }
  out += stock.range(at, stock.line_count() - 1);
  return out;
}

}  // namespace corsika_patches
