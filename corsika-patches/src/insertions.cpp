// Plans the lines of a stage: checks that the tree has what they need, then finds the place of each.
#include "corsika_patches/insertions.h"

#include <fmt/format.h>

#include <algorithm>

#include "corsika_patches/c_text.h"
#include "corsika_patches/if_block.h"
#include "corsika_patches/options.h"
#include "corsika_patches/statement_text.h"
#include "corsika_patches/wrapper.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

/// CEFFIC of __CEFFIC__.
std::string option_name(const std::string& macro) {
  return macro.starts_with("__") && macro.ends_with("__") && macro.size() > 4
             ? macro.substr(2, macro.size() - 4)
             : macro;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return out;
}

/// "option A", "options A, B and C": those of `some` that are in `build`; empty where none is.
std::string chosen(const std::set<std::string>& some, const std::set<std::string>& build) {
  std::vector<std::string> found;
  for (const auto& macro : some)
    if (build.contains(macro)) found.push_back(option_name(macro));
  if (found.empty()) return "";
  return (found.size() == 1 ? "option " : "options ") + listed(found);
}

/// The routine of that name that the preprocessor leaves in if the macros `on` are 1 and no others are
/// defined; nullptr where there is none.
const ProgramUnit* active_unit(const StockFile& file, const std::string& name,
                               const std::set<std::string>& on) {
  if (file.units == nullptr) return nullptr;
  for (const auto& unit : *file.units)
    if (unit.has_name(name) && unit.irregular.empty() && is_active(*file.source, unit.frame, on))
      return &unit;
  return nullptr;
}

class Planner {
 public:
  Planner(const RuleSet& rules, const std::map<std::string, StockFile>& files,
          const std::set<std::string>& build)
      : rules_(rules), stage_(*rules.stage), files_(files), build_(build.empty() ? stage_.options : build) {
    build_.insert(stage_.always.begin(), stage_.always.end());
  }

  Insertions plan() {
    try {
      for (const auto& file : stage_.files) wrap(file);
      check_header();
      for (const auto& rule : stage_.calls_before) call_before(rule);
      for (const auto& rule : stage_.if_blocks) replace(rule);
      for (const auto& rule : stage_.macros) define(rule);
      for (const auto& rule : stage_.wraps) wrap(rule);
      for (const auto& rule : stage_.replaced) replace(rule);
      judge();
    } catch (const support::Error& error) {
      out_ = {};
      out_.covered = "none";
      out_.reason = error.what();
      if (out_.reason.find(';') == std::string::npos)
        out_.reason += "; take the stock file, or report this release";
    }
    return std::move(out_);
  }

 private:
  const StockFile& file(const std::string& name) const {
    const auto found = files_.find(name);
    if (found == files_.end())
      throw support::Error(
          fmt::format("the tree has no {}{}", name,
                      name.ends_with(".c") ? "; unpack its package, as coconut does, and patch again" : ""));
    return found->second;
  }

  /// A variable or constant of `names` that the tree's header does not declare; empty where there is none.
  std::string missing_in_header(const std::vector<std::string>& names) const {
    if (stage_.header.empty()) return "";
    std::set<std::string> declared;
    for (const auto& statement : file(stage_.header).source->statements())
      if (statement.text.starts_with("COMMON") || statement.text.starts_with("PARAMETER"))
        for (auto& name : identifiers(statement.text)) declared.insert(std::move(name));
    for (const auto& name : names)
      if (!declared.contains(name)) return name;
    return "";
  }

  void check_header() const {
    if (const auto name = missing_in_header(stage_.header_names); !name.empty())
      throw support::Error(fmt::format("{} declares no {}", stage_.header, name));
  }

