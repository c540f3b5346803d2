// Reads declarations into entries by name.
#include "corsika_patches/array_declarations.h"

#include <array>
#include <string_view>

#include "corsika_patches/statement_text.h"

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

void ArrayDeclarations::declare(const std::string& declarator, const std::string& type) {
  const auto end = declarator.find_first_of("(*=/");
  const std::string name = declarator.substr(0, end);
  if (!is_name(name)) return;
  auto& entry = entries_[name];
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

void ArrayDeclarations::add(const std::string& text) {
  static constexpr std::array types = {"DOUBLEPRECISION", "REAL",      "INTEGER", "LOGICAL",
                                       "COMPLEX",         "CHARACTER", "BYTE",    "DOUBLECOMPLEX"};
  if (text.starts_with("COMMON")) {
    for (const auto& part : common_declarators(std::string_view(text).substr(6))) declare(part, "");
    return;
  }
  if (text.starts_with("DIMENSION")) {
    for (const auto& part : split_arguments(std::string_view(text).substr(9))) declare(part, "");
    return;
  }
  if (text.starts_with("EQUIVALENCE")) {
    for (const auto& name : identifiers(std::string_view(text).substr(11))) entries_[name].aliased = true;
    return;
  }
  if (text.starts_with("PARAMETER")) {
    for (const auto& name : identifiers(std::string_view(text).substr(9))) entries_[name].constant = true;
    return;
  }
  for (const std::string_view type : types) {
    if (!text.starts_with(type)) continue;
    std::string_view rest = std::string_view(text).substr(type.size());
    const std::string base = std::string(type) + std::string(take_length(rest));
    // Attributes (REAL, DIMENSION(3) :: X) are rare in fixed form: what they name is not certain.
    if (const auto colons = rest.find("::"); colons != std::string_view::npos) {
      const bool attributes = colons != 0;
      for (const auto& part : split_arguments(rest.substr(colons + 2))) {
        declare(part, base);
        const auto end = part.find_first_of("(*=/");
        if (attributes) entries_[part.substr(0, end)].uncertain = true;
      }
      return;
    }
    for (const auto& part : split_arguments(rest)) declare(part, base);
    return;
  }
}

void ArrayDeclarations::add_uncertain(const std::string& text) {
  ArrayDeclarations other;
  other.add(text);
  for (const auto& [name, entry] : other.entries_) {
    auto& own = entries_[name];
    own.uncertain = true;
    own.aliased = own.aliased || entry.aliased;
    if (own.dimensions.empty()) own.dimensions = entry.dimensions;
    if (own.type.empty()) own.type = entry.type;
  }
}

const ArrayDeclarations::Entry* ArrayDeclarations::find(const std::string& name) const {
  const auto it = entries_.find(name);
  return it == entries_.end() ? nullptr : &it->second;
}

std::map<std::string, ArrayDeclarations> header_blocks(const FixedFormSource& header) {
  std::map<std::string, ArrayDeclarations> blocks;
  for (const auto& statement : header.statements()) {
    const auto path = header.path(0, statement.branch);
    if (path.empty()) continue;
    const auto& outer = header.branches()[static_cast<std::size_t>(path.front())];
    if (outer.keyword != "ifdef") continue;
    auto& block = blocks[outer.condition];
    if (statement.split || path.size() != 1) {
      block.add_uncertain(statement.text);
    } else {
      block.add(statement.text);
    }
  }
  return blocks;
}

}  // namespace corsika_patches
