// Inserts our #if/#else/#endif blocks into a source file.
#pragma once
#include <string>
#include <vector>

#include "corsika_patches/text_file.h"

namespace corsika_patches {

/// One change to a file: lines that hold while the macro is defined, in place of stock lines or beside them.
///
/// In the file it becomes `#if MACRO`, the lines, `#else`, the stock lines, `#endif`. The stock lines stay as
/// they are.
struct Block {
  std::string macro;
  std::string rules;  ///< name of the rule set, for the marks
  int first = -1;     ///< stock lines first to last (from 0) are replaced; for an insertion, last = first - 1
  int last = -1;
  std::vector<std::string> lines;  ///< without line ends
};

/// The text with all blocks in it, each with marks behind its directives, so that a reader sees what is ours:
///
///     #if FLAG /* NAME-overlay begin 3/17 0123456789abcdef */
///     #else /* NAME-overlay else 3 */
///     #endif /* NAME-overlay end 3 */
///
/// The 16 digits are the first of the SHA-256 of what the block holds. `nonl` behind the last number says
/// that the stock text's last line has no line end. Blocks may come in any order; Error where two overlap.
std::string apply_blocks(const TextFile& stock, std::vector<Block> blocks, const std::string& file);

}  // namespace corsika_patches
