// Evaluates #if conditions for a selection of options, and digests what they leave of a routine.
#include "corsika_patches/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "corsika_patches/statement_text.h"
#include "support/checksum.hpp"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

class Condition {
 public:
  Condition(std::string_view text, const std::set<std::string>& on) : text_(text), on_(on) {}
  bool value() {
    const bool result = either();
    blanks();
    if (at_ != text_.size()) unknown();
    return result;
  }

 private:
  [[noreturn]] void unknown() const {
    throw support::Error(
        fmt::format("the condition '{}' is more than this version can read", std::string(text_)));
  }
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (text_.substr(at_).starts_with("/*")) {
      const auto end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
      blanks();
    }
  }
  bool take(std::string_view token) {
    blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string word() {
    blanks();
    const auto begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  bool either() {
    bool result = both();
    while (take("||")) result = both() || result;
    return result;
  }
  bool both() {
    bool result = one();
    while (take("&&")) result = one() && result;
    return result;
  }
  bool one() {
    if (take("!")) return !one();
    if (take("(")) {
      const bool result = either();
      if (!take(")")) unknown();
      return result;
    }
    auto name = word();
    if (name == "defined") {
      const bool closed = take("(");
      name = word();
      if (name.empty() || (closed && !take(")"))) unknown();
      return on_.contains(name);
    }
    if (name.empty()) unknown();
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0)
      return name.find_first_not_of('0') != std::string::npos;
    return on_.contains(name);
  }

  std::string_view text_;
  const std::set<std::string>& on_;
  std::size_t at_ = 0;
};

bool branch_holds(const CppBranch& branch, const std::set<std::string>& on) {
  if (branch.keyword == "else") return true;
  if (branch.keyword == "ifdef") return on.contains(branch.condition);
  if (branch.keyword == "ifndef") return !on.contains(branch.condition);
  return holds(branch.condition, on);
}

bool writes_when_debugging(const std::string& text) {
  static constexpr std::array flags = {"IF(DEBUG", "IF(LCERDB", "IF(FEGSDB"};
  const bool asked =
      std::any_of(flags.begin(), flags.end(), [&](const char* f) { return text.starts_with(f); });
  return asked && text.find(")WRITE(") != std::string::npos;
}

}  // namespace

bool holds(std::string_view condition, const std::set<std::string>& on) {
  return Condition(condition, on).value();
}

std::set<std::string> macros_of(std::string_view condition) {
  std::set<std::string> out;
  for (const auto& name : identifiers(condition))
    if (name != "defined") out.insert(name);
  return out;
}

std::set<std::string> macros_around(const FixedFormSource& source, const ProgramUnit& unit) {
  std::set<std::string> out;
  for (const auto& branch : source.branches()) {
    if (branch.group < 0) continue;
    const auto& group = source.groups()[static_cast<std::size_t>(branch.group)];
    if (group.open < unit.end_line && group.close > unit.begin_line) out.merge(macros_of(branch.condition));
  }
  return out;
}

bool is_active(const FixedFormSource& source, int branch, const std::set<std::string>& on) {
  for (const int b : source.path(0, branch)) {
    const auto& own = source.branches()[static_cast<std::size_t>(b)];
    for (int sibling = 1; sibling < b; ++sibling) {  // an earlier one that holds takes all
      const auto& other = source.branches()[static_cast<std::size_t>(sibling)];
      if (other.group == own.group && branch_holds(other, on)) return false;
    }
    if (!branch_holds(own, on)) return false;
  }
  return true;
}

std::string active_digest(const FixedFormSource& source, const ProgramUnit& unit,
                          const std::set<std::string>& on) {
  std::string text;
  int seen_branch = -1;
  bool active = false;
  for (int i = unit.first_statement; i <= unit.end_statement; ++i) {
    const auto& statement = source.statements()[static_cast<std::size_t>(i)];
    if (statement.branch != seen_branch) {
      seen_branch = statement.branch;
      active = is_active(source, seen_branch, on);
    }
    if (!active) continue;
    const bool head = i == unit.first_statement;
    if (!head && is_specification(statement.text) && !statement.text.starts_with("PARAMETER(")) continue;
    if (writes_when_debugging(statement.text)) continue;
    text += statement.label + " " + statement.text + "\n";
  }
  return support::sha256_of_text(text);
}

}  // namespace corsika_patches
