// Evaluates #if conditions for a selection of options.
#include "corsika_patches/options.h"

#include <fmt/format.h>

#include <cctype>

#include "corsika_patches/c_text.h"
#include "corsika_patches/statement_text.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

class Condition {
 public:
  Condition(std::string text, const std::set<std::string>& on) : text_(std::move(text)), on_(on) {}
  bool value() {
    const bool result = either();
    blanks();
    if (at_ != text_.size()) unknown();
    return result;
  }

 private:
  [[noreturn]] void unknown() const {
    throw support::Error(fmt::format("the condition '{}' is more than this version can read", text_));
  }
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view token) {
    blanks();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  std::string word() {
    blanks();
    const auto begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return text_.substr(begin, at_ - begin);
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

  std::string text_;
  const std::set<std::string>& on_;
  std::size_t at_ = 0;
};

bool branch_holds(const CppBranch& branch, const std::set<std::string>& on) {
  if (branch.keyword == "else") return true;
  if (branch.keyword == "ifdef") return on.contains(branch.condition);
  if (branch.keyword == "ifndef") return !on.contains(branch.condition);
  return holds(branch.condition, on);
}

}  // namespace

bool holds(std::string_view condition, const std::set<std::string>& on) {
  return Condition(without_c_comments(condition), on).value();
}

std::set<std::string> macros_around(const FixedFormSource& source, const ProgramUnit& unit) {
  std::set<std::string> out;
  for (const auto& branch : source.branches()) {
    if (branch.group < 0) continue;
    const auto& group = source.groups()[static_cast<std::size_t>(branch.group)];
    if (group.open < unit.end_line && group.close > unit.begin_line)
      for (const auto& name : identifiers(branch.condition)) out.insert(name);
  }
  out.erase("defined");
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

}  // namespace corsika_patches
