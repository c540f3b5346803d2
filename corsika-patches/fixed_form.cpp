// Joins lines to statements and nests conditionals.
#include "corsika-patches/fixed_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "corsika-patches/statement_text.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

/// Blanks inside single, C comments dropped.
std::string tidy(std::string_view text) {
  std::string out;
  for (const char c : without_c_comments(text))
    if (const bool blank = c == ' ' || c == '\t' || c == '\\'; !blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  return std::string(trim(out));
}

struct Fields {
  std::string label;
  std::string_view code;
  bool continuation = false;
};

/// Label field, continuation mark and columns 7 to 72 of a line. A tab within columns 1 to 6 ends the label
/// field.
Fields fields(std::string_view line) {
  Fields out;
  const auto end = std::min({line.find('\t'), std::size_t{5}, line.size()});
  for (const char c : line.substr(0, end))
    if (c != ' ') out.label += c;
  if (end == line.size()) return out;
  const bool tab = line[end] == '\t';
  line.remove_prefix(tab ? end + 1 : end);
  const char mark = line.empty() ? ' ' : line.front();
  out.continuation = tab ? mark >= '1' && mark <= '9' : mark != ' ' && mark != '0';
  if (!line.empty() && (!tab || out.continuation)) line.remove_prefix(1);
  out.code = line.substr(0, 66);
  return out;
}

bool is_comment(std::string_view line) {
  if (trim(line).empty()) return true;
  const char c = line[0];
  if (c == 'C' || c == 'c' || c == 'D' || c == 'd' || c == '*' || c == '!') return true;
  const auto first = line.find_first_not_of(" \t");
  return line[first] == '!' && first != 5;
}

/// Reads a condition from left to right.
class Condition {
 public:
  Condition(std::string_view text, const MacroTruth& truth_of)
      : whole_(without_c_comments(text)), text_(whole_), truth_of_(truth_of) {}
  Truth value() {
    const Truth result = either();
    if (text_ = trim(text_); !text_.empty()) unknown();
    return result;
  }

 private:
  [[noreturn]] void unknown() const {
    throw support::Error(fmt::format("the condition '{}' is more than this version can read", whole_));
  }
  bool take(std::string_view token) { return take_literal(text_ = trim(text_), token); }
  std::string name() {
    text_ = trim(text_);
    const auto end = std::find_if_not(text_.begin(), text_.end(), word);
    std::string name(text_.begin(), end);
    text_.remove_prefix(name.size());
    if (name.empty()) unknown();
    return name;
  }
  Truth either() {
    Truth result = both();
    while (take("||")) result = std::max(result, both());
    return result;
  }
  Truth both() {
    Truth result = one();
    while (take("&&")) result = std::min(result, one());
    return result;
  }
  Truth one() {
    if (take("!")) return opposite(one());
    if (take("(")) {
      const Truth result = either();
      if (!take(")")) unknown();
      return result;
    }
    const auto first = name();
    if (digit(first.front()))
      return first.find_first_not_of('0') != std::string::npos ? Truth::yes : Truth::no;
    if (first != "defined") return truth_of_(first);
    const bool closed = take("(");
    const auto macro = name();
    if (closed && !take(")")) unknown();
    return truth_of_(macro);
  }

  const std::string whole_;
  std::string_view text_;
  const MacroTruth& truth_of_;
};

}  // namespace

FixedFormSource::FixedFormSource(TextFile text) : text_(std::move(text)) {
  branches_.push_back({});
  parse();
}

void FixedFormSource::parse() {
  const int count = text_.line_count();
  for (int i = 0; i < count; ++i) {
    const auto line = text_.line(i);
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    if (line[first] == '#' && first != 5) {
      i = parse_directive(i);
    } else if (line.substr(first, 2) == "/*") {
      while (i < count && text_.line(i).find("*/") == std::string_view::npos) ++i;
    } else if (!is_comment(line)) {
      parse_code(i, line);
    }
  }
  for (auto& statement : statements_) statement.text = canonical(statement.text);
  while (branch_ != 0) {
    const auto& group = group_of(branch(branch_));
    if (unbalanced_line_ < 0) unbalanced_line_ = group.open;
    branch_ = group.parent;
  }
}

