// Sorts the declarations of a header by the macro that asks for them.
#include "corsika_patches/header_blocks.h"

namespace corsika_patches {

HeaderBlocks::HeaderBlocks(const FixedFormSource& header) {
  for (const auto& statement : header.statements()) {
    const auto path = header.path(0, statement.branch);
    if (path.empty()) continue;
    const auto& outer = header.branches()[static_cast<std::size_t>(path.front())];
    if (outer.keyword != "ifdef") continue;
    auto& block = blocks_[outer.condition];
    if (statement.split || path.size() != 1) {
      block.add_uncertain(statement.text);
    } else {
      block.add(statement.text);
    }
  }
}

}  // namespace corsika_patches
