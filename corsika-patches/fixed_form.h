// Fixed-form Fortran with preprocessor lines, as statements, directives and conditionals. Line numbers count
// from 0.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "corsika-patches/text.h"

namespace corsika_patches {

/// One branch of a preprocessor conditional. Branch 0 is the whole file.
struct CppBranch {
  int parent = -1;
  int group = -1;         ///< the conditional that it is a branch of
  std::string keyword;    ///< if, ifdef, ifndef, elif, else
  std::string condition;  ///< as written, blanks at its ends removed, blanks inside single
};

/// One whole conditional, from its #if to its #endif.
struct CppGroup {
  int parent = 0;  ///< branch in which the #if stands
  int open = -1;
  int close = -1;
};

/// One Fortran statement, joined from its continuation lines.
struct Statement {
  std::string label;
  std::string text;    ///< canonical, see statement_text.h
  int first = -1;      ///< line of its initial line
  int last = -1;       ///< line of its last continuation line
  int branch = 0;      ///< conditional branch that it stands in
  bool split = false;  ///< a directive stands between its lines
};

struct Directive {
  std::string keyword;  ///< without the #
  std::string rest;
  int line = -1;
  int last = -1;   ///< differs from line where the directive is continued by a backslash
  int branch = 0;  ///< branch that it stands in (for if, elif, else, endif: the one around the conditional)
  bool defines(const std::string& macro) const {
    return keyword == "define" && (rest == macro || rest.starts_with(macro + " "));
  }
};

/// Ordered: "and" is the least, "or" the greatest.
enum class Truth : int { no, perhaps, yes };
constexpr Truth opposite(Truth truth) { return static_cast<Truth>(2 - static_cast<int>(truth)); }
/// Truth of the macro with this name.
using MacroTruth = std::function<Truth(const std::string&)>;

/// Fixed-form Fortran with preprocessor lines: comments dropped, continuation lines joined, conditionals
/// nested.
///
/// Takes tabs, CRLF, lower case, any bytes in comments, C comments at the start of a line. Knows nothing of
/// what the statements mean.
class FixedFormSource {
 public:
  explicit FixedFormSource(TextFile text);

  const TextFile& text() const { return text_; }
  const std::vector<Statement>& statements() const { return statements_; }
  const std::vector<Directive>& directives() const { return directives_; }
  const std::vector<CppBranch>& branches() const { return branches_; }
  const std::vector<CppGroup>& groups() const { return groups_; }

  const Statement& statement(int index) const { return statements_[static_cast<std::size_t>(index)]; }
  const CppBranch& branch(int index) const { return branches_[static_cast<std::size_t>(index)]; }
  /// The conditional that a branch, which is not the whole file, belongs to.
  const CppGroup& group_of(const CppBranch& branch) const {
    return groups_[static_cast<std::size_t>(branch.group)];
  }

  /// Line of a conditional that does not close, or closes nothing; -1 where all is well.
  int unbalanced_line() const { return unbalanced_line_; }
  /// Whether `branch` is `ancestor` or stands inside it.
  bool within(int branch, int ancestor) const;
  /// The branches from just below `ancestor` down to `branch`.
  std::vector<int> path(int ancestor, int branch) const;
  /// Their keywords and conditions, as written.
  std::vector<std::string> conditions(int ancestor, int branch) const;
  /// Whether the lines of a branch, which is not the whole file, are left in where the lines around its
  /// conditional are. Throws Error where a condition is more than it can read.
  Truth truth_in_parent(int branch, const MacroTruth& macros) const;
  /// Whether they are left in where the macros in `on` are 1 and all others are not defined. Throws as above.
  bool is_active(int branch, const std::set<std::string>& on) const;

 private:
  void parse();
  int parse_directive(int line);
  void parse_code(int line, std::string_view code);

  TextFile text_;
  std::vector<Statement> statements_;
  std::vector<Directive> directives_;
  std::vector<CppBranch> branches_;
  std::vector<CppGroup> groups_;
  int unbalanced_line_ = -1;
  int branch_ = 0;
  char quote_ = 0;
  bool open_statement_ = false;
  bool directive_since_ = false;
};

/// Value of an `#if` condition. Knows names, whole numbers, defined, !, &&, || and parentheses; an Error for
/// anything else.
Truth truth_of(std::string_view condition, const MacroTruth& macros);
/// The same where the macros in `on` are 1 and all others are not defined.
bool holds(std::string_view condition, const std::set<std::string>& on);

}  // namespace corsika_patches
