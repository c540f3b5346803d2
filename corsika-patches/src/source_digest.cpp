// Digests of whole sources: see the header.
#include "corsika_patches/source_digest.h"

#include <algorithm>

#include "corsika_patches/c_text.h"
#include "corsika_patches/text_file.h"
#include "corsika_patches/tree_scan.h"
#include "support/checksum.hpp"

namespace corsika_patches {
namespace {

constexpr std::size_t kCode = 6, kLast = 72;  // columns of fixed form: where code begins, and how many count

/// Whether the preprocessor or the compiler may read a comment.
bool is_read(std::string_view comment) {
  return comment.find("/*") != std::string_view::npos || comment.find("*/") != std::string_view::npos ||
         comment.ends_with('\\') || comment.substr(0, kCode).find('$') != std::string_view::npos;
}

/// A line with each run of blanks behind column `first` as one.
std::string with_single_blanks(std::string_view line, std::size_t first) {
  std::string out(line.substr(0, first));
  for (const char c : line.substr(out.size()))
    if (c != ' ' || out.size() == first || out.back() != ' ') out += c;
  return out;
}

std::string fortran_text(const std::vector<std::string_view>& lines) {
  std::string out;
  bool joined = false, quoted = false;  // to the line before; a quote stands in this statement
  for (auto line : lines) {
    const bool directive = joined || line.starts_with('#');
    if (!directive && line.find_first_not_of(' ') == std::string_view::npos) continue;
    if (!directive && std::string_view("Cc*!").find(line.front()) != std::string_view::npos) {
      if (!is_read(line)) continue;
      out += line;
    } else if (directive || line.find('\t') != std::string_view::npos) {
      out += line;
    } else {
      const bool continued = line.size() > kCode - 1 && line[kCode - 1] != ' ' && line[kCode - 1] != '0';
      quoted = (quoted && continued) || line.find_first_of("'\"") != std::string_view::npos;
      const auto mark = line.find('!');
      if (!quoted && mark != std::string_view::npos && mark != kCode - 1 && !is_read(line.substr(mark)))
        line = line.substr(0, line.substr(0, mark).find_last_not_of(' ') + 1);
      if (line.empty()) continue;
      out += quoted || line.size() > kLast ? std::string(line) : with_single_blanks(line, kCode);
    }
    joined = line.ends_with('\\');
    out += '\n';
  }
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    lines.push_back(line.substr(0, line.find_last_not_of(" \r") + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::string significant_text(std::string_view text, SourceKind kind) {
  const std::string code = kind == SourceKind::c ? without_c_comments(text) : std::string(text);
  const auto lines = lines_of(code);
  if (kind == SourceKind::fortran) return fortran_text(lines);
  std::string out;
  for (const auto line : lines) {
    const bool quoted = line.find_first_of("'\"") != std::string_view::npos;
    if (kind == SourceKind::other || quoted)
      out.append(line) += '\n';
    else if (const auto first = line.find_first_not_of(" \t"); first != std::string_view::npos)
      out += with_single_blanks(line.substr(first), 0) + '\n';
  }
  return out;
}

std::vector<SourceDigest> source_digests(const std::filesystem::path& tree, const StateRule& state) {
  std::vector<SourceDigest> out;
  for (const auto& path : sources_in(tree)) {
    const std::string name = std::filesystem::path(path).filename();
    const auto is_in = [&](const std::string& folder) { return path.starts_with(folder + "/"); };
    const auto ends_so = [&](const std::string& end) { return path.ends_with(end); };
    if (std::any_of(state.left_alone.begin(), state.left_alone.end(), is_in) ||
        std::any_of(state.build_products.begin(), state.build_products.end(), ends_so) || name == "config.h")
      continue;
    const auto text = read_bytes(tree / path);
    const auto kind = is_fixed_form(path) || path == state.header ? SourceKind::fortran
                      : path.ends_with(".c")                      ? SourceKind::c
                                                                  : SourceKind::other;
    out.push_back({path, support::sha256_of_text(significant_text(text, kind))});
  }
  return out;
}

}  // namespace corsika_patches
