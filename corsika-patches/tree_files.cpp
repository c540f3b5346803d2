// Finds the sources of a tree, digests of them, and its release in the files that name it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <system_error>

#include "corsika-patches/text.h"
#include "corsika-patches/tree.h"
#include "support/checksum.hpp"
#include "support/error.hpp"

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

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// The beginning of a file in upper case, each run of blanks shortened to its first one.
std::string beginning(const std::filesystem::path& path) {
  auto text = upper(read_bytes(path).substr(0, 20000));
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return is_blank(a) && is_blank(b); }),
             text.end());
  return text;
}

/// How each file says it. The two groups are 7 and 7410, which a file may write without the point.
const std::pair<const char*, const char*> sources[] = {
    {"configure.ac", R"(AC_INIT\s?\(\s?\[?\s?CORSIKA\s?\]?\s?,\s?\[?\s?(\d)\.?(\d{3,4})(?!\w))"},
    {"VERSION", R"((?:^|[^\d.])([5-9])\.?(\d{3,4})(?!\w))"},
    {"src/corsika.F", R"(#\s?DEFINE\s__CVERSION__\s(\d)\.(\d{3,4})(?!\w))"}};

bool has_fortran_ending(const std::string& extension) {
  static const std::set<std::string> known = {".F",   ".f",   ".for", ".FOR", ".f77",
                                              ".F77", ".inc", ".INC", ".ftn"};
  return known.contains(extension);
}
bool is_other_source(const std::string& extension) {
  static const std::set<std::string> known = {".c",   ".C",   ".cc",  ".cpp", ".cxx", ".h",   ".H",  ".hh",
                                              ".hpp", ".f90", ".F90", ".f95", ".F95", ".f03", ".F03"};
  return known.contains(extension);
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

bool is_fixed_form(const std::string& path) {
  return has_fortran_ending(std::filesystem::path(path).extension().string());
}

bool is_below(const std::string& path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return path.starts_with(folder + "/"); });
}

std::vector<std::string> sources_in(const std::filesystem::path& tree) {
  std::vector<std::string> out;
  std::error_code code;
  std::filesystem::recursive_directory_iterator it(
      tree, std::filesystem::directory_options::skip_permission_denied, code);
  if (code) throw support::Error(fmt::format("cannot read {}: {}", tree.string(), code.message()));
  for (const auto end = std::filesystem::recursive_directory_iterator(); it != end; it.increment(code)) {
    if (code) throw support::Error(fmt::format("cannot read {}: {}", tree.string(), code.message()));
    const auto name = it->path().filename().string();
    if (it->is_directory(code)) {
      if (name.starts_with('.')) it.disable_recursion_pending();
      continue;
    }
    const auto extension = it->path().extension().string();
    if (!it->is_regular_file(code) || !(has_fortran_ending(extension) || is_other_source(extension)))
      continue;
    out.push_back(it->path().lexically_relative(tree).generic_string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::pair<std::string, std::string>> source_digests(const std::filesystem::path& tree,
                                                                const Rule& state) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto products = state.list("build_products");
  for (const auto& path : sources_in(tree)) {
    if (is_below(path, state.list("left_alone")) || std::filesystem::path(path).filename() == "config.h" ||
        std::any_of(products.begin(), products.end(), [&](const auto& end) { return path.ends_with(end); }))
      continue;
    const auto kind = is_fixed_form(path) || path == state.text("header") ? SourceKind::fortran
                      : path.ends_with(".c")                              ? SourceKind::c
                                                                          : SourceKind::other;
    out.emplace_back(path, support::sha256_of_text(significant_text(read_bytes(tree / path), kind)));
  }
  return out;
}

std::string read_release(const std::filesystem::path& tree) {
  for (const auto& [file, pattern] : sources) {
    const auto path = tree / file;
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) continue;
    const auto text = beginning(path);
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(pattern))) continue;
    const auto release = found.str(1) + "." + found.str(2);
    if (release[0] != '7' || release[2] < '4' || release[2] > '8')
      throw support::Error(fmt::format(
          "{} says that this is CORSIKA {}; the rules are for releases 7.4 to 7.8", path.string(), release));
    return release;
  }
  return {};
}

}  // namespace corsika_patches
