// Reads every source of a tree and refuses what would still read the state.
#include <fmt/format.h>

#include <algorithm>

#include "corsika-patches/program_units.h"
#include "corsika-patches/statement_text.h"
#include "corsika-patches/tree.h"
#include "support/error.hpp"

namespace corsika_patches {
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

/// A lagged-Fibonacci generator over 97 words shows by its two indices.
bool own_generator(const std::string& big) { return mentions(big, "I97") && mentions(big, "J97"); }

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
      : state_(rules.rules.table("state")),
        routine_(rules.rules.table("call_sites").text("routine")),
        blocks_(blocks) {}

  /// Why a file that it looked at stays as it is; empty where there is nothing to say.
  std::string look(const std::string& file, const std::string& text) const {
    const std::string big = upper(text);
    auto words = state_.list("commons");
    for (const auto& guard : guards_) words.push_back(guard);
    const bool reads_state = any(words, [&](const auto& word) { return mentions(big, word); });
    if (is_below(file, state_.list("left_alone")))
      return reads_state || own_generator(big) || (!routine_.empty() && mentions(big, routine_))
                 ? "a program of its own, not linked into CORSIKA"
                 : "";
    if (any(state_.list("build_products"), [&](const auto& product) { return file.ends_with(product); }))
      return reads_state ? "written by a build from the sources" : "";
    const bool header = file == state_.text("header");
    if (header || blocks_.contains(file)) refuse_reserved_names(file, text);
    if (!reads_state) return own_generator(big) ? "a generator with a state of its own" : "";
    if (header || is_fixed_form(file))
      look_at_fortran(file, text, header);
    else
      look_at_other(file, text, words);
    return "";
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
  const std::string routine_;
  const Names guards_ = state_.list("guards");
  const std::map<std::string, std::vector<Block>>& blocks_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> scan_tree(
    const std::filesystem::path& tree, const RuleSet& rules,
    const std::map<std::string, std::vector<Block>>& blocks) {
  const Scan scan(rules, blocks);
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& file : sources_in(tree))
    if (auto why = scan.look(file, read_bytes(tree / file)); !why.empty())
      out.emplace_back(file, std::move(why));
  return out;
}

}  // namespace corsika_patches
