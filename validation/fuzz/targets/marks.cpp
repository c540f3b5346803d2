// The patcher's blocks: put into a text and taken out again. The input is a text behind the blocks that go
// into it.
#include "corsika-patches/text.h"
#include "fuzz.hpp"
#include "sample_tree.h"

namespace fuzz::marks {
namespace {

using namespace corsika_patches;

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
  const std::string head = input.take(16);
  const std::string text = input.rest();
  if (text.find("-overlay ") != std::string::npos) return;
  fuzz::Input numbers(reinterpret_cast<const std::uint8_t*>(head.data()), head.size());
  const TextFile stock(text);
  const auto blocks = blocks_of(numbers, stock.line_count());
  std::string after;
  if (fuzz::refusal([&] { after = apply_blocks(stock, blocks, "input.f"); })) return;
  fuzz::require((after == text) == blocks.empty(), "a text with blocks is another", after);
  fuzz::require(sample::without_blocks(after) == text, "without the blocks it is the stock text", after);
}

}  // namespace fuzz::marks
