// Fixed-form Fortran with preprocessor lines, as statements, directives and conditionals. Line numbers count
// from 0.
#pragma once
#include <string>
#include <vector>

#include "corsika_patches/text_file.h"

namespace corsika_patches {

/// One branch of a preprocessor conditional. Branch 0 is the whole file.
struct CppBranch {
  int parent = -1;
  int group = -1;         ///< the conditional that it is a branch of
  std::string keyword;    ///< if, ifdef, ifndef, elif, else
  std::string condition;  ///< as written, blanks at its ends removed, blanks inside single
  int line = -1;          ///< line of the directive that opens the branch
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
};

/// Statements and directives in file order.
struct Item {
  enum class Kind { statement, directive } kind;
  int index;
};

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
  const std::vector<Item>& items() const { return items_; }
  const std::vector<CppBranch>& branches() const { return branches_; }
  const std::vector<CppGroup>& groups() const { return groups_; }

  /// Line of a conditional that does not close, or closes nothing; -1 where all is well.
  int unbalanced_line() const { return unbalanced_line_; }
  /// Whether `branch` is `ancestor` or stands inside it.
  bool within(int branch, int ancestor) const;
  /// The branches from just below `ancestor` down to `branch`.
  std::vector<int> path(int ancestor, int branch) const;
  /// Their keywords and conditions, as written.
  std::vector<std::string> conditions(int ancestor, int branch) const;

 private:
  void parse();
  int parse_directive(int line);
  void parse_code(int line, std::string_view code);

  TextFile text_;
  std::vector<Statement> statements_;
  std::vector<Directive> directives_;
  std::vector<Item> items_;
  std::vector<CppBranch> branches_;
  std::vector<CppGroup> groups_;
  int unbalanced_line_ = -1;
  int branch_ = 0;
  char quote_ = 0;
  bool open_statement_ = false;
  bool directive_since_ = false;
};

}  // namespace corsika_patches
