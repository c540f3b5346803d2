// Finds heads and ENDs; reads declarations into entries by name.
#include "corsika-patches/program_units.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>
#include <utility>

#include "corsika-patches/statement_text.h"

namespace corsika_patches {
namespace {

bool name_and_arguments(std::string_view text, bool parentheses_needed, UnitHead& head) {
  auto reference = parse_reference(text);
  if (!reference || (parentheses_needed && !reference->inner)) return false;
  head.name = std::move(reference->name);
  head.arguments = split_arguments(reference->inner.value_or(""));
  return std::all_of(head.arguments.begin(), head.arguments.end(),
                     [](const std::string& argument) { return argument == "*" || is_name(argument); });
}

bool is_end(const std::string& text) {
  static constexpr std::array words = {"ENDSUBROUTINE", "ENDFUNCTION", "ENDPROGRAM", "ENDBLOCKDATA"};
  return text == "END" || (is_name(text) && std::any_of(words.begin(), words.end(), [&](const char* word) {
                             return text.starts_with(word);
                           }));
}

/// Settles frame, begin line and regularity of a unit whose statements are known.
void settle(const FixedFormSource& source, ProgramUnit& unit) {
  const auto& end = source.statement(unit.end_statement);
  unit.frame = end.branch;
  unit.end_line = end.last;
  unit.begin_line = source.statement(unit.first_statement).first;
  if (unit.heads.empty()) {
    unit.irregular = "it has no head";
    return;
  }
  for (const auto& head : unit.heads) {
    const auto& statement = source.statement(head.statement);
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
    const auto& group = source.group_of(source.branch(path.front()));
    unit.begin_line = std::min(unit.begin_line, group.open);
    if (group.close > unit.end_line) unit.irregular = "the conditional around its head closes behind its END";
  }
}

}  // namespace

bool ProgramUnit::has_name(const std::string& name) const {
  return std::any_of(heads.begin(), heads.end(), [&](const UnitHead& head) { return head.name == name; });
}

bool ProgramUnit::is_head(int statement) const {
  return std::any_of(heads.begin(), heads.end(),
                     [&](const UnitHead& head) { return head.statement == statement; });
}

const std::string& ProgramUnit::name() const {
  static const std::string main = "(main)";
  return heads.empty() ? main : heads.front().name;
}

UnitHead parse_head(const std::string& text) {
  UnitHead head;
  if (top_level_equals(text) != std::string::npos) return head;
  std::string_view rest = text;
  for (const std::string_view prefix : {"RECURSIVE", "PURE", "ELEMENTAL"}) take_literal(rest, prefix);
  if (take_literal(rest, "BLOCKDATA")) {
    head.kind = "BLOCKDATA";
    head.name = rest.empty() ? "(BLOCK DATA)" : rest;
    return head;
  }
  for (const char* kind : {"SUBROUTINE", "PROGRAM", "ENTRY"})
    if (take_literal(rest, kind)) {
      if (!name_and_arguments(rest, false, head)) return {};
      head.kind = kind;
      return head;
    }
  head.type = take_type(rest);
  if (!take_literal(rest, "FUNCTION") || !name_and_arguments(rest, true, head)) return {};
  head.kind = "FUNCTION";
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

std::set<std::string> macros_around(const FixedFormSource& source, const ProgramUnit& unit) {
  std::set<std::string> out;
  for (const auto& branch : source.branches()) {
    if (branch.group < 0) continue;
    const auto& group = source.group_of(branch);
    if (group.open < unit.end_line && group.close > unit.begin_line)
      for (const auto& name : identifiers(branch.condition)) out.insert(name);
  }
  out.erase("defined");
  return out;
}

SourceFile::SourceFile(std::string bytes, bool fortran) : text(std::move(bytes)) {
  if (!fortran) return;
  source.emplace(text);
  units = find_units(*source);
}

const ProgramUnit* SourceFile::active_unit(const std::string& name, const std::set<std::string>& on) const {
  for (const auto& unit : units)
    if (unit.has_name(name) && unit.irregular.empty() && source->is_active(unit.frame, on)) return &unit;
  return nullptr;
}

void Declarations::declare(const std::string& declarator, const std::string& type, bool certain) {
  const auto end = declarator.find_first_of("(*=/");
  const std::string name = declarator.substr(0, end);
  if (!is_name(name)) return;
  auto& entry = entries_[name];
  if (!certain) entry.uncertain = true;
  if (!type.empty()) {
    if (!entry.type.empty() && entry.type != type) entry.uncertain = true;
    entry.type = type;
  }
  if (end == std::string::npos || declarator[end] != '(') {
    if (end != std::string::npos && declarator[end] == '*') entry.uncertain = true;
    return;
  }
  const auto close = closing_parenthesis(declarator, end);
  if (close == std::string::npos) {
    entry.uncertain = true;
    return;
  }
  const auto dimensions = split_arguments(declarator.substr(end + 1, close - end - 1));
  if (!entry.dimensions.empty() && entry.dimensions != dimensions) entry.uncertain = true;
  entry.dimensions = dimensions;
  if (close + 1 < declarator.size() && declarator[close + 1] == '*') entry.uncertain = true;
}

void Declarations::add(const std::string& text, bool certain) {
  std::string_view rest = text;
  if (take_literal(rest, "IMPLICIT")) {
    implicit_.push_back(text);
  } else if (take_literal(rest, "EQUIVALENCE")) {
    for (const auto& name : identifiers(rest)) entries_[name].aliased = true;
  } else if (take_literal(rest, "PARAMETER")) {
    for (const auto& name : identifiers(rest)) entries_[name].constant = true;
  } else if (take_literal(rest, "COMMON")) {
    static const std::regex block("/[^/]*/");
    for (const auto& part : split_arguments(std::regex_replace(std::string(rest), block, ",")))
      declare(part, "", certain);
  } else {
    const auto type = take_type(rest);
    if (type.empty() && !take_literal(rest, "DIMENSION")) return;
    take_literal(rest, ",");
    // Attributes (REAL, DIMENSION(3) :: X) are rare in fixed form: what they name is not certain.
    if (const auto colons = rest.find("::"); colons != std::string_view::npos) {
      certain = certain && colons == 0;
      rest.remove_prefix(colons + 2);
    }
    for (const auto& part : split_arguments(rest)) declare(part, type, certain);
  }
}

const Declarations::Entry* Declarations::find(const std::string& name) const {
  const auto it = entries_.find(name);
  return it == entries_.end() ? nullptr : &it->second;
}

std::string Declarations::plain(const std::string& type) {
  if (type == "REAL" || type == "REAL*4" || type == "REAL(4)") return "REAL";
  if (type == "DOUBLEPRECISION" || type == "REAL*8" || type == "REAL(8)") return "DOUBLE PRECISION";
  return type.starts_with("INTEGER") ? "INTEGER" : "";
}

std::string Declarations::type_of(const std::string& name) const {
  if (const auto* entry = find(name); entry != nullptr && !entry->type.empty()) return plain(entry->type);
  const bool integer = name[0] >= 'I' && name[0] <= 'N';
  if (implicit_.empty()) return integer ? "INTEGER" : "REAL";
  if (implicit_.size() == 1 &&
      (implicit_[0] == "IMPLICITDOUBLEPRECISION(A-H,O-Z)" || implicit_[0] == "IMPLICITREAL*8(A-H,O-Z)"))
    return integer ? "INTEGER" : "DOUBLE PRECISION";
  return {};
}

Declarations declarations_of(const FixedFormSource& source, const ProgramUnit& unit) {
  Declarations declared;
  for (int i = unit.first_statement; i < unit.end_statement; ++i) {
    const auto& statement = source.statement(i);
    if (!unit.is_head(i) && is_specification(statement.text))
      declared.add(statement.text, !statement.split && statement.branch == unit.frame);
  }
  return declared;
}

HeaderBlocks header_blocks(const FixedFormSource& header) {
  HeaderBlocks blocks;
  for (const auto& statement : header.statements()) {
    const auto path = header.path(0, statement.branch);
    if (path.empty()) continue;
    const auto& outer = header.branch(path.front());
    if (outer.keyword == "ifdef")
      blocks[outer.condition].add(statement.text, !statement.split && path.size() == 1);
  }
  return blocks;
}

}  // namespace corsika_patches
