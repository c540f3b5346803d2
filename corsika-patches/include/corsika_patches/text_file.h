// A text by lines, and bytes of files.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace corsika_patches {

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
  std::string_view raw_line(int index) const;
  /// "\n", "\r\n", or "" for a last line that has none.
  std::string_view line_end(int index) const;
  /// The line end to give a line that is put beside this one.
  std::string_view line_end_near(int index) const;
  bool has_final_line_end() const { return bytes_.empty() || bytes_.back() == '\n'; }
  /// The text of lines first to last, with line ends.
  std::string_view range(int first, int last) const;

 private:
  std::string bytes_;
  std::vector<std::size_t> starts_;
};

/// Whether a name stands in a text, with no letter, digit or underscore before or behind it.
bool has_word(std::string_view text, std::string_view word);

/// The bytes of a file; an Error that names it where it cannot be read.
std::string read_bytes(const std::filesystem::path& path);

}  // namespace corsika_patches
