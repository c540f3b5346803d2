// C sources as tokens: functions at file scope, and what they are made of. Works on text alone.
#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace corsika_patches {

/// One token of a C text. A preprocessor line is one token, with all lines that a backslash joins to it.
struct CToken {
  enum class Kind { word, number, quoted, sign, directive };
  Kind kind;
  std::string text;  ///< a directive without comments, blanks joined to one
  int line = 0;      ///< counted from 0
  int nesting = 0;   ///< open braces and parentheses in front of it
  int branch = 0;    ///< index into CSource::branches(); 0 is outside of all conditionals
};

/// A function that is defined at file scope, as ranges of tokens.
struct CFunction {
  std::string name;
  std::size_t begin = 0;            ///< the first token of its head
  std::size_t open = 0, close = 0;  ///< the parentheses around its parameters
  std::size_t end = 0;              ///< behind the brace that closes its body
  int line = 0;                     ///< of its name, counted from 0
};

/// A C text without comments and white space. Takes K&R and ANSI heads, and conditionals that cut through
/// heads and bodies: of two branches, the braces of the first count.
class CSource {
 public:
  explicit CSource(std::string_view text);

  const std::vector<CToken>& tokens() const { return tokens_; }
  /// For each branch of a conditional the directives that lead to it, outermost first.
  const std::vector<std::string>& branches() const { return branches_; }

  /// The functions of that name that are defined here, in all branches of conditionals.
  std::vector<CFunction> functions(std::string_view name) const;
  /// Parameters that a function has in any build: those that stand under a further condition do not count.
  int parameter_count(const CFunction& function) const;
  /// Line (from 0) of the first use of one of these names outside of preprocessor lines; if it stands in
  /// conditionals, the line of the outermost #if. Lines put before it apply to all uses. -1: no use.
  int first_line_with(const std::vector<std::string>& names) const;

 private:
  void parse(std::string_view text);
  void add(CToken::Kind kind, std::string text, int line);
  void add_directive(std::string text, int line);
  std::size_t behind_group(std::size_t open) const;
  std::size_t body_behind(std::size_t close) const;
  std::size_t next(std::size_t at) const;

  struct Conditional {
    std::string first;  ///< its #if line
    int line = 0;
    int around = 0;           ///< the branch in which it stands
    int nesting = 0;          ///< in front of it
    int nesting_behind = -1;  ///< at the end of its first branch; -1 until that is reached
  };
  std::vector<CToken> tokens_;
  std::vector<std::string> branches_{""};
  std::vector<int> outermost_{-1};  ///< by branch: line of the outermost conditional
  std::vector<Conditional> open_;
  std::set<int> inside_;  ///< lines that begin inside a comment, or continue the one before
  int nesting_ = 0;
  int branch_ = 0;
};

/// The tokens of a text, one a line: the text without comments and blanks.
std::string text_of(const CSource& source);

}  // namespace corsika_patches