  void wrap(const WrapRule& rule) {
    const auto& where = file(rule.file);
    const auto* unit = active_unit(where, rule.routine, stage_.options);
    if (unit == nullptr) throw support::Error(fmt::format("{} has no routine {}", rule.file, rule.routine));
    for (const auto& name : {rule.stock, rule.step, rule.end, rule.not_covered_call})
      for (const auto& other : *where.units)
        if (other.has_name(name))
          throw support::Error(fmt::format("{}:{}: {} is a name that the overlay needs", rule.file,
                                           other.begin_line + 1, name));
    const auto place = fmt::format("{}:{}", rule.file, unit->begin_line + 1);
    const auto arguments = wrapped_arguments(*where.source, *unit, rule.file);
    const auto by_role = arguments_by_role(rule, arguments, place);
    rename(rule.file, *where.source, *unit, rule.routine, rule.stock);
    std::vector<std::string> lines = macros_;
    lines.push_back(fmt::format("#include \"{}\"", rule.options_include));
    if (has_standard_arguments(rule, arguments))
      lines.push_back(fmt::format("#include \"{}\"", rule.standard_include));
    else
      for (auto& line : wrapper_lines(rule, arguments, by_role)) lines.push_back(std::move(line));
    lines.push_back(fmt::format("#include \"{}\"", rule.include));
    add(rule.routine, rule.file, rule.include, unit->end_line + 1, std::move(lines));
  }

  /// A subroutine's own name is read as another one in its head, and nowhere else.
  void rename(const std::string& file, const FixedFormSource& source, const ProgramUnit& unit,
              const std::string& name, const std::string& other) {
    const auto& head = source.statements()[static_cast<std::size_t>(unit.heads.front().statement)];
    add(name + " name", file, "", head.first, {fmt::format("#define {} {}", name, other)});
    add(name + " name end", file, "", head.last + 1, {fmt::format("#undef {}", name)});
  }

  /// The routine of that build, where a name can be put in the place of its own.
  const ProgramUnit* renamable(const std::string& file_name, const std::string& name,
                               const std::set<std::string>& build) const {
    const auto* unit = active_unit(file(file_name), name, build);
    return unit != nullptr && unit->heads.size() == 1 && !unit->split_head && unit->entries.empty() ? unit
                                                                                                    : nullptr;
  }

  void call_before(const CallBeforeRule& rule) {
    const auto& where = file(rule.file);
    const auto* unit = renamable(rule.file, rule.routine, stage_.options);
    if (unit == nullptr || unit->heads.front().kind != "SUBROUTINE" || !unit->heads.front().arguments.empty())
      return;
    rename(rule.file, *where.source, *unit, rule.routine, rule.stock);
    if (stage_.wraps.empty()) throw support::Error("rules: [[call_before]] needs a [[wrap]]");
    std::vector<std::string> lines{"      SUBROUTINE " + rule.routine};
    // `call` is in the program where the stage is.
    const auto& wrap = stage_.wraps.front();
    lines.push_back(fmt::format("#include \"{}\"", wrap.options_include));
    lines.push_back(fmt::format("#ifdef {}", wrap.covered));
    lines.push_back("      CALL " + rule.call);
    lines.emplace_back("#endif");
    lines.push_back(fmt::format("#undef {}", wrap.covered));
    for (const std::string& line :
         {"      CALL " + rule.stock, std::string("      RETURN"), std::string("      END")})
      lines.push_back(line);
    add(rule.routine, rule.file, "", unit->end_line + 1, std::move(lines));
    macros_.push_back("#define " + rule.macro);
  }

  void replace(const IfBlockRule& rule) {
    const auto& where = file(rule.file);
    const auto* unit = active_unit(where, rule.routine, build_);
    if (unit == nullptr) return;
    const auto block = if_block_around(*where.source, *unit, rule.statement, build_);
    if (!block || !are_local(rule.locals, *where.source, *unit)) return;
    const auto digest = block_digest(*where.source, *unit, *block, rule.locals, build_);
    out_.digests[rule.routine] = digest;
    if (std::find(rule.digests.begin(), rule.digests.end(), digest) == rule.digests.end()) return;
    // With other options the routine has other statements.
    std::string condition = rules_.macro;
    for (const auto& macro : macros_around(*where.source, *unit))
      condition += (build_.contains(macro) ? " && " : " && !") + macro;
    for (const auto& line : {"#if " + condition, "#define " + rule.macro, std::string("#endif")})
      macros_.push_back(line);
    out_.blocks[rule.file].push_back({condition, rules_.name, block->first, block->last, rule.lines});
    out_.sites.push_back({rule.routine + " block", rule.file, "", block->first + 1});
  }

