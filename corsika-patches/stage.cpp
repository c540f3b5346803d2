// Plans the lines of a stage: checks that the tree has what they need, then finds the place of each.
#include "corsika-patches/stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "corsika-patches/recognise.h"
#include "corsika-patches/statement_text.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

using Names = std::vector<std::string>;

/// CEFFIC of __CEFFIC__.
std::string option_name(const std::string& macro) {
  return macro.starts_with("__") && macro.ends_with("__") && macro.size() > 4
             ? macro.substr(2, macro.size() - 4)
             : macro;
}

/// "option A is", "options A, B and C are", with `one` or `many` behind the macros' names; empty where there
/// is none.
std::string options(const std::set<std::string>& macros, const char* one = "", const char* many = "") {
  std::string out;
  for (std::size_t left = macros.size(); const auto& macro : macros)
    out += option_name(macro) + (--left == 0 ? "" : left == 1 ? " and " : ", ");
  if (macros.empty()) return "";
  return (macros.size() == 1 ? "option " : "options ") + out + (macros.size() == 1 ? one : many);
}

template <typename Is>
bool any_statement(const SourceFile& where, const ProgramUnit& unit, Is&& is) {
  const auto& all = where.source->statements();
  return std::any_of(all.begin() + unit.first_statement, all.begin() + unit.end_statement, is);
}

std::string include_line(const std::string& file) { return fmt::format("#include \"{}\"", file); }

void append(Names& lines, const Names& more) { lines.insert(lines.end(), more.begin(), more.end()); }

class Planner {
 public:
  Planner(const RuleSet& rules, const std::map<std::string, SourceFile>& files,
          const std::set<std::string>& build)
      : macro_(rules.macro), name_(rules.name), rules_(rules.rules), files_(files) {
    for (const char* key : {"options", "always", "needed"}) usual_.merge(rules_.set(key));
    needed_ = rules_.list("needed");
    build_ = build.empty() ? usual_ : build;
    build_.merge(rules_.set("always"));
  }

  Json plan(std::map<std::string, std::vector<Block>>& blocks) {
    try {
      for (const auto& rule : rules_.each("wrap_file")) wrap_file(rule);
      if (const auto name = missing_in_header(header().list("names")); !name.empty())
        throw support::Error(fmt::format("{} declares no {}", header().text("file"), name));
      for (const auto& rule : rules_.each("replace"))
        if (const auto option = rule.text("in_place_of"); !option.empty() && to_replace(rule) == nullptr)
          needed_.push_back(option);
      for (const auto& rule : rules_.each("call_before")) call_before(rule);
      for (const auto& rule : rules_.each("if_block")) replace_if_block(rule);
      for (const auto& rule : rules_.each("macro"))
        if (has_text(rule)) macros_.push_back("#define " + rule.text("name"));
      for (const auto& rule : rules_.each("light_option"))
        if (has_text(rule) && missing_in_header(rule.list("variables")).empty())
          light_options_.push_back(rule);
      for (const auto& rule : rules_.each("wrap")) wrap(rule);
      for (const auto& rule : rules_.each("replace")) replace(rule);
      judge();
    } catch (const support::Error& error) {
      blocks_.clear();
      sites_ = digests_ = Json();
      covered_ = "none";
      reason_ = not_chosen();  // nobody misses what the stage needs
      if (reason_.empty()) {
        reason_ = error.what();
        if (reason_.find(';') == std::string::npos)
          reason_ += "; take the stock file, or report this release";
      }
    }
    Json entry = {
        {"name", name_}, {"action", blocks_.empty() ? "left out" : "inserted"}, {"covered", covered_}};
    if (!reason_.empty()) entry["reason"] = reason_;
    if (!sites_.is_null()) entry["sites"] = sites_;
    if (!digests_.is_null()) entry["digests"] = digests_;
    for (const auto& [file, more] : blocks_)
      blocks[file].insert(blocks[file].end(), more.begin(), more.end());
    return entry;
  }

 private:
  Rule header() const { return rules_.table("header"); }

  const SourceFile& file(const std::string& name) const {
    const auto found = files_.find(name);
    if (found == files_.end())
      throw support::Error(
          fmt::format("the tree has no {}{}", name,
                      name.ends_with(".c") ? "; unpack its package, as coconut does, and patch again" : ""));
    return found->second;
  }

  /// A variable or constant of `names` that the tree's header does not declare; empty where there is none.
  std::string missing_in_header(const Names& names) const {
    if (header().text("file").empty()) return "";
    std::set<std::string> declared;
    for (const auto& statement : file(header().text("file")).source->statements())
      if (statement.text.starts_with("COMMON") || statement.text.starts_with("PARAMETER"))
        for (auto& name : identifiers(statement.text)) declared.insert(std::move(name));
    for (const auto& name : names)
      if (!declared.contains(name)) return name;
    return "";
  }

