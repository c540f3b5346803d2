// Reads a routine's arguments and writes the subroutine that stands for it.
#include "corsika_patches/wrapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "corsika_patches/array_declarations.h"
#include "corsika_patches/statement_text.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

constexpr std::size_t kLastColumn = 72;
constexpr const char* kDone = "CHRDON";  // what the stage answers; no argument may have this name

/// `begin` and a list behind it, on as many lines as it needs.
void add_list(std::vector<std::string>& lines, const std::string& begin, const std::vector<std::string>& list,
              const std::string& end) {
  std::string line = begin;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto item = list[i] + (i + 1 < list.size() ? "," : end);
    if (line.size() + item.size() > kLastColumn) {
      lines.push_back(line);
      line = "     *  ";
    }
    line += item;
  }
  lines.push_back(line);
}

std::vector<std::string> names_of(const std::vector<WrappedArgument>& arguments) {
  std::vector<std::string> names;
  for (const auto& argument : arguments) names.push_back(argument.name);
  return names;
}

/// A canonical type as it is written.
std::string written(const std::string& type) { return type == "DOUBLEPRECISION" ? "DOUBLE PRECISION" : type; }

}  // namespace

std::vector<WrappedArgument> wrapped_arguments(const FixedFormSource& source, const ProgramUnit& unit,
                                               const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    throw support::Error(fmt::format("{}:{}: {} {}", file, unit.begin_line + 1, unit.name(), why));
  };
  if (unit.heads.size() != 1 || unit.split_head) refuse("has a head that a directive cuts through");
  if (unit.heads.front().kind != "SUBROUTINE") refuse("is no SUBROUTINE");
  if (!unit.entries.empty()) refuse("has an ENTRY point");
  ArrayDeclarations declared;
  for (int i = unit.first_statement + 1; i < unit.end_statement; ++i) {
    const auto& statement = source.statements()[static_cast<std::size_t>(i)];
    if (!is_specification(statement.text)) break;
    if (statement.text.starts_with("FORMAT") || statement.text.starts_with("DATA")) continue;
    if (statement.split || statement.branch != unit.frame)
      declared.add_uncertain(statement.text);
    else
      declared.add(statement.text);
  }
  std::vector<WrappedArgument> out;
  for (const auto& name : unit.heads.front().arguments) {
    if (name == "*") refuse("has an alternate return");
    if (name == kDone) refuse(fmt::format("has an argument {}, a name that the overlay needs", name));
    const auto* entry = declared.find(name);
    if (entry == nullptr || entry->type.empty())
      refuse(fmt::format("does not declare its argument {}", name));
    if (entry->uncertain) refuse(fmt::format("declares its argument {} under a condition, or twice", name));
    out.push_back({name, written(entry->type), !entry->dimensions.empty()});
  }
  return out;
}

std::vector<std::string> arguments_by_role(const WrapRule& rule,
                                           const std::vector<WrappedArgument>& arguments,
                                           const std::string& place) {
  const auto names = names_of(arguments);
  const bool by_name = std::all_of(rule.roles.begin(), rule.roles.end(), [&](const std::string& role) {
    return std::find(names.begin(), names.end(), role) != names.end();
  });
  if (!by_name && names.size() < rule.roles.size())
    throw support::Error(fmt::format("{}: {} has {} arguments, and the stage needs {}", place, rule.routine,
                                     names.size(), rule.roles.size()));
  std::vector<std::string> out =
      by_name ? rule.roles
              : std::vector<std::string>(names.begin(),
                                         names.begin() + static_cast<std::ptrdiff_t>(rule.roles.size()));
  for (const auto& argument : arguments)
    if (std::find(out.begin(), out.end(), argument.name) != out.end() &&
        (argument.array || (argument.type != "DOUBLE PRECISION" && argument.type != "REAL*8")))
      throw support::Error(
          fmt::format("{}: argument {} of {} is not DOUBLE PRECISION", place, argument.name, rule.routine));
  return out;
}

bool has_standard_arguments(const WrapRule& rule, const std::vector<WrappedArgument>& arguments) {
  return !rule.standard_include.empty() && names_of(arguments) == rule.standard_arguments &&
         std::all_of(arguments.begin(), arguments.end(), [](const WrappedArgument& argument) {
           return !argument.array && argument.type == "DOUBLE PRECISION";
         });
}

std::vector<std::string> wrapper_lines(const WrapRule& rule, const std::vector<WrappedArgument>& arguments,
                                       const std::vector<std::string>& by_role) {
  const auto names = names_of(arguments);
  std::vector<std::string> lines;
  add_list(lines, fmt::format("      SUBROUTINE {}( ", rule.routine), names, " )");
  lines.emplace_back("      IMPLICIT NONE");
  std::map<std::string, std::vector<std::string>> by_type;
  for (const auto& argument : arguments)
    by_type[argument.type].push_back(argument.name + (argument.array ? "(*)" : ""));
  for (const auto& [type, list] : by_type) add_list(lines, "      " + type + " ", list, "");
  const auto call_stock = [&](const std::string& before) {
    add_list(lines, fmt::format("{}CALL {}( ", before, rule.stock), names, " )");
  };
  lines.push_back(fmt::format("#ifdef {}", rule.covered));
  lines.push_back(fmt::format("      INTEGER {}", kDone));
  std::vector<std::string> handed{kDone};
  handed.insert(handed.end(), by_role.begin(), by_role.end());
  add_list(lines, fmt::format("      CALL {}( ", rule.step), handed, " )");
  lines.push_back(fmt::format("      IF ( {} .GT. 0 ) RETURN", kDone));
  call_stock("      ");
  lines.push_back(fmt::format("      IF ( {} .LT. 0 ) CALL {}", kDone, rule.end));
  lines.emplace_back("#else");
  lines.push_back(fmt::format("      CALL {}", rule.not_covered_call));
  call_stock("      ");
  lines.emplace_back("#endif");
  lines.emplace_back("      END");
  return lines;
}

}  // namespace corsika_patches
