// Recognises the routines that the rules name, and writes the lines that stand for them.
#include <fmt/format.h>

#include <algorithm>

#include "corsika-patches/patch.h"
#include "corsika-patches/recognise.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

/// One routine and the rule that names it.
class Routine {
 public:
  Routine(const std::string& name, const SourceFile& file, const ProgramUnit& unit, const Rule& rule)
      : file_(name), source_(*file.source), unit_(unit), rule_(rule), kind_(rule.text("kind")) {}

  /// Whether it reads the generator's state at all: a routine of the same name need not.
  bool uses_state(const Rule& state) const {
    for (const auto& guard : state.list("guards"))
      for (const auto& d : source_.directives())
        if (d.line >= unit_.begin_line && d.line <= unit_.end_line && d.defines(guard)) return true;
    for (const auto& common : state.list("commons"))
      for (int i = unit_.first_statement; i <= unit_.end_statement; ++i)
        if (source_.statement(i).text.find("/" + common + "/") != std::string::npos) return true;
    return false;
  }

  /// Adds to the manifest's entry what was read off its body.
  void recognise(Json& entry) {
    if (!unit_.irregular.empty()) refuse("cannot be replaced: " + unit_.irregular);
    const auto names = rule_.set("names");
    for (const auto& head : unit_.heads)
      if (!names.contains(head.name)) refuse("has a further name, " + head.name);
    if (kind_.empty()) {
      if (!unit_.entries.empty()) refuse("has an ENTRY point");
      const auto digest = body_digest(source_, unit_);
      entry["digest"] = digest;
      if (!rule_.set("shapes").contains(digest))
        refuse("is in no shape that the rules know (digest " + digest + ")");
      return;
    }
    traits_ = recognise_ranmar(source_, unit_, kind_, file_);
    entry["traits"] = {{"sequence", traits_.sequence},
                       {"conex", traits_.conex},
                       {"last", traits_.last},
                       {"zero", traits_.zero}};
    if (kind_ == "function")
      entry["traits"].update({{"result", traits_.result},
                              {"reject", traits_.reject},
                              {"dummy", traits_.dummy},
                              {"entries", traits_.entries}});
  }

  /// The lines that stand for it while the macro is defined: names and parameters as macros
  /// (docs/how-it-works.md), then the include.
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    const auto define = [&](const std::string& macro, const std::string& value) {
      lines.push_back(fmt::format("#define RNM_{} {}", macro, value));
    };
    const auto flag = [&](const char* macro, bool value) { define(macro, value ? "1" : "0"); };
    const bool function = kind_ == "function";
    if (function || kind_ == "vector") lines = name_lines();
    if (function) {
      std::string arguments;
      for (const auto& argument : unit_.heads.front().arguments)
        arguments += (arguments.empty() ? "" : ",") + argument;
      define("ARGS", "(" + arguments + ")");
      if (!traits_.dummy.empty()) define("DUMMY", traits_.dummy);
      define("TYPE", traits_.result);
    }
    if (function || kind_ == "vector") {
      define("SEQUENCE", traits_.sequence);
      // A routine that always uses lseq needs CONEX's declarations as well.
      flag("CONEX", traits_.conex || traits_.sequence == "lseq");
      flag("LAST", traits_.last);
    }
    if (function) {
      flag("REJECT", traits_.reject);
      flag("ZERO", traits_.zero);
      for (std::size_t i = 0; i < traits_.entries.size(); ++i)
        define("ENTRY" + std::to_string(i + 1), traits_.entries[i]);
    }
    lines.push_back(fmt::format("#include \"{}\"", rule_.text("include")));
    return lines;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw support::Error(fmt::format("{}:{}: {} {}; restore its stock form, or add a rule", file_,
                                     unit_.begin_line + 1, unit_.name(), why));
  }

  /// Its names as macros, under the conditionals that cut through its head, up to their #endif.
  std::vector<std::string> name_lines() const {
    std::map<int, std::string> lines;  // by their places in the file
    int end = 0;
    for (const auto& head : unit_.heads) {
      const auto& statement = source_.statement(head.statement);
      lines[statement.first] = "#define RNM_NAME " + head.name;
      end = std::max(end, statement.last);
    }
    for (const auto& group : source_.groups())
      if (group.open >= unit_.begin_line && group.open <= end) end = std::max(end, group.close);
    for (const auto& d : source_.directives()) {
      const bool opens = d.keyword.starts_with("if") || d.keyword == "elif";
      if (d.line >= unit_.begin_line && d.line <= end &&
          (opens || d.keyword == "else" || d.keyword == "endif"))
        lines[d.line] = "#" + d.keyword + (opens ? " " + d.rest : "");
    }
    std::vector<std::string> out;
    for (auto& [place, line] : lines) out.push_back(std::move(line));
    return out;
  }

  const std::string file_;
  const FixedFormSource& source_;
  const ProgramUnit& unit_;
  const Rule& rule_;
  const std::string kind_;
  RanmarTraits traits_;
};

}  // namespace

ReplacedRoutines replace_routines(const std::string& name, const SourceFile& file, const RuleSet& rules,
                                  std::vector<Block>& blocks) {
  ReplacedRoutines out;
  std::map<std::string, int> lines;  // of replaced routines, by the first name of their rules
  const auto all = rules.rules.each("routine");
  for (const auto& unit : file.units) {
    const auto rule = std::find_if(all.begin(), all.end(), [&](const Rule& each) {
      const auto names = each.list("names");
      return std::any_of(names.begin(), names.end(), [&](const auto& known) { return unit.has_name(known); });
    });
    bool replaced = false;
    if (rule != all.end()) {
      Routine routine(name, file, unit, *rule);
      const auto kind = rule->text("kind");
      const int line = unit.begin_line + 1;
      Json entry = {{"name", ""}, {"file", name}, {"line", line}, {"kind", kind.empty() ? "digest" : kind}};
      std::string names;
      for (const auto& head : unit.heads) names += (names.empty() ? "" : "/") + head.name;
      entry["name"] = names;
      if (const auto around = file.source->conditions(0, unit.frame); !around.empty())
        entry["conditions"] = around;
      entry["action"] = "left alone";
      if (!routine.uses_state(rules.rules.table("state"))) {
        entry["reason"] = "it does not use the generator's state";
      } else {
        routine.recognise(entry);
        blocks.push_back({rules.macro, rules.name, unit.begin_line, unit.end_line, routine.lines()});
        entry["action"] = "replaced";
        entry["include"] = rule->text("include");
        replaced = true;
        // Of two it would be the linker's choice which one is called.
        const auto [first, is_first] = lines.emplace(rule->list("names").front(), line);
        if (!is_first && rule->flag("required"))
          throw support::Error(
              fmt::format("{0}:{1}: this is a second {2}, beside {0}:{3}; take one of them out", name, line,
                          names, first->second));
      }
      out.list.push_back(std::move(entry));
    }
    if (!replaced) out.others.push_back(unit);
  }
  for (const auto& rule : all)
    if (const auto first = rule.list("names").front(); rule.flag("required") && !lines.contains(first))
      throw support::Error(fmt::format(
          "no {} that draws from the generator was found in {}; give a CORSIKA 7 tree that has one", first,
          name));
  return out;
}

}  // namespace corsika_patches
