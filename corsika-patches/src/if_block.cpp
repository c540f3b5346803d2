// Counts IFs and END IFs from a statement on, upwards and downwards.
#include "corsika_patches/if_block.h"

#include "corsika_patches/options.h"

namespace corsika_patches {
namespace {

bool opens(const Statement& statement) {
  return statement.text.starts_with("IF(") && statement.text.ends_with(")THEN");
}

bool closes(const Statement& statement) { return statement.text == "ENDIF"; }

}  // namespace

std::optional<LineRange> if_block_around(const FixedFormSource& source, const ProgramUnit& unit,
                                         std::string_view begin, const std::set<std::string>& on) {
  const auto& statements = source.statements();
  const auto at = [&](int i) -> const Statement& { return statements[static_cast<std::size_t>(i)]; };
  const auto active = [&](int i) { return is_active(source, at(i).branch, on); };
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

}  // namespace corsika_patches
