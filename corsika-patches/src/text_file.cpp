// Cuts a text into lines; reads the bytes of a file.
#include "corsika_patches/text_file.h"

#include <fmt/format.h>

#include <utility>

#include "corsika_patches/characters.h"
#include "support/error.hpp"
#include "support/files.hpp"

namespace corsika_patches {
namespace fs = std::filesystem;

TextFile::TextFile(std::string bytes) : bytes_(std::move(bytes)) {
  std::size_t at = 0;
  while (at < bytes_.size()) {
    starts_.push_back(at);
    const auto end = bytes_.find('\n', at);
    at = end == std::string::npos ? bytes_.size() : end + 1;
  }
}

std::string_view TextFile::raw_line(int index) const {
  const auto i = static_cast<std::size_t>(index);
  const std::size_t begin = starts_.at(i);
  const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : bytes_.size();
  return std::string_view(bytes_).substr(begin, end - begin);
}

std::string_view TextFile::line_end(int index) const {
  const auto raw = raw_line(index);
  if (raw.ends_with("\r\n")) return raw.substr(raw.size() - 2);
  if (raw.ends_with('\n')) return raw.substr(raw.size() - 1);
  return {};
}

std::string_view TextFile::line(int index) const {
  const auto raw = raw_line(index);
  return raw.substr(0, raw.size() - line_end(index).size());
}

std::string_view TextFile::line_end_near(int index) const {
  if (starts_.empty()) return "\n";
  if (const auto own = line_end(index); !own.empty()) return own;
  if (index > 0) return line_end(index - 1);
  return "\n";
}

std::string_view TextFile::range(int first, int last) const {
  if (last < first) return {};
  const std::size_t begin = starts_.at(static_cast<std::size_t>(first));
  const auto after = static_cast<std::size_t>(last) + 1;
  const std::size_t end = after < starts_.size() ? starts_[after] : bytes_.size();
  return std::string_view(bytes_).substr(begin, end - begin);
}

bool has_word(std::string_view text, std::string_view word) {
  const auto part = [&](std::size_t i) { return i < text.size() && corsika_patches::word(text[i]); };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !part(at - 1)) && !part(at + word.size())) return true;
  return false;
}

std::string read_bytes(const fs::path& path) {
  std::error_code code;
  if (fs::exists(path, code) && !fs::is_regular_file(path, code))
    throw support::Error(fmt::format("cannot read {}: it is no regular file", path.string()));
  return support::read_file(path);
}

}  // namespace corsika_patches
