// Reads blocks from the outside in, and what each statement reads and writes.
#include "corsika_patches/statement_tree.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "corsika_patches/statement_text.h"

namespace corsika_patches {
namespace {

class StatementNesting {
 public:
  StatementNesting(const std::vector<CodeLine>& lines, const std::function<void(int)>& refuse)
      : lines_(lines), refuse_(refuse) {}

  std::vector<StatementNode> all() {
    auto nodes = block({});
    if (at_ < lines_.size()) refuse_(lines_[at_].line);
    return nodes;
  }

 private:
  static bool opens(const CodeLine& line) {
    if (line.cpp) return line.text.starts_with("if");
    const auto& t = line.text;
    if (t.starts_with("IF(") && closing_parenthesis(t, 2) != std::string::npos)
      return t.substr(closing_parenthesis(t, 2) + 1) == "THEN";
    return is_do(t);
  }
  static bool is_do(const std::string& t) {
    if (t.starts_with("DOWHILE(")) return true;
    const auto equals = top_level_equals(t);
    return t.starts_with("DO") && equals != std::string::npos && t.find(',', equals) != std::string::npos &&
           split_arguments(std::string_view(t).substr(equals + 1)).size() > 1;
  }
  static bool turns(const CodeLine& line) {
    if (line.cpp) return line.text.starts_with("el");
    return line.text == "ELSE" || line.text.starts_with("ELSEIF(");
  }
  static bool closes(const CodeLine& line) {
    if (line.cpp) return line.text.starts_with("endif");
    return line.text == "ENDIF" || line.text == "ENDDO";
  }

  std::vector<StatementNode> block(const std::string& loop_label) {
    std::vector<StatementNode> nodes;
    while (at_ < lines_.size()) {
      const CodeLine& line = lines_[at_];
      if (turns(line) || closes(line)) return nodes;
      if (opens(line)) {
        nodes.push_back(read_block());
      } else {
        ++at_;
        if (!loop_label.empty() && line.label == loop_label) {
          if (line.text != "CONTINUE") nodes.push_back(simple(line, false));
          closed_by_label_ = true;
          return nodes;
        }
        nodes.push_back(simple(line, true));
      }
    }
    return nodes;
  }

  StatementNode read_block() {
    const CodeLine opening = lines_[at_++];
    StatementNode node;
    std::string loop_label;
    std::string head = opening.text;
    const bool loop = !opening.cpp && is_do(opening.text);
    if (loop && !head.starts_with("DOWHILE")) {
      std::size_t i = 2;
      while (i < head.size() && head[i] >= '0' && head[i] <= '9') loop_label += head[i++];
      if (i < head.size() && head[i] == ',') ++i;
      head = "DO " + head.substr(i);
    }
    if (!opening.label.empty()) node.barrier = true;
    for (;;) {
      closed_by_label_ = false;
      StatementNode::Branch branch{head, block(loop_label)};
      gather(node, branch, loop, opening.cpp);
      node.branches.push_back(std::move(branch));
      if (closed_by_label_) {
        closed_by_label_ = false;
        return node;
      }
      if (at_ >= lines_.size() || lines_[at_].cpp != opening.cpp) refuse_(opening.line);
      const CodeLine& next = lines_[at_++];
      if (turns(next) && !loop) {
        head = next.text;
      } else if (closes(next) && (next.cpp || (next.text == "ENDDO") == loop)) {
        if (!next.label.empty()) node.barrier = true;
        return node;
      } else {
        refuse_(next.line);
      }
    }
  }

  static void gather(StatementNode& node, const StatementNode::Branch& branch, bool loop, bool cpp) {
    if (!cpp) {
      for (const auto& name : identifiers(branch.head)) node.reads.insert(name);
      if (loop) {
        const auto equals = branch.head.find('=');
        if (equals != std::string::npos) node.writes.insert(branch.head.substr(3, equals - 3));
      }
    }
    for (const auto& inner : branch.body) {
      node.barrier = node.barrier || inner.barrier;
      node.reads.insert(inner.reads.begin(), inner.reads.end());
      node.writes.insert(inner.writes.begin(), inner.writes.end());
    }
  }

  static StatementNode simple(const CodeLine& line, bool keep_label) {
    StatementNode node;
    node.text = (keep_label && !line.label.empty() ? line.label + " " : "") + line.text;
    if (keep_label && !line.label.empty()) node.barrier = true;
    std::string_view code = line.text;
    if (code.starts_with("IF(")) {
      const auto close = closing_parenthesis(code, 2);
      if (close == std::string_view::npos) {
        node.barrier = true;
        return node;
      }
      for (const auto& name : identifiers(code.substr(3, close - 3))) node.reads.insert(name);
      code.remove_prefix(close + 1);
    }
    const auto equals = top_level_equals(code);
    const auto target =
        equals == std::string_view::npos ? std::nullopt : parse_reference(code.substr(0, equals));
    if (!target) {
      node.barrier = true;
      return node;
    }
    node.writes.insert(target->name);
    if (target->inner)
      for (const auto& name : identifiers(*target->inner)) node.reads.insert(name);
    for (const auto& name : identifiers(code.substr(equals + 1))) node.reads.insert(name);
    return node;
  }

  const std::vector<CodeLine>& lines_;
  const std::function<void(int)>& refuse_;
  std::size_t at_ = 0;
  bool closed_by_label_ = false;
};

}  // namespace

bool conflict(const StatementNode& a, const StatementNode& b) {
  if (a.barrier || b.barrier) return true;
  const auto meet = [](const std::set<std::string>& x, const std::set<std::string>& y) {
    return std::any_of(x.begin(), x.end(), [&](const std::string& name) { return y.contains(name); });
  };
  return meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(a.reads, b.writes);
}

std::vector<StatementNode> nest_statements(const std::vector<CodeLine>& lines,
                                           const std::function<void(int line)>& refuse) {
  return StatementNesting(lines, refuse).all();
}

}  // namespace corsika_patches
