// Cuts a text into lines; drops C comments; puts blocks into a text; reads the bytes of a file.
#include "corsika-patches/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <utility>

#include "support/error.hpp"
#include "support/files.hpp"

namespace corsika_patches {
namespace fs = std::filesystem;

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string_view trim(std::string_view text) {
  const auto first = std::min(text.find_first_not_of(" \t\r"), text.size());
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

TextFile::TextFile(std::string bytes) : bytes_(std::move(bytes)) {
  std::size_t at = 0;
  while (at < bytes_.size()) {
    starts_.push_back(at);
    const auto end = bytes_.find('\n', at);
    at = end == std::string::npos ? bytes_.size() : end + 1;
  }
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

std::string without_c_comments(std::string_view text) {
  std::string out;
  char within = 0;  // '"' or '\'', '/' of a comment down to the line's end, '*' of one that is closed
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool comment = within == '/' || within == '*';
    if (c == '\n' && within != '*') within = 0;
    if (c == '\\' && within != '*') {  // joins lines, or is part of a constant
      if (!comment) out += c;
      if (next == '\n' || !comment) out += next;
      ++i;
    } else if (c == '\n' || !comment) {
      if (within == 0 && c == '/' && (next == '/' || next == '*')) {
        within = next;
        out += ' ';
        ++i;
        continue;
      }
      if (within == c)
        within = 0;
      else if (within == 0 && (c == '"' || c == '\''))
        within = c;
      out += c;
    } else if (within == '*' && c == '*' && next == '/') {
      within = 0;
      ++i;
    }
  }
  return out;
}

int first_line_with(std::string_view text, const std::vector<std::string>& names) {
  const TextFile code(without_c_comments(text));
  int outermost = -1, depth = 0;
  for (int number = 0; number < code.line_count(); ++number) {
    auto line = trim(code.line(number));
    if (take_literal(line, "#")) {
      line = trim(line);
      if (line.starts_with("if") && depth++ == 0) outermost = number;
      if (line.starts_with("endif")) --depth;
    } else if (std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return has_word(line, name); })) {
      return depth > 0 ? outermost : number;
    }
  }
  return -1;
}

int argument_count(std::string_view text, const std::string& function) {
  const std::string code = without_c_comments(text);
  std::smatch found;
  if (code.find(function) == std::string::npos ||
      !std::regex_search(code, found, std::regex("\\b" + function + "\\s*\\(([^)]*)\\)")))
    return 0;
  const auto list = std::regex_replace(found.str(1), std::regex("#if[^#]*#endif"), "");
  return list.empty() ? 0 : 1 + static_cast<int>(std::count(list.begin(), list.end(), ','));
}

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
  int at = 0;
  for (const auto& block : blocks) {
    if (block.last == stock.line_count() - 1 && !stock.has_final_line_end())
      throw support::Error(fmt::format("{}: its last line has no line end; add one", file));
    const int near = std::max(0, std::min(block.first, block.last));
    const bool dos = near < stock.line_count() && stock.line_end(near) == "\r\n";
    const auto add = [&](const std::string& line) { out += line + (dos ? "\r\n" : "\n"); };
    out += stock.range(at, block.first - 1);
    add(fmt::format("#if {} /* {}-overlay begin */", block.macro, block.rules));
    for (const auto& line : block.lines) add(line);
    if (block.last >= block.first) add(fmt::format("#else /* {}-overlay else */", block.rules));
    out += stock.range(block.first, block.last);
    add(fmt::format("#endif /* {}-overlay end */", block.rules));
    at = block.last + 1;
  }
  out += stock.range(at, stock.line_count() - 1);
  return out;
}

}  // namespace corsika_patches