  void add(const std::string& rule, const std::string& name, const std::string& include, int line,
           Names lines) {
    blocks_[name].push_back({macro_, name_, line, line - 1, std::move(lines)});
    sites_.push_back({{"rule", rule}, {"file", name}, {"line", line + 1}});
    if (!include.empty()) sites_.back()["include"] = include;
  }

  void wrap(const Rule& rule) {
    const auto name = rule.text("file"), routine = rule.text("routine");
    const auto& where = file(name);
    const auto* unit = where.active_unit(routine, usual_);
    if (unit == nullptr) throw support::Error(fmt::format("{} has no routine {}", name, routine));
    for (const char* key : {"stock", "step", "end", "not_covered_routine", "options_routine"})
      for (const auto& other : where.units)
        if (other.has_name(rule.text(key)))
          throw support::Error(fmt::format("{}:{}: {} is a name that the overlay needs", name,
                                           other.begin_line + 1, rule.text(key)));
    const auto arguments = wrapped_arguments(*where.source, *unit, name);
    const auto by_role = arguments_by_role(rule, arguments, fmt::format("{}:{}", name, unit->begin_line + 1));
    rename(rule, *unit);
    Names lines = macros_;
    append(lines, covered_lines());
    append(lines, by_bunch_lines(rule));
    if (!is_standard(rule, arguments)) standard_only_ = rule.set("standard_only");
    append(lines, wrapper_lines(rule, arguments, by_role));
    append(lines, light_option_lines(rule, header().text("file"), light_options_));
    lines.push_back(include_line(rule.text("include")));
    add(routine, name, rule.text("include"), unit->end_line + 1, std::move(lines));
  }

  /// What holds in builds with the stage.
  std::string covered_condition() const {
    const auto all = [](const Names& with, const Names& without) {
      std::string condition;
      for (const auto& macro : with) condition += (condition.empty() ? "" : " && ") + macro;
      for (const auto& macro : without) condition += (condition.empty() ? "!" : " && !") + macro;
      return condition;
    };
    std::string condition = all(needed_, rules_.list("not_covered"));
    for (const auto& limit : limited())
      condition += fmt::format(" && (!{} || ({}))", limit.text("option"),
                               all(limit.list("needed"), limit.list("not_covered")));
    return condition;
  }

  /// Defines the `covered_macro` of [[wrap]] there.
  Names covered_lines() const {
    return {"#if " + covered_condition(), "#define " + covered() + " 1", "#endif"};
  }

  /// Those of [[limited]] that count in this tree.
  std::vector<Rule> limited() const {
    auto all = rules_.each("limited");
    std::erase_if(all, [&](const Rule& r) { return r.flag("by_bunch") && is_whole(r.text("option")); });
    return all;
  }

  std::string covered() const { return rules_.each("wrap").at(0).text("covered_macro"); }

  /// Whether the stage takes whole steps in spite of this option of `by_bunch`.
  bool is_whole(const std::string& option) const {
    return std::any_of(light_options_.begin(), light_options_.end(),
                       [&](const Rule& rule) { return rule.text("option") == option; });
  }

  /// Defines the `by_bunch_macro` of [[wrap]] as the option because of which CORSIKA's own loop goes on.
  Names by_bunch_lines(const Rule& wrap) const {
    Names lines;
    for (const auto& option : rules_.list("by_bunch")) {
      if (is_whole(option)) continue;
      lines.push_back((lines.empty() ? "#if " : "#elif ") + option);
      lines.push_back(fmt::format("#define {} '{}'", wrap.text("by_bunch_macro"), option_name(option)));
    }
    if (!lines.empty()) lines.emplace_back("#endif");
    return lines;
  }

  /// A subroutine's own name is read as another one in its head, and nowhere else.
  void rename(const Rule& rule, const ProgramUnit& unit) {
    const auto name = rule.text("file"), routine = rule.text("routine");
    const auto& head = file(name).source->statement(unit.heads.front().statement);
    add(routine + " name", name, "", head.first, {fmt::format("#define {} {}", routine, rule.text("stock"))});
    add(routine + " name end", name, "", head.last + 1, {fmt::format("#undef {}", routine)});
  }

  /// The routine of that build, where a name can be put in the place of its own.
  const ProgramUnit* renamable(const std::string& file_name, const std::string& name,
                               const std::set<std::string>& build) const {
    const auto* unit = file(file_name).active_unit(name, build);
    return unit != nullptr && unit->heads.size() == 1 && !unit->split_head && unit->entries.empty() ? unit
                                                                                                    : nullptr;
  }