int FixedFormSource::parse_directive(int line) {
  int last = line;
  auto joined = std::string(trim(text_.line(line)));
  while (joined.ends_with('\\') && last + 1 < text_.line_count()) joined += trim(text_.line(++last));
  const auto body = trim(std::string_view(joined).substr(1));
  const auto end = std::find_if_not(body.begin(), body.end(), letter);
  const auto length = static_cast<std::size_t>(end - body.begin());
  Directive directive{std::string(body.substr(0, length)), tidy(body.substr(length)), line, last, branch_};
  const auto& word = directive.keyword;
  int begun = -1;  // the conditional that a branch begins of
  const bool opens = word == "if" || word == "ifdef" || word == "ifndef";
  const bool turns = word == "elif" || word == "else";
  if (opens) {
    begun = static_cast<int>(groups_.size());
    groups_.push_back({branch_, line, -1});
  } else if ((turns || word == "endif") && branch_ != 0) {
    const int own = branch(branch_).group;
    auto& group = groups_[static_cast<std::size_t>(own)];
    branch_ = directive.branch = group.parent;
    (turns ? begun : group.close) = turns ? own : last;
  } else if ((turns || word == "endif") && unbalanced_line_ < 0) {
    unbalanced_line_ = line;
  }
  if (begun >= 0) {
    branches_.push_back({branch_, begun, word, directive.rest});
    branch_ = static_cast<int>(branches_.size()) - 1;
  }
  directives_.push_back(std::move(directive));
  directive_since_ = true;
  return last;
}

void FixedFormSource::parse_code(int line, std::string_view code) {
  const auto field = fields(code);
  if (field.continuation && open_statement_) {
    auto& statement = statements_.back();
    if (directive_since_) statement.split = true;
    statement.last = line;
    append_code(statement.text, field.code, quote_);
    return;
  }
  quote_ = 0;
  Statement statement;
  statement.label = field.label;
  statement.first = statement.last = line;
  statement.branch = branch_;
  append_code(statement.text, field.code, quote_);
  if (statement.text.empty() && statement.label.empty()) return;
  statements_.push_back(std::move(statement));
  open_statement_ = true;
  directive_since_ = false;
}

bool FixedFormSource::within(int branch, int ancestor) const {
  while (branch > ancestor) branch = this->branch(branch).parent;
  return branch == ancestor;
}

std::vector<int> FixedFormSource::path(int ancestor, int branch) const {
  std::vector<int> out;
  for (; branch > ancestor; branch = this->branch(branch).parent) out.insert(out.begin(), branch);
  return out;
}

std::vector<std::string> FixedFormSource::conditions(int ancestor, int branch) const {
  std::vector<std::string> out;
  for (const int each : path(ancestor, branch)) {
    const auto& own = this->branch(each);
    out.push_back(own.condition.empty() ? own.keyword : own.keyword + " " + own.condition);
  }
  return out;
}

Truth FixedFormSource::truth_in_parent(int branch, const MacroTruth& macros) const {
  const auto own = [&](const CppBranch& each) {
    if (each.keyword == "else") return Truth::yes;
    const Truth truth = truth_of(each.condition, macros);
    return each.keyword == "ifndef" ? opposite(truth) : truth;
  };
  const CppBranch& asked = this->branch(branch);
  Truth truth = own(asked);
  for (int sibling = 1; sibling < branch; ++sibling)  // an earlier one that holds takes all
    if (this->branch(sibling).group == asked.group)
      truth = std::min(truth, opposite(own(this->branch(sibling))));
  return truth;
}

bool FixedFormSource::is_active(int branch, const std::set<std::string>& on) const {
  const MacroTruth macros = [&](const std::string& macro) {
    return on.contains(macro) ? Truth::yes : Truth::no;
  };
  return std::ranges::all_of(path(0, branch),
                             [&](int each) { return truth_in_parent(each, macros) == Truth::yes; });
}

Truth truth_of(std::string_view condition, const MacroTruth& macros) {
  return Condition(condition, macros).value();
}

bool holds(std::string_view condition, const std::set<std::string>& on) {
  return truth_of(condition, [&](const std::string& macro) {
           return on.contains(macro) ? Truth::yes : Truth::no;
         }) == Truth::yes;
}

}  // namespace corsika_patches
