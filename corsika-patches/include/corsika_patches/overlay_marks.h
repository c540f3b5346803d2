// The marks around our blocks.
#pragma once
#include <string>
#include <string_view>

namespace corsika_patches {

/// The marks by which our blocks are known: C comments behind the #if, #else and #endif of each.
///
///     #if FLAG /* NAME-overlay begin 3/17 0123456789abcdef */
///     #else /* NAME-overlay else 3 */
///     #endif /* NAME-overlay end 3 */
///
/// The 16 digits are the first of the SHA-256 of what the block holds, so that an edit inside it is seen.
/// `nonl` behind the last number says that the stock text's last line has no line end.
struct Marks {
  static std::string begin(const std::string& macro, const std::string& rules, int number, int count,
                           const std::string& digest);
  static std::string otherwise(const std::string& rules, int number);
  static std::string end(const std::string& rules, int number, bool no_line_end);
  /// Digest of a block: our lines, and the stock text that they stand for.
  static std::string digest(std::string_view ours, std::string_view stock);
};

/// Whether any of our marks is in the text.
bool has_marks(std::string_view text);

/// The text without our blocks: the stock text, with whatever edits were made outside of them.
/// Throws Error with file and line where a block was edited or is not whole.
std::string strip_marks(const std::string& text, const std::string& file);

}  // namespace corsika_patches
