// Finds heads and ENDs.
#include "corsika_patches/program_units.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "corsika_patches/statement_text.h"

namespace corsika_patches {
namespace {

/// Drops a type (with *8, (8) or *(*)) from the front; false where there is none.
bool take_type(std::string_view& text, std::string& type) {
  static constexpr std::array types = {"DOUBLEPRECISION", "DOUBLECOMPLEX", "REAL",     "INTEGER",
                                       "LOGICAL",         "COMPLEX",       "CHARACTER"};
  for (const std::string_view name : types) {
    if (!text.starts_with(name)) continue;
    std::size_t i = name.size();
    if (i < text.size() && text[i] == '*') {
      ++i;
      if (i < text.size() && text[i] == '(') {
        i = closing_parenthesis(text, i) + 1;
      } else {
        while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
      }
    } else if (i < text.size() && text[i] == '(') {
      i = closing_parenthesis(text, i) + 1;
    }
    if (i == 0 || i > text.size()) return false;
    type = text.substr(0, i);
    text.remove_prefix(i);
    return true;
  }
  return false;
}

bool name_and_arguments(std::string_view text, bool parentheses_needed, UnitHead& head) {
  const auto open = text.find('(');
  if (open == std::string_view::npos) {
    if (parentheses_needed || !is_name(text)) return false;
    head.name = text;
    return true;
  }
  if (!is_name(text.substr(0, open)) || closing_parenthesis(text, open) != text.size() - 1) return false;
  auto arguments = split_arguments(text.substr(open + 1, text.size() - open - 2));
  for (const auto& argument : arguments)
    if (argument != "*" && !is_name(argument)) return false;
  head.name = text.substr(0, open);
  head.arguments = std::move(arguments);
  return true;
}

bool is_end(const std::string& text) {
  if (!text.starts_with("END")) return false;
  if (text.size() == 3) return true;
  for (const std::string_view word : {"ENDSUBROUTINE", "ENDFUNCTION", "ENDPROGRAM", "ENDBLOCKDATA"})
    if (text.starts_with(word) && (text.size() == word.size() || is_name(text))) return true;
  return false;
}

/// Settles frame, begin line and regularity of a unit whose statements are known.
void settle(const FixedFormSource& source, ProgramUnit& unit) {
  const auto& statements = source.statements();
  const auto& end = statements[static_cast<std::size_t>(unit.end_statement)];
  unit.frame = end.branch;
  unit.end_line = end.last;
  unit.begin_line = statements[static_cast<std::size_t>(unit.first_statement)].first;
  if (unit.heads.empty()) {
    unit.irregular = "it has no head";
    return;
  }
  for (const auto& head : unit.heads) {
    const auto& statement = statements[static_cast<std::size_t>(head.statement)];
    if (!source.within(statement.branch, unit.frame)) {
      unit.irregular = "its head and its END stand under different conditionals";
      return;
    }
    if (statement.split) unit.split_head = true;
    const auto path = source.path(unit.frame, statement.branch);
    if (path.empty()) {
      if (unit.heads.size() > 1) unit.irregular = "it has two heads under one conditional";
      continue;
    }
    const auto& branch = source.branches()[static_cast<std::size_t>(path.front())];
    const auto& group = source.groups()[static_cast<std::size_t>(branch.group)];
    unit.begin_line = std::min(unit.begin_line, group.open);
    if (group.close > unit.end_line) unit.irregular = "the conditional around its head closes behind its END";
  }
}

}  // namespace

bool ProgramUnit::has_name(const std::string& name) const {
  return std::any_of(heads.begin(), heads.end(), [&](const UnitHead& head) { return head.name == name; });
}

const std::string& ProgramUnit::name() const {
  static const std::string main = "(main)";
  return heads.empty() ? main : heads.front().name;
}

UnitHead parse_head(const std::string& text) {
  UnitHead head;
  if (top_level_equals(text) != std::string::npos) return head;
  std::string_view rest = text;
  for (const std::string_view prefix : {"RECURSIVE", "PURE", "ELEMENTAL"})
    if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  if (rest.starts_with("SUBROUTINE")) {
    if (name_and_arguments(rest.substr(10), false, head)) head.kind = "SUBROUTINE";
  } else if (rest.starts_with("PROGRAM")) {
    if (name_and_arguments(rest.substr(7), false, head)) head.kind = "PROGRAM";
  } else if (rest.starts_with("BLOCKDATA")) {
    head.kind = "BLOCKDATA";
    head.name = rest.substr(9);
    if (head.name.empty()) head.name = "(BLOCK DATA)";
  } else if (rest.starts_with("ENTRY")) {
    if (name_and_arguments(rest.substr(5), false, head)) head.kind = "ENTRY";
  } else {
    take_type(rest, head.type);
    if (rest.starts_with("FUNCTION") && name_and_arguments(rest.substr(8), true, head))
      head.kind = "FUNCTION";
  }
  if (head.kind.empty()) return {};
  return head;
}

std::vector<ProgramUnit> find_units(const FixedFormSource& source) {
  std::vector<ProgramUnit> units;
  const auto& statements = source.statements();
  ProgramUnit unit;
  bool only_heads = true;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const auto& statement = statements[i];
    const int index = static_cast<int>(i);
    if (unit.first_statement < 0) unit.first_statement = index;
    if (is_end(statement.text) && statement.label.find_first_not_of("0123456789") == std::string::npos) {
      unit.end_statement = index;
      settle(source, unit);
      if (!units.empty() && unit.irregular.empty() && unit.begin_line <= units.back().end_line)
        unit.irregular = "the conditional around its head opens in front of the unit before it";
      units.push_back(std::move(unit));
      unit = {};
      only_heads = true;
      continue;
    }
    auto head = parse_head(statement.text);
    if (head.kind.empty()) {
      only_heads = false;
      continue;
    }
    head.statement = index;
    if (head.kind == "ENTRY") {
      unit.entries.push_back(std::move(head));
    } else if (only_heads) {
      unit.heads.push_back(std::move(head));
    } else if (head.kind == "SUBROUTINE" || head.kind == "FUNCTION") {
      // A second head behind statements: a conditional with a whole unit's text in it, or a missing END.
      unit.irregular = "a second head stands inside it";
      unit.heads.push_back(std::move(head));
    }
  }
  return units;
}

}  // namespace corsika_patches
