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

/// The text with all blocks in it, marked so that they can be found and removed again (overlay_marks.h).
/// Blocks may come in any order; Error where two overlap.
std::string apply_blocks(const TextFile& stock, std::vector<Block> blocks, const std::string& file);

}  // namespace corsika_patches