  void call_before(const Rule& rule) {
    const auto name = rule.text("file"), routine = rule.text("routine");
    const auto* unit = renamable(name, routine, usual_);
    if (unit == nullptr || unit->heads.front().kind != "SUBROUTINE" || !unit->heads.front().arguments.empty())
      return;
    rename(rule, *unit);
    // `call` is in the program where the stage is.
    Names lines{"      SUBROUTINE " + routine};
    append(lines, covered_lines());
    append(lines, {"#ifdef " + covered(), "      CALL " + rule.text("call"), "#endif", "#undef " + covered(),
                   "      CALL " + rule.text("stock"), "      RETURN", "      END"});
    add(routine, name, "", unit->end_line + 1, std::move(lines));
    macros_.push_back("#define " + rule.text("macro"));
  }

  void replace_if_block(const Rule& rule) {
    const auto name = rule.text("file"), routine = rule.text("routine");
    const auto& where = file(name);
    const auto* unit = where.active_unit(routine, build_);
    if (unit == nullptr) return;
    const auto locals = rule.list("locals");
    const auto block = if_block_around(*where.source, *unit, rule.text("statement"), build_);
    if (!block || !are_local(locals, where, *unit)) return;
    const auto digest = block_digest(*where.source, *unit, *block, locals, build_);
    digests_[routine] = digest;
    if (!rule.set("shapes").contains(digest)) return;
    // With other options the routine has other statements.
    std::string condition = macro_ + " && " + covered_condition();
    for (const auto& macro : macros_around(*where.source, *unit))
      condition += (build_.contains(macro) ? " && " : " && !") + macro;
    for (const auto& line : {"#if " + condition, "#define " + rule.text("macro"), std::string("#endif")})
      macros_.push_back(line);
    blocks_[name].push_back({condition, name_, block->first, block->last, rule.list("lines")});
    sites_.push_back({{"rule", routine + " block"}, {"file", name}, {"line", block->first + 1}});
  }

