// Puts the statements that count together; counts IFs and END IFs from a statement on, upwards and downwards.
#include <algorithm>

#include "corsika-patches/fixed_form.h"
#include "corsika-patches/recognise.h"
#include "corsika-patches/statement_text.h"
#include "support/checksum.hpp"

namespace corsika_patches {
namespace {

bool opens(const Statement& statement) {
  return statement.text.starts_with("IF(") && statement.text.ends_with(")THEN");
}

bool closes(const Statement& statement) { return statement.text == "ENDIF"; }

}  // namespace

std::string body_digest(const FixedFormSource& source, const ProgramUnit& unit) {
  std::string text;
  for (int i = unit.first_statement; i <= unit.end_statement; ++i) {
    const auto& statement = source.statement(i);
    for (const int branch : source.path(unit.frame, statement.branch))
      for (int each = 1; each <= branch; ++each)  // an else stands behind the conditions before it
        if (const auto& own = source.branch(each); own.group == source.branch(branch).group)
          text += "#" + own.keyword + " " + own.condition + "\n";
    text += statement.label + " " + statement.text + (statement.split ? " cut by a directive\n" : "\n");
  }
  return support::sha256_of_text(text);
}

std::optional<LineRange> if_block_around(const FixedFormSource& source, const ProgramUnit& unit,
                                         std::string_view begin, const std::set<std::string>& on) {
  const auto at = [&](int i) -> const Statement& { return source.statement(i); };
  const auto active = [&](int i) { return source.is_active(at(i).branch, on); };
  int found = unit.first_statement;
  while (found <= unit.end_statement && !(at(found).text.starts_with(begin) && active(found))) ++found;
  if (found > unit.end_statement) return std::nullopt;
  int first = found, last = found;
  for (int depth = 1; depth > 0;) {
    if (--first < unit.first_statement) return std::nullopt;
    if (active(first)) depth += closes(at(first)) ? 1 : opens(at(first)) ? -1 : 0;
  }
  for (int depth = 1; depth > 0;) {
    if (++last > unit.end_statement) return std::nullopt;
    if (active(last)) depth += opens(at(last)) ? 1 : closes(at(last)) ? -1 : 0;
  }
  if (at(first).branch != at(last).branch || !at(first).label.empty() || !at(last).label.empty())
    return std::nullopt;
  return LineRange{at(first).first, at(last).last};
}

std::string block_digest(const FixedFormSource& source, const ProgramUnit& unit, LineRange block,
                         const std::vector<std::string>& names, const std::set<std::string>& on) {
  std::string text;
  std::vector<std::string> around;
  for (int i = unit.first_statement + 1; i < unit.end_statement; ++i) {
    const auto& statement = source.statement(i);
    if (is_specification(statement.text) || !source.is_active(statement.branch, on)) continue;
    if (closes(statement) && !around.empty()) around.pop_back();
    const bool counts = (statement.first >= block.first && statement.last <= block.last) ||
                        std::any_of(names.begin(), names.end(),
                                    [&](const std::string& name) { return has_word(statement.text, name); });
    if (counts) {
      for (const auto& each : around) text += each + "\n";
      text += statement.label + " " + statement.text + "\n";
    }
    if (opens(statement)) around.push_back(statement.text);
    if (statement.text.starts_with("ELSE") && !around.empty()) around.back() += "\n" + statement.text;
  }
  return support::sha256_of_text(text);
}

}  // namespace corsika_patches
