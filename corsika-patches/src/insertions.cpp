// Plans the lines of a stage: looks at the routines that it relies on, then for the place of each line.
#include "corsika_patches/insertions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "corsika_patches/options.h"
#include "corsika_patches/statement_text.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

/// The routine of that name that the options leave in.
const ProgramUnit* active_unit(const StockFile& file, const std::string& name,
                               const std::set<std::string>& on) {
  for (const auto& unit : *file.units)
    if (unit.has_name(name) && unit.irregular.empty() && is_active(*file.source, unit.frame, on))
      return &unit;
  return nullptr;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto part = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !part(at - 1)) && !part(at + word.size())) return true;
  return false;
}

class Planner {
 public:
  Planner(const RuleSet& rules, const std::map<std::string, StockFile>& files)
      : rules_(rules), files_(files) {}

  Insertions plan() {
    try {
      for (const auto& known : rules_.known) look_at(known);
      for (const auto& insertion : rules_.insertions)
        insertion.routine.empty() ? append(insertion) : insert(insertion);
    } catch (const support::Error& error) {
      leave_out(error.what());
    }
    if (!out_.left_out.empty()) {
      out_.blocks.clear();
      out_.sites.clear();
    }
    return std::move(out_);
  }

 private:
  void leave_out(const std::string& why) {
    if (out_.left_out.empty()) out_.left_out = why;
  }
  const StockFile* file(const std::string& name) {
    const auto found = files_.find(name);
    if (found != files_.end()) return &found->second;
    leave_out(fmt::format("the tree has no {}", name));
    return nullptr;
  }
  void look_at(const KnownRoutine& known) {
    const auto* where = file(known.file);
    if (where == nullptr) return;
    const auto& options = known.options.empty() ? rules_.options : known.options;
    const auto* unit = active_unit(*where, known.name, options);
    if (unit == nullptr) return leave_out(fmt::format("{} has no routine {}", known.file, known.name));
    Insertions::Seen seen{known.name, known.file, active_digest(*where->source, *unit, options),
                          unit->begin_line + 1, false};
    seen.known = std::find(known.shapes.begin(), known.shapes.end(), seen.digest) != known.shapes.end();
    if (!seen.known && !known.otherwise.empty())
      defines_.push_back("#define " + known.otherwise);
    else if (!seen.known)
      leave_out(fmt::format("{}:{}: {} is in no shape that the rules know (digest {})", known.file,
                            unit->begin_line + 1, known.name, seen.digest.substr(0, 16)));
    if (const auto macro = known.macros.find(seen.digest); macro != known.macros.end())
      defines_.push_back("#define " + macro->second);
    out_.seen.push_back(std::move(seen));
  }
  void insert(const InsertionRule& rule) {
    const auto* where = file(rule.file);
    if (where == nullptr) return;
    const auto& statements = where->source->statements();
    std::size_t first = 0, end = statements.size();
    int head = 0;
    if (rule.routine != "*") {
      const auto* unit = active_unit(*where, rule.routine, rules_.options);
      if (unit == nullptr) return leave_out(fmt::format("{} has no routine {}", rule.file, rule.routine));
      first = static_cast<std::size_t>(unit->first_statement);
      end = static_cast<std::size_t>(unit->end_statement) + 1;
      head = unit->begin_line + 1;
    }
    bool found = false;
    for (std::size_t i = first; i < end; ++i) {
      const auto& statement = statements[i];
      if (!is_meant(rule, statement.text)) continue;
      const bool active = is_active(*where->source, statement.branch, rules_.options);
      if (head != 0 && active) return add(rule, statement.first);
      if (head != 0) continue;
      // Whoever jumps to a label would not come by lines that stand before it.
      if (!statement.label.empty())
        return leave_out(fmt::format("{}:{}: {} has a label", rule.file, statement.first + 1, rule.before));
      add(rule, statement.first);
      found = found || active;
    }
    if (found) return;
    if (head == 0) return leave_out(fmt::format("{} has no statement {}", rule.file, rule.before));
    leave_out(fmt::format("{}:{}: {} has no statement {}", rule.file, head, rule.routine, rule.before));
  }
  /// Whether lines of the rule go before that statement: before its text, or, where the rule's text ends with
  /// "(", before what begins with it, under a logical IF as well.
  static bool is_meant(const InsertionRule& rule, const std::string& statement) {
    if (!rule.before.ends_with('(')) return statement == rule.before;
    return statement.starts_with(rule.before) ||
           (statement.starts_with("IF(") && statement.find(")" + rule.before) != std::string::npos);
  }
  void append(const InsertionRule& rule) {
    const auto* where = file(rule.file);
    if (where == nullptr) return;
    for (const auto& word : rule.words)
      if (!has_word(where->text->bytes(), word))
        return leave_out(fmt::format("{} has no {}", rule.file, word));
    if (!where->text->has_final_line_end()) return leave_out(fmt::format("{} ends within a line", rule.file));
    add(rule, where->text->line_count());
  }
  void add(const InsertionRule& rule, int line) {
    auto lines = rule.routine.empty() ? std::vector<std::string>() : defines_;
    lines.push_back(fmt::format("#include \"{}\"", rule.include));
    out_.blocks[rule.file].push_back({rules_.flag, rules_.name, line, line - 1, std::move(lines)});
    out_.sites.push_back({rule.rule, rule.file, rule.include, line + 1});
  }

  const RuleSet& rules_;
  const std::map<std::string, StockFile>& files_;
  std::vector<std::string> defines_;
  Insertions out_;
};

}  // namespace

Insertions plan_insertions(const RuleSet& rules, const std::map<std::string, StockFile>& files) {
  return Planner(rules, files).plan();
}

}  // namespace corsika_patches
