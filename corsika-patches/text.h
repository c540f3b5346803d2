// A text by lines, C comments and words in it, our #if/#else/#endif blocks in it, and bytes of files.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace corsika_patches {

/// In ASCII, whatever the locale.
constexpr bool digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
constexpr bool word(char c) { return letter(c) || digit(c) || c == '_'; }

/// True if `text` begins with `literal`, which is passed then.
constexpr bool take_literal(std::string_view& text, std::string_view literal) {
  if (!text.starts_with(literal)) return false;
  text.remove_prefix(literal.size());
  return true;
}

std::string upper(std::string_view text);
/// Without blanks, tabs and CR at its ends.
std::string_view trim(std::string_view text);
/// Whether a name stands in a text, with no letter, digit or underscore before or behind it.
bool has_word(std::string_view text, std::string_view word);

/// A text as bytes and as lines. Bytes are never re-encoded, and line ends (LF, CRLF, none after the last
/// line) stay what they are: the lines joined are the bytes.
class TextFile {
 public:
  TextFile() = default;
  explicit TextFile(std::string bytes);

  const std::string& bytes() const { return bytes_; }
  int line_count() const { return static_cast<int>(starts_.size()); }
  /// Line without its line end. Lines count from 0.
  std::string_view line(int index) const;
  /// Line with its line end.
  std::string_view raw_line(int index) const { return range(index, index); }
  /// "\n", "\r\n", or "" for a last line that has none.
  std::string_view line_end(int index) const;
  bool has_final_line_end() const { return bytes_.empty() || bytes_.back() == '\n'; }
  /// The text of lines first to last, with line ends.
  std::string_view range(int first, int last) const;

 private:
  std::string bytes_;
  std::vector<std::size_t> starts_;
};

/// The bytes of a file; an Error that names it where it cannot be read.
std::string read_bytes(const std::filesystem::path& path);

/// A text of C without its comments; a blank stands for each. Lines keep their numbers.
std::string without_c_comments(std::string_view text);

/// Line (from 0) of the first use of one of these names outside of comments and preprocessor lines; if it
/// stands in conditionals, the line of the outermost #if. Lines put before it apply to all uses. -1: no use.
int first_line_with(std::string_view text, const std::vector<std::string>& names);

/// Arguments of a function where it is first named with a list; those under a condition do not count. 0:
/// none, or no such name.
int argument_count(std::string_view text, const std::string& function);

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
///     #if FLAG /* NAME-overlay begin */
///     #else /* NAME-overlay else */
///     #endif /* NAME-overlay end */
///
/// Blocks may come in any order. Throws Error where two overlap, and where one is at a last line without its
/// line end.
std::string apply_blocks(const TextFile& stock, std::vector<Block> blocks, const std::string& file);

}  // namespace corsika_patches