  /// Whether a routine declares each of the names DOUBLE PRECISION, and shares none with others: a digest
  /// does not tell.
  bool are_local(const std::vector<std::string>& names, const FixedFormSource& source,
                 const ProgramUnit& unit) const {
    const auto shares = [](const Statement& statement, const std::string& name) {
      return has_word(statement.text, name) &&
             (statement.text.starts_with("COMMON") || statement.text.starts_with("EQUIVALENCE") ||
              statement.text.starts_with("NAMELIST"));
    };
    const auto& all = source.statements();
    const auto begin = all.begin() + unit.first_statement, end = all.begin() + unit.end_statement;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      const auto shared = [&](const Statement& statement) { return shares(statement, name); };
      const auto declared = [&](const Statement& statement) {
        constexpr std::string_view kType = "DOUBLEPRECISION";
        return statement.text.starts_with(kType) && has_word(statement.text.substr(kType.size()), name);
      };
      if (std::any_of(begin, end, shared) || std::none_of(begin, end, declared)) return false;
      if (stage_.header.empty()) return true;
      const auto& header = file(stage_.header).source->statements();
      return std::none_of(header.begin(), header.end(), shared);
    });
  }

  void replace(const ReplaceRule& rule) {
    const auto& where = file(rule.file);
    const auto* unit = renamable(rule.file, rule.routine, build_);
    if (unit == nullptr) return;
    const auto& its = unit->heads.front();
    if (its.type + (its.type.empty() ? "" : " ") + its.kind != rule.head ||
        static_cast<int>(its.arguments.size()) != rule.arguments || !missing_in_header(rule.names).empty())
      return;
    auto names = rule.beside;
    for (const auto& name : names)
      if (renamable(rule.file, name, build_) == nullptr) return;
    names.push_back(rule.routine);
    if (!rule.called_by.empty() && std::any_of(names.begin(), names.end(), [&](const std::string& name) {
          return is_named_elsewhere(name, rule.called_by, where);
        }))
      return;
    // A function's name is that of its result, too: it is read as the other one down to its END.
    const auto& head = where.source->statements()[static_cast<std::size_t>(unit->heads.front().statement)];
    const auto unless = [&](const std::string& line) {
      std::vector<std::string> lines;
      for (const auto& macro : rule.not_covered) lines.push_back(fmt::format("#if !{}", macro));
      lines.push_back(line);
      for (std::size_t i = 0; i < rule.not_covered.size(); ++i) lines.emplace_back("#endif");
      return lines;
    };
    add(rule.routine + " name", rule.file, "", head.first,
        unless(fmt::format("#define {} {}", rule.routine, rule.stock)));
    std::vector<std::string> lines;
    if (!rule.include.empty()) lines = unless(fmt::format("#include \"{}\"", rule.include));
    lines.insert(lines.begin(), fmt::format("#undef {}", rule.routine));
    add(rule.routine, rule.file, rule.include, unit->end_line + 1, std::move(lines));
  }

  /// Whether a routine of the file names another one and is neither that one nor one of `called_by`.
  static bool is_named_elsewhere(const std::string& name, const std::vector<std::string>& called_by,
                                 const StockFile& where) {
    const auto& statements = where.source->statements();
    return std::any_of(where.units->begin(), where.units->end(), [&](const ProgramUnit& unit) {
      if (unit.has_name(name) ||
          std::any_of(called_by.begin(), called_by.end(),
                      [&](const std::string& caller) { return unit.has_name(caller); }))
        return false;
      return std::any_of(statements.begin() + unit.first_statement, statements.begin() + unit.end_statement,
                         [&](const Statement& statement) {
                           // Fixed form has no blanks.
                           return has_word(statement.text, name) || has_word(statement.text, "CALL" + name);
                         });
    });
  }

  /// Adds the macro of a rule whose routine has, or lacks, its text.
  void define(const MacroRule& rule) {
    auto build = build_;
    build.insert(rule.option);
    const auto& where = file(rule.file);
    const auto* unit = active_unit(where, rule.routine, build);
    if (unit == nullptr) return;
    const auto& statements = where.source->statements();
    const auto holds_text = [&](const std::string& text) {
      return std::any_of(statements.begin() + unit->first_statement, statements.begin() + unit->end_statement,
                         [&](const Statement& statement) {
                           return statement.text.find(text) != std::string::npos &&
                                  is_active(*where.source, statement.branch, build);
                         });
    };
    if ((!rule.has.empty() && !holds_text(rule.has)) || (!rule.lacks.empty() && holds_text(rule.lacks)))
      return;
    defined_.insert(rule.name);
    macros_.push_back("#define " + rule.name);
  }

  void wrap(const WrapFileRule& rule) {
    const auto& where = file(rule.file);
    for (const auto& name : rule.functions)
      if (first_line_with(where.text->bytes(), {name}) < 0)
        throw support::Error(fmt::format("{} has no function {}", rule.file, name));
    for (const auto& [name, needed] : rule.arguments)
      if (const int count = argument_count(where.text->bytes(), name); std::to_string(count) != needed)
        throw support::Error(fmt::format("{}: {} has {} arguments, and the stage calls it with {}", rule.file,
                                         name, count, needed));
    for (const auto& word : rule.words)
      if (!has_word(where.text->bytes(), word))
        throw support::Error(fmt::format("{} has no {}", rule.file, word));
    if (!where.text->has_final_line_end())
      throw support::Error(fmt::format("{} ends within a line", rule.file));
    add("names", rule.file, rule.names_include, first_line_with(where.text->bytes(), rule.functions),
        {fmt::format("#include \"{}\"", rule.names_include)});
    add("functions", rule.file, rule.include, where.text->line_count(),
        {fmt::format("#include \"{}\"", rule.include)});
  }

  void add(const std::string& rule, const std::string& name, const std::string& include, int line,
           std::vector<std::string> lines) {
    out_.blocks[name].push_back({rules_.macro, rules_.name, line, line - 1, std::move(lines)});
    out_.sites.push_back({rule, name, include, line + 1});
  }

  /// What of the stage the build has.
  void judge() {
    std::set<std::string> missing = stage_.needed;
    std::erase_if(missing, [&](const auto& macro) { return build_.contains(macro); });
    if (!missing.empty()) {
      out_.covered = "none";
      out_.reason =
          fmt::format("{} {} not chosen", chosen(missing, missing), missing.size() == 1 ? "is" : "are");
      return;
    }
    if (const auto others = chosen(stage_.not_covered, build_); !others.empty()) {
      out_.covered = "none";
      out_.reason = fmt::format("{} {} not covered; build without for the gain", others,
                                others.starts_with("options") ? "are" : "is");
      return;
    }
    for (const auto& limited : stage_.limited) {
      if (!build_.contains(limited.option)) continue;
      std::set<std::string> left = limited.needed;
      std::erase_if(left, [&](const auto& macro) { return build_.contains(macro); });
      const auto option = chosen({limited.option}, build_);
      const auto others = chosen(limited.not_covered, build_);
      if (left.empty() && others.empty()) continue;
      out_.covered = "none";
      out_.reason = left.empty() ? fmt::format("{} is not covered together with {}", option, others)
                                 : fmt::format("{} is not covered without {}", option, chosen(left, left));
      return;
    }
    std::set<std::string> by_bunch = stage_.by_bunch;
    std::erase_if(by_bunch, [&](const std::string& option) {
      const auto macro = stage_.whole_with.find(option);
      return macro != stage_.whole_with.end() && defined_.contains(macro->second);
    });
    const auto loop = chosen(by_bunch, build_);
    out_.covered = loop.empty() ? "whole" : "bunches";
    if (!loop.empty())
      out_.reason = fmt::format("{} {} CORSIKA's own loop; build without for the whole gain", loop,
                                loop.starts_with("options") ? "need" : "needs");
  }

  const RuleSet& rules_;
  const StageRules& stage_;
  const std::map<std::string, StockFile>& files_;
  std::set<std::string> build_;
  std::vector<std::string> macros_;  // lines of [[call_before]], [[if_block]] and [[macro]] for [[wrap]]
  std::set<std::string> defined_;    // by [[macro]]
  Insertions out_;
};

}  // namespace

Insertions plan_insertions(const RuleSet& rules, const std::map<std::string, StockFile>& files,
                           const std::set<std::string>& build) {
  return Planner(rules, files, build).plan();
}

}  // namespace corsika_patches
