// Reads type statements and IMPLICIT.
#include "corsika_patches/routine_types.h"

#include <array>
#include <string_view>

#include "corsika_patches/statement_text.h"

namespace corsika_patches {
namespace {

/// The type that a statement begins with, passed in `rest`; empty where it is no type statement.
std::string take_type(std::string_view& rest) {
  struct Type {
    std::string_view name;
    std::array<std::string_view, 4> lengths;  // that may stand behind it
  };
  static constexpr std::array types = {Type{"DOUBLEPRECISION", {}}, Type{"REAL", {"*4", "*8", "(4)", "(8)"}},
                                       Type{"INTEGER", {"*4"}}, Type{"LOGICAL", {}}, Type{"COMPLEX", {}}};
  for (const auto& type : types) {
    if (!rest.starts_with(type.name)) continue;
    auto size = type.name.size();
    for (const auto length : type.lengths)
      if (!length.empty() && rest.substr(type.name.size()).starts_with(length)) size += length.size();
    std::string out(rest.substr(0, size));
    rest.remove_prefix(size);
    return out;
  }
  return {};
}

}  // namespace

void RoutineTypes::add(const std::string& text) {
  if (text.starts_with("IMPLICIT")) {
    implicit_.push_back(text);
    return;
  }
  std::string_view rest = text;
  const auto type = take_type(rest);
  if (type.empty()) return;
  if (rest.starts_with("::")) rest.remove_prefix(2);
  for (const auto& declarator : split_arguments(rest))
    if (const auto reference = parse_reference(declarator)) types_[reference->name] = type;
}

std::string RoutineTypes::plain(const std::string& type) {
  if (type == "REAL" || type == "REAL*4" || type == "REAL(4)") return "REAL";
  if (type == "DOUBLEPRECISION" || type == "REAL*8" || type == "REAL(8)") return "DOUBLE PRECISION";
  if (type.starts_with("INTEGER")) return "INTEGER";
  return {};
}

std::string RoutineTypes::type_of(const std::string& name) const {
  if (const auto it = types_.find(name); it != types_.end()) return plain(it->second);
  const bool integer = name[0] >= 'I' && name[0] <= 'N';
  if (implicit_.empty()) return integer ? "INTEGER" : "REAL";
  if (implicit_.size() == 1 &&
      (implicit_[0] == "IMPLICITDOUBLEPRECISION(A-H,O-Z)" || implicit_[0] == "IMPLICITREAL*8(A-H,O-Z)"))
    return integer ? "INTEGER" : "DOUBLE PRECISION";
  return {};
}

}  // namespace corsika_patches
