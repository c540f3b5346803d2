// Writes the lines of a replaced routine.
#include "corsika_patches/replacement.h"

#include <fmt/format.h>

namespace corsika_patches {
namespace {

std::vector<std::string> name_lines(const FixedFormSource& source, const ProgramUnit& unit) {
  std::vector<std::string> lines;
  const int last = source.statements()[static_cast<std::size_t>(unit.heads.back().statement)].last;
  // Directives of the conditionals that cut through the head, up to their #endif.
  int end = last;
  for (const auto& group : source.groups())
    if (group.open >= unit.begin_line && group.open <= last && group.close > end) end = group.close;
  for (const auto& item : source.items()) {
    if (item.kind == Item::Kind::directive) {
      const auto& d = source.directives()[static_cast<std::size_t>(item.index)];
      if (d.line < unit.begin_line || d.line > end) continue;
      if (d.keyword.starts_with("if") || d.keyword.starts_with("el") || d.keyword == "endif")
        lines.push_back("#" + d.keyword +
                        (d.rest.empty() || d.keyword == "else" || d.keyword == "endif" ? "" : " " + d.rest));
    } else {
      for (const auto& head : unit.heads)
        if (head.statement == item.index) lines.push_back("#define RNM_NAME " + head.name);
    }
  }
  return lines;
}

}  // namespace

std::vector<std::string> replacement_lines(const FixedFormSource& source, const ProgramUnit& unit,
                                           const RoutineRule& rule, const RanmarTraits& traits) {
  std::vector<std::string> lines;
  const bool function = rule.kind == "function";
  if (function || rule.kind == "vector") {
    lines = name_lines(source, unit);
    if (function) {
      std::string arguments;
      for (const auto& argument : unit.heads.front().arguments)
        arguments += (arguments.empty() ? "" : ",") + argument;
      lines.push_back(fmt::format("#define RNM_ARGS ({})", arguments));
      if (!traits.dummy.empty()) lines.push_back("#define RNM_DUMMY " + traits.dummy);
      lines.push_back("#define RNM_TYPE " + traits.result);
    }
    lines.push_back("#define RNM_SEQUENCE " + traits.sequence);
    // A routine that always uses lseq needs CONEX's declarations as well.
    lines.push_back(fmt::format("#define RNM_CONEX {}", traits.conex || traits.sequence == "lseq" ? 1 : 0));
    lines.push_back(fmt::format("#define RNM_LAST {}", traits.last ? 1 : 0));
    if (function) {
      lines.push_back(fmt::format("#define RNM_REJECT {}", traits.reject ? 1 : 0));
      lines.push_back(fmt::format("#define RNM_ZERO {}", traits.zero ? 1 : 0));
      for (std::size_t i = 0; i < traits.entries.size(); ++i)
        lines.push_back(fmt::format("#define RNM_ENTRY{} {}", i + 1, traits.entries[i]));
    }
  }
  lines.push_back(fmt::format("#include \"{}\"", rule.include));
  return lines;
}

}  // namespace corsika_patches
