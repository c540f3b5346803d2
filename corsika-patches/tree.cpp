// Finds the sources of a tree, digests of them, and its release; refuses what would still read the state.
#include "corsika-patches/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <system_error>

#include "corsika-patches/program_units.h"
#include "corsika-patches/statement_text.h"
#include "corsika-patches/text.h"
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

std::vector<std::string_view> lines_of(const TextFile& text) {
  std::vector<std::string_view> lines;
  for (int i = 0; i < text.line_count(); ++i)
    lines.push_back(text.line(i).substr(0, text.line(i).find_last_not_of(" \r") + 1));
  return lines;
}

/// How each file says it. The two groups are 7 and 7410, which a file may write without the point.
const std::pair<const char*, const char*> sources[] = {
    {"configure.ac", R"(AC_INIT\s*\(\s*\[?\s*CORSIKA\s*\]?\s*,\s*\[?\s*(\d)\.?(\d{3,4})(?!\w))"},
    {"VERSION", R"((?:^|[^\d.])([5-9])\.?(\d{3,4})(?!\w))"},
    {"src/corsika.F", R"(#\s*DEFINE\s+__CVERSION__\s+(\d)\.(\d{3,4})(?!\w))"}};

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

/// Whether a file is fixed-form Fortran by its name's ending.
bool is_fixed_form(const std::string& path) {
  return has_fortran_ending(std::filesystem::path(path).extension().string());
}

/// Whether a file stands in one of some folders.
bool is_below(const std::string& path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return path.starts_with(folder + "/"); });
}

/// All sources and headers of a tree by their names' endings, relative to it, by path; not in hidden folders.
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

}  // namespace

std::string significant_text(std::string_view text, SourceKind kind) {
  const TextFile code(kind == SourceKind::c ? without_c_comments(text) : std::string(text));
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
    const auto text = read_bytes(path).substr(0, 20000);
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(pattern, std::regex::icase))) continue;
    const auto release = found.str(1) + "." + found.str(2);
    if (release[0] != '7' || release[2] < '4' || release[2] > '8')
      throw support::Error(fmt::format(
          "{} says that this is CORSIKA {}; the rules are for releases 7.4 to 7.8", path.string(), release));
    return release;
  }
  return {};
}

namespace {

using Names = std::vector<std::string>;

template <typename Is>
bool any(const Names& names, Is&& is) {
  return std::any_of(names.begin(), names.end(), is);
}

/// Whether the word occurs as a whole identifier; a trailing underscore is C's way to name it.
bool mentions(const std::string& upper_text, const std::string& word) {
  return has_word(upper_text, word) || has_word(upper_text, word + "_");
}

/// Statements have no blanks: the first name sticks to the statement's keyword.
std::string without_keyword(std::string name) {
  for (const std::string_view word : {"DOUBLEPRECISION", "INTEGER", "REAL", "LOGICAL", "CHARACTER",
                                      "DIMENSION", "SUBROUTINE", "FUNCTION", "EXTERNAL", "ENTRY", "CALL"})
    if (name.starts_with(word)) name.erase(0, word.size());
  return name;
}

class Scan {
 public:
  Scan(const RuleSet& rules, const std::map<std::string, std::vector<Block>>& blocks)
      : state_(rules.rules.table("state")), blocks_(blocks) {}

  void look(const std::string& file, const std::string& text) const {
    if (is_below(file, state_.list("left_alone")) ||
        any(state_.list("build_products"), [&](const auto& product) { return file.ends_with(product); }))
      return;
    const bool header = file == state_.text("header");
    if (header || blocks_.contains(file)) refuse_reserved_names(file, text);
    auto words = state_.list("commons");
    words.insert(words.end(), guards_.begin(), guards_.end());
    const std::string big = upper(text);
    if (!any(words, [&](const auto& word) { return mentions(big, word); })) return;
    if (header || is_fixed_form(file))
      look_at_fortran(file, text, header);
    else
      look_at_other(file, text, words);
  }

 private:
  [[noreturn]] static void refuse(const std::string& file, int line, const std::string& what) {
    throw support::Error(fmt::format(
        "{}:{}: {} would still read the generator's state after patching; add a rule for it, or take it out",
        file, line + 1, what));
  }

  bool is_replaced(const std::string& file, int line) const {
    const auto found = blocks_.find(file);
    return found != blocks_.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](const Block& block) { return line >= block.first && line <= block.last; });
  }

  void look_at_fortran(const std::string& file, const std::string& text, bool header) const {
    const SourceFile read(text, true);
    const auto in_routine = [&](int line) {
      for (const auto& unit : read.units)
        if (line >= unit.begin_line && line <= unit.end_line) return " in " + unit.name();
      return std::string();
    };
    for (const auto& d : read.source->directives())
      for (const auto& guard : guards_)
        if (d.defines(guard) && !is_replaced(file, d.line))
          refuse(file, d.line, "#define " + guard + in_routine(d.line));
    for (const auto& s : read.source->statements())
      for (const auto& common : state_.list("commons"))
        if (s.text.find("/" + common + "/") != std::string::npos && !is_replaced(file, s.first) &&
            !(header && is_guarded(*read.source, s)))
          refuse(file, s.first, "COMMON /" + common + "/" + in_routine(s.first));
  }

  bool is_guarded(const FixedFormSource& source, const Statement& s) const {
    for (const int branch : source.path(0, s.branch))
      if (const auto& condition = source.branch(branch).condition; any(guards_, [&](const auto& guard) {
            return condition == guard || condition == "defined(" + guard + ")" ||
                   condition == "defined " + guard;
          }))
        return true;
    return false;
  }

  static void look_at_other(const std::string& file, const std::string& text, const Names& words) {
    const TextFile code(upper(without_c_comments(text)));
    for (int i = 0; i < code.line_count(); ++i) {
      const std::string line(trim(code.line(i)));
      if (line.starts_with("!")) continue;
      for (const auto& word : words)
        if (mentions(line, word)) refuse(file, i, word);
    }
  }

  /// Names that the includes own must not be in use in what is compiled together with them.
  void refuse_reserved_names(const std::string& file, const std::string& text) const {
    const FixedFormSource source{TextFile(text)};
    const auto reserved = state_.text("reserved");
    const auto look = [&](int line, const std::string& name) {
      if (name.starts_with(reserved))
        throw support::Error(fmt::format(
            "{}:{}: the name {} is in use; names that begin with {} belong to the overlay: rename it", file,
            line + 1, name, reserved));
    };
    for (const auto& s : source.statements())
      if (s.text.find(reserved) != std::string::npos)
        for (const auto& name : identifiers(s.text)) look(s.first, without_keyword(name));
    for (const auto& d : source.directives())
      if (d.keyword != "include")
        for (const auto& name : identifiers(upper(d.rest))) look(d.line, name);
  }

  const Rule state_;
  const Names guards_ = state_.list("guards");
  const std::map<std::string, std::vector<Block>>& blocks_;
};

}  // namespace

void scan_tree(const std::filesystem::path& tree, const RuleSet& rules,
               const std::map<std::string, std::vector<Block>>& blocks) {
  const Scan scan(rules, blocks);
  for (const auto& file : sources_in(tree)) scan.look(file, read_bytes(tree / file));
}

}  // namespace corsika_patches
