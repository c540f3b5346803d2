// Reads declarations into entries by name.
#include "corsika-patches/declarations.h"

#include <string_view>

#include "corsika-patches/statement_text.h"

namespace corsika_patches {
namespace {

/// Declarators of a COMMON list without its block names.
std::vector<std::string> common_declarators(std::string_view text) {
  std::string list;
  bool in_name = false;
  for (const char c : text) {
    if (c == '/') {
      in_name = !in_name;
      if (!in_name && !list.empty() && list.back() != ',') list += ',';
    } else if (!in_name) {
      list += c;
    }
  }
  return split_arguments(list);
}

}  // namespace

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
    for (const auto& part : common_declarators(rest)) declare(part, "", certain);
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