  /// Whether a routine declares each of the names DOUBLE PRECISION, and shares none with others: a digest
  /// does not tell.
  bool are_local(const Names& names, const SourceFile& where, const ProgramUnit& unit) const {
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      const auto shared = [&](const Statement& statement) {
        return has_word(statement.text, name) &&
               (statement.text.starts_with("COMMON") || statement.text.starts_with("EQUIVALENCE") ||
                statement.text.starts_with("NAMELIST"));
      };
      const auto declared = [&](const Statement& statement) {
        std::string_view rest = statement.text;
        return take_literal(rest, "DOUBLEPRECISION") && has_word(rest, name);
      };
      if (any_statement(where, unit, shared) || !any_statement(where, unit, declared)) return false;
      if (header().text("file").empty()) return true;
      const auto& statements = file(header().text("file")).source->statements();
      return std::none_of(statements.begin(), statements.end(), shared);
    });
  }

  /// The routine of a [[replace]], its shape apart; null where it cannot be replaced.
  const ProgramUnit* to_replace(const Rule& rule) const {
    const auto* unit = renamable(rule.text("file"), rule.text("routine"), build_);
    if (unit == nullptr) return nullptr;
    const auto& its = unit->heads.front();
    const bool fits = its.type + (its.type.empty() ? "" : " ") + its.kind == rule.text("head") &&
                      static_cast<int>(its.arguments.size()) == rule.number("arguments") &&
                      missing_in_header(rule.list("names")).empty();
    return fits ? unit : nullptr;
  }

  void replace(const Rule& rule) {
    const auto name = rule.text("file"), routine = rule.text("routine"), include = rule.text("include");
    const auto& where = file(name);
    const auto* unit = to_replace(rule);
    if (unit == nullptr) return;
    const auto& its = unit->heads.front();
    if (const auto shapes = rule.set("shapes"); !shapes.empty()) {
      digests_[routine] = body_digest(*where.source, *unit);
      if (!shapes.contains(digests_[routine])) return;
    }
    const auto unless = [&](const std::string& line) {
      Names lines;
      for (const auto& macro : rule.list("not_covered")) lines.push_back(fmt::format("#if !{}", macro));
      lines.push_back(line);
      lines.resize(2 * lines.size() - 1, "#endif");
      return lines;
    };
    // A function's name is that of its result, too: it is read as the other one down to its END.
    add(routine + " name", name, "", where.source->statement(its.statement).first,
        unless(fmt::format("#define {} {}", routine, rule.text("stock"))));
    Names lines{fmt::format("#undef {}", routine)};
    if (!include.empty()) {
      append(lines, covered_lines());
      append(lines, unless(include_line(include)));
      lines.push_back("#undef " + covered());
    }
    add(routine, name, include, unit->end_line + 1, std::move(lines));
  }

  /// Whether the routine of a rule, in builds with its option, has the text `has` and not the text `lacks`.
  bool has_text(const Rule& rule) const {
    auto build = build_;
    build.insert(rule.text("option"));
    const auto& where = file(rule.text("file"));
    const auto* unit = where.active_unit(rule.text("routine"), build);
    if (unit == nullptr) return false;
    const auto holds = [&](const std::string& text) {
      return any_statement(where, *unit, [&](const Statement& statement) {
        return statement.text.find(text) != std::string::npos &&
               where.source->is_active(statement.branch, build);
      });
    };
    const auto has = rule.text("has"), lacks = rule.text("lacks");
    return (has.empty() || holds(has)) && (lacks.empty() || !holds(lacks));
  }

  void wrap_file(const Rule& rule) {
    const auto name = rule.text("file"), names_include = rule.text("names_include"),
               include = rule.text("include");
    const auto& text = file(name).text;
    for (const auto& function : rule.list("functions"))
      if (first_line_with(text.bytes(), {function}) < 0)
        throw support::Error(fmt::format("{} has no function {}", name, function));
    for (const auto& [function, needed] : rule.texts("arguments"))
      if (const int count = argument_count(text.bytes(), function); std::to_string(count) != needed)
        throw support::Error(fmt::format("{}: {} has {} arguments, and the stage calls it with {}", name,
                                         function, count, needed));
    for (const auto& word : rule.list("words"))
      if (!has_word(text.bytes(), word)) throw support::Error(fmt::format("{} has no {}", name, word));
    if (!text.has_final_line_end()) throw support::Error(fmt::format("{} ends within a line", name));
    add("names", name, names_include, first_line_with(text.bytes(), rule.list("functions")),
        {include_line(names_include)});
    add("functions", name, include, text.line_count(), {include_line(include)});
  }

  std::set<std::string> chosen(std::set<std::string> macros, bool wanted = true) const {
    std::erase_if(macros, [&](const auto& macro) { return build_.contains(macro) != wanted; });
    return macros;
  }

  /// Says which needed options the build lacks; empty where it has them all.
  std::string not_chosen() const {
    return options(chosen({needed_.begin(), needed_.end()}, false), " is not chosen", " are not chosen");
  }

  /// What of the stage the build has.
  void judge() {
    reason_ = not_chosen();
    if (!reason_.empty()) return;
    reason_ = options(chosen(rules_.set("not_covered")), " is not covered; build without for the gain",
                      " are not covered; build without for the gain");
    if (reason_.empty())
      reason_ =
          options(chosen(standard_only_), " is not covered where CERENK has other arguments than usual");
    if (!reason_.empty()) return;
    for (const auto& limit : limited()) {
      if (!build_.contains(limit.text("option"))) continue;
      const auto option = options({limit.text("option")});
      if (const auto left = options(chosen(limit.set("needed"), false)); !left.empty())
        reason_ = fmt::format("{} is not covered without {}", option, left);
      else if (const auto others = options(chosen(limit.set("not_covered"))); !others.empty())
        reason_ = fmt::format("{} is not covered together with {}", option, others);
      if (!reason_.empty()) return;
    }
    auto by_bunch = chosen(rules_.set("by_bunch"));
    std::erase_if(by_bunch, [&](const auto& option) { return is_whole(option); });
    covered_ = by_bunch.empty() ? "whole" : "bunches";
    reason_ = options(by_bunch, " needs CORSIKA's own loop; build without for the whole gain",
                      " need CORSIKA's own loop; build without for the whole gain");
  }

  const std::string macro_, name_;
  const Rule rules_;
  const std::map<std::string, SourceFile>& files_;
  std::set<std::string> usual_, build_;  // options where none are given; those of the build
  Names needed_;                         // options
  Names macros_;                         // lines of [[call_before]], [[if_block]] and [[macro]] for [[wrap]]
  std::set<std::string> standard_only_;  // options that CERENK as it is here does not let the stage cover
  std::vector<Rule> light_options_;      // that the tree has as their rules know them
  std::map<std::string, std::vector<Block>> blocks_;
  Json sites_, digests_;
  std::string covered_ = "none", reason_;
};

}  // namespace

Json plan_insertions(const RuleSet& rules, const std::map<std::string, SourceFile>& files,
                     const std::set<std::string>& build, std::map<std::string, std::vector<Block>>& blocks) {
  return Planner(rules, files, build).plan(blocks);
}

}  // namespace corsika_patches
