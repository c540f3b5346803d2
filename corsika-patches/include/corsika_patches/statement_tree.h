// Statements and conditionals of a routine as a tree of blocks. Of names it knows only which ones a statement
// reads and writes.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace corsika_patches {

/// One statement or one directive of a conditional.
struct CodeLine {
  std::string text;  ///< canonical (statement_text.h) statement, or the directive without its #
  bool cpp = false;
  std::string label;
  int line = 0;  ///< counted from 0
};

/// A statement, or a block with its branches: IF, DO or a preprocessor conditional.
struct StatementNode {
  std::string text;      ///< the statement; for a block, the heads of its branches one after the other
  bool barrier = false;  ///< may not change places with anything
  std::set<std::string> reads, writes;
  struct Branch {
    std::string head;
    std::vector<StatementNode> body;
  };
  std::vector<Branch> branches;
};

/// Whether two nodes must stay in their order: one writes what the other reads or writes.
bool conflict(const StatementNode& a, const StatementNode& b);

/// Nests lines into blocks: IF, DO (closed by ENDDO or a label) and preprocessor conditionals. `refuse` gets
/// the line where they do not nest, and throws.
std::vector<StatementNode> nest_statements(const std::vector<CodeLine>& lines,
                                           const std::function<void(int line)>& refuse);

}  // namespace corsika_patches
