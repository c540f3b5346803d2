// Reads a routine's arguments and writes the subroutine that stands for it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "corsika-patches/program_units.h"
#include "corsika-patches/stage.h"
#include "corsika-patches/statement_text.h"
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

}  // namespace

std::vector<WrappedArgument> wrapped_arguments(const FixedFormSource& source, const ProgramUnit& unit,
                                               const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    throw support::Error(fmt::format("{}:{}: {} {}", file, unit.begin_line + 1, unit.name(), why));
  };
  if (unit.heads.size() != 1 || unit.split_head) refuse("has a head that a directive cuts through");
  if (unit.heads.front().kind != "SUBROUTINE") refuse("is no SUBROUTINE");
  if (!unit.entries.empty()) refuse("has an ENTRY point");
  const auto declared = declarations_of(source, unit);
  std::vector<WrappedArgument> out;
  for (const auto& name : unit.heads.front().arguments) {
    if (name == "*") refuse("has an alternate return");
    if (name == kDone) refuse(fmt::format("has an argument {}, a name that the overlay needs", name));
    const auto* entry = declared.find(name);
    if (entry == nullptr || entry->type.empty())
      refuse(fmt::format("does not declare its argument {}", name));
    if (entry->uncertain) refuse(fmt::format("declares its argument {} under a condition, or twice", name));
    out.push_back({name, entry->type == "DOUBLEPRECISION" ? "DOUBLE PRECISION" : entry->type,
                   !entry->dimensions.empty()});
  }
  return out;
}

std::vector<std::string> arguments_by_role(const Rule& wrap, const std::vector<WrappedArgument>& arguments,
                                           const std::string& place) {
  auto names = names_of(arguments);
  const auto roles = wrap.list("roles");
  const bool by_name = std::all_of(roles.begin(), roles.end(), [&](const std::string& role) {
    return std::find(names.begin(), names.end(), role) != names.end();
  });
  if (by_name) names = roles;
  if (names.size() < roles.size())
    throw support::Error(fmt::format("{}: {} has {} arguments, and the stage needs {}", place,
                                     wrap.text("routine"), names.size(), roles.size()));
  names.resize(roles.size());
  for (const auto& argument : arguments)
    if (std::find(names.begin(), names.end(), argument.name) != names.end() &&
        (argument.array || (argument.type != "DOUBLE PRECISION" && argument.type != "REAL*8")))
      throw support::Error(fmt::format("{}: argument {} of {} is not DOUBLE PRECISION", place, argument.name,
                                       wrap.text("routine")));
  return names;
}

bool is_standard(const Rule& wrap, const std::vector<WrappedArgument>& arguments) {
  return names_of(arguments) == wrap.list("standard_arguments") &&
         std::all_of(arguments.begin(), arguments.end(), [](const WrappedArgument& argument) {
           return !argument.array && argument.type == "DOUBLE PRECISION";
         });
}

std::vector<std::string> wrapper_lines(const Rule& wrap, const std::vector<WrappedArgument>& arguments,
                                       const std::vector<std::string>& by_role) {
  const auto names = names_of(arguments);
  const auto covered = wrap.text("covered_macro"),
             call_stock = fmt::format("      CALL {}( ", wrap.text("stock"));
  const bool standard = is_standard(wrap, arguments);
  std::vector<std::string> lines;
  if (standard) lines.push_back("#ifndef " + covered);
  add_list(lines, fmt::format("      SUBROUTINE {}( ", wrap.text("routine")), names, " )");
  lines.emplace_back("      IMPLICIT NONE");
  std::map<std::string, std::vector<std::string>> by_type;
  for (const auto& argument : arguments)
    by_type[argument.type].push_back(argument.name + (argument.array ? "(*)" : ""));
  for (const auto& [type, list] : by_type) add_list(lines, "      " + type + " ", list, "");
  if (!standard) {
    std::string condition = fmt::format("#if defined({})", covered);
    for (const auto& option : wrap.list("standard_only")) condition += " && !" + option;
    lines.push_back(condition);
    lines.push_back(fmt::format("      INTEGER {}", kDone));
    add_list(lines, fmt::format("      CALL {}( {},(/ ", wrap.text("step"), kDone), by_role, " /) )");
    lines.push_back(fmt::format("      IF ( {} .GT. 0 ) RETURN", kDone));
    add_list(lines, call_stock, names, " )");
    lines.push_back(fmt::format("      IF ( {} .LT. 0 ) CALL {}", kDone, wrap.text("end")));
    lines.emplace_back("#else");
  }
  lines.push_back(fmt::format("      CALL {}", wrap.text("not_covered_routine")));
  add_list(lines, call_stock, names, " )");
  if (!standard) lines.emplace_back("#endif");
  lines.emplace_back("      END");
  if (standard) lines.emplace_back("#endif");
  return lines;
}

std::vector<std::string> light_option_lines(const Rule& wrap, const std::string& header,
                                            const std::vector<Rule>& options) {
  std::vector<std::string> lines{"#ifdef " + wrap.text("covered_macro"),
                                 "      SUBROUTINE " + wrap.text("options_routine"), "      IMPLICIT NONE"};
  for (const auto& option : options) {
    lines.push_back("#if " + option.text("option"));
    for (const auto& block : option.list("blocks")) lines.push_back("#define " + block);
    lines.emplace_back("#endif");
  }
  lines.push_back(fmt::format("#include \"{}\"", std::filesystem::path(header).filename().string()));
  for (const auto& option : options) {
    lines.push_back("#if " + option.text("option"));
    add_list(lines, fmt::format("      CALL {}( ", option.text("call")), option.list("variables"), " )");
    lines.emplace_back("#endif");
  }
  lines.insert(lines.end(), {"      RETURN", "      END", "#endif"});
  return lines;
}

}  // namespace corsika_patches
