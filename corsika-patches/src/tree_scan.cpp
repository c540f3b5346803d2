// Reads every source of a tree and refuses what would still read the state.
#include "corsika_patches/tree_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "corsika_patches/c_text.h"
#include "corsika_patches/fixed_form.h"
#include "corsika_patches/program_units.h"
#include "corsika_patches/statement_text.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

namespace fs = std::filesystem;

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

/// Whether the word occurs as a whole identifier; a trailing underscore is C's way to name it.
bool mentions(const std::string& upper_text, const std::string& word) {
  return has_word(upper_text, word) || has_word(upper_text, word + "_");
}

class Scan {
 public:
  Scan(const fs::path& tree, const RuleSet& rules, const ReplacedLines& replaced)
      : tree_(tree), rules_(rules), replaced_(replaced) {}

  std::vector<LeftAlone> run() {
    for (const auto& file : sources_in(tree_)) look(file);
    return left_;
  }

 private:
  void look(const std::string& file) {
    const auto done = replaced_.find(file);
    const std::string text = read_bytes(tree_ / file);
    const std::string big = upper(text);
    std::vector<std::string> words = rules_.state.commons;
    words.insert(words.end(), rules_.state.guards.begin(), rules_.state.guards.end());
    const bool state =
        std::any_of(words.begin(), words.end(), [&](const auto& w) { return mentions(big, w); });
    const auto routine = rules_.call_sites ? rules_.call_sites->routine : std::string();
    const bool outside = std::any_of(rules_.state.left_alone.begin(), rules_.state.left_alone.end(),
                                     [&](const auto& folder) { return file.starts_with(folder + "/"); });
    if (outside) {
      if (state || (!routine.empty() && mentions(big, routine)) || own_generator(big))
        left_.push_back({file, "a program of its own, not linked into CORSIKA"});
      return;
    }
    for (const auto& product : rules_.state.build_products) {
      if (!file.ends_with(product)) continue;
      if (state) left_.push_back({file, "written by a build from the sources"});
      return;
    }
    const auto extension = fs::path(file).extension().string();
    const bool fortran = has_fortran_ending(extension) || file == rules_.state.header;
    if (done != replaced_.end() || file == rules_.state.header) reserved_names(file, text);
    if (!state) {
      if (own_generator(big)) left_.push_back({file, "a generator with a state of its own"});
      return;
    }
    if (fortran) {
      look_at_fortran(file, text, done == replaced_.end() ? nullptr : &done->second);
    } else {
      look_at_other(file, text, words);
    }
  }

  /// A lagged-Fibonacci generator over 97 words shows by its two indices.
  static bool own_generator(const std::string& big) { return mentions(big, "I97") && mentions(big, "J97"); }

  void look_at_fortran(const std::string& file, const std::string& text,
                       const std::vector<std::pair<int, int>>* done) const {
    const FixedFormSource source{TextFile(text)};
    const auto units = find_units(source);
    const auto replaced = [&](int line) {
      return done != nullptr && std::any_of(done->begin(), done->end(), [&](const auto& range) {
               return line >= range.first && line <= range.second;
             });
    };
    const auto refuse = [&](int line, const std::string& what) {
      std::string routine;
      for (const auto& unit : units)
        if (line >= unit.begin_line && line <= unit.end_line) routine = " in " + unit.name();
      throw support::Error(fmt::format(
          "{}:{}: {}{} would still read the generator's state after patching; add a rule for it, or take it "
          "out",
          file, line + 1, what, routine));
    };
    for (const auto& d : source.directives()) {
      if (d.keyword != "define" || replaced(d.line)) continue;
      for (const auto& guard : rules_.state.guards)
        if (d.rest == guard || d.rest.starts_with(guard + " ")) refuse(d.line, "#define " + guard);
    }
    for (const auto& s : source.statements()) {
      if (replaced(s.first) || (file == rules_.state.header && guarded(source, s))) continue;
      for (const auto& common : rules_.state.commons)
        if (s.text.find("/" + common + "/") != std::string::npos) refuse(s.first, "COMMON /" + common + "/");
    }
  }

  bool guarded(const FixedFormSource& source, const Statement& s) const {
    for (const int branch : source.path(0, s.branch)) {
      const auto& b = source.branches()[static_cast<std::size_t>(branch)];
      for (const auto& guard : rules_.state.guards)
        if (b.condition == guard || b.condition == "defined(" + guard + ")" ||
            b.condition == "defined " + guard)
          return true;
    }
    return false;
  }

  static void look_at_other(const std::string& file, const std::string& text,
                            const std::vector<std::string>& words) {
    const TextFile code(upper(without_c_comments(text)));
    for (int i = 0; i < code.line_count(); ++i) {
      const auto line = std::string(code.line(i));
      if (trim(line).starts_with("!")) continue;
      for (const auto& word : words)
        if (mentions(line, word))
          throw support::Error(fmt::format(
              "{}:{}: {} would still read the generator's state after patching; add a rule for it, or take "
              "it out",
              file, i + 1, word));
    }
  }

  /// Statements have no blanks: the first name sticks to the statement's keyword.
  static std::string without_keyword(std::string name) {
    for (const std::string_view word : {"DOUBLEPRECISION", "INTEGER", "REAL", "LOGICAL", "CHARACTER",
                                        "DIMENSION", "SUBROUTINE", "FUNCTION", "EXTERNAL", "ENTRY", "CALL"})
      if (name.starts_with(word)) name.erase(0, word.size());
    return name;
  }

  /// Names that the includes own must not be in use in what is compiled together with them.
  void reserved_names(const std::string& file, const std::string& text) const {
    if (rules_.state.reserved.empty()) return;
    const FixedFormSource source{TextFile(text)};
    const auto refuse = [&](int line, const std::string& name) {
      throw support::Error(fmt::format(
          "{}:{}: the name {} is in use; names that begin with {} belong to the overlay: rename it", file,
          line + 1, name, rules_.state.reserved));
    };
    for (const auto& s : source.statements()) {
      if (s.text.find(rules_.state.reserved) == std::string::npos) continue;
      for (const auto& name : identifiers(s.text))
        if (const auto own = without_keyword(name); own.starts_with(rules_.state.reserved))
          refuse(s.first, own);
    }
    for (const auto& d : source.directives()) {
      const auto rest = d.keyword == "include" ? std::string() : upper(d.rest);
      for (const auto& name : identifiers(rest))
        if (name.starts_with(rules_.state.reserved)) refuse(d.line, name);
    }
  }

  const fs::path tree_;
  const RuleSet& rules_;
  const ReplacedLines& replaced_;
  std::vector<LeftAlone> left_;
};

}  // namespace

bool is_fixed_form(const std::string& path) {
  return has_fortran_ending(fs::path(path).extension().string());
}

std::vector<std::string> sources_in(const fs::path& tree) {
  std::vector<std::string> out;
  std::error_code code;
  fs::recursive_directory_iterator it(tree, fs::directory_options::skip_permission_denied, code);
  if (code) throw support::Error(fmt::format("cannot read {}: {}", tree.string(), code.message()));
  for (const auto end = fs::recursive_directory_iterator(); it != end; it.increment(code)) {
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

std::vector<LeftAlone> scan_tree(const fs::path& tree, const RuleSet& rules, const ReplacedLines& replaced) {
  return Scan(tree, rules, replaced).run();
}

}  // namespace corsika_patches
