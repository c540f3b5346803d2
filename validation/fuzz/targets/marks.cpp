// The patcher's blocks: put into a text and taken out again, and the diff of the two. The input is a text
// behind the blocks that go into it, or a text that may have marks.
#include <charconv>

#include "corsika_patches/edits.h"
#include "corsika_patches/overlay_marks.h"
#include "corsika_patches/unified_diff.h"
#include "fuzz.hpp"

namespace fuzz::marks {
namespace {

using namespace corsika_patches;

/// A number of a diff's head, which is taken off.
int number_behind(std::string_view& text, std::string_view sign) {
  const auto at = text.find(sign);
  fuzz::require(at != std::string_view::npos, "a hunk's head has its numbers", text);
  text.remove_prefix(at + sign.size());
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// What patch(1) makes of `before` by a diff of ours.
std::string patched(const std::string& before, const std::string& diff) {
  const TextFile old(before), lines(diff);
  std::string out;
  int at = 0, last = -1;
  char kind = ' ';
  for (int i = 2; i < lines.line_count(); ++i) {
    auto line = lines.raw_line(i);
    if (line.starts_with("@@ ")) {
      const int from = number_behind(line, "-"), count = number_behind(line, ",");
      const int begin = count == 0 ? from : from - 1;
      fuzz::require(begin >= at && begin <= old.line_count(), "hunks stand one behind the other", diff);
      out += old.range(at, begin - 1);
      at = begin;
      last = begin + count;
      continue;
    }
    if (line.starts_with("\\ ")) {  // no line end behind the line before
      if (kind != '-') out.pop_back();
      continue;
    }
    kind = line.front();
    line.remove_prefix(1);
    if (kind != '+') {
      fuzz::require(at < last, "a hunk has as many lines as its head says", diff);
      const auto stock = old.raw_line(at++);
      fuzz::require(stock == line || std::string(stock) + "\n" == line,
                    "a hunk's stock lines are those of the text", diff);
    }
    if (kind != '-') out += line;
  }
  if (at < old.line_count()) out += old.range(at, old.line_count() - 1);
  return out;
}

std::vector<Block> blocks_of(fuzz::Input& input, int lines) {
  std::vector<Block> blocks;
  int at = 0;
  for (int left = input.byte() % 6; left > 0 && at <= lines; --left) {
    Block block;
    block.macro = "__MACRO__";
    block.rules = "rules";
    block.first = at + input.byte() % 8;
    block.last = block.first - 1 + input.byte() % 4;
    if (block.first > lines || block.last >= lines) break;
    for (int own = input.byte() % 3; own > 0; --own) block.lines.push_back("      CALL OURS");
    at = std::max(block.last, block.first) + 1;
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

FUZZ_TARGET(marks) {
  fuzz::Input whole = input;
  const std::string as_it_is = whole.rest();
  std::string stripped;
  if (!fuzz::refusal([&] { stripped = strip_marks(as_it_is, "input.f"); })) {
    fuzz::require(stripped.size() <= as_it_is.size(), "a text without marks is no longer");
    if (!has_marks(as_it_is)) fuzz::require(stripped == as_it_is, "a text that has no marks stays as it is");
  }

  const std::string head = input.take(16);
  const std::string text = input.rest();
  if (has_marks(text)) return;
  fuzz::Input numbers(reinterpret_cast<const std::uint8_t*>(head.data()), head.size());
  const TextFile stock(text);
  const auto blocks = blocks_of(numbers, stock.line_count());
  std::string after;
  if (fuzz::refusal([&] { after = apply_blocks(stock, blocks, "input.f"); })) return;
  fuzz::require(has_marks(after) == !blocks.empty(), "a text with blocks has marks", after);
  fuzz::require(strip_marks(after, "input.f") == text, "blocks that are taken out leave the stock text",
                after);
  fuzz::require(patched(text, unified_diff(text, after, "input.f")) == after,
                "the diff makes the patched text", unified_diff(text, after, "input.f"));
  fuzz::require(patched(after, unified_diff(after, text, "input.f")) == text,
                "the reverse diff makes the stock text", unified_diff(after, text, "input.f"));
}

}  // namespace fuzz::marks
