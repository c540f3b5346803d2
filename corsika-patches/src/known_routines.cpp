// Digests a tree's routines, build by build, and compares them with those of the rules and of proofs.
#include "corsika_patches/known_routines.h"

#include <fmt/format.h>

#include <algorithm>

#include "corsika_patches/options.h"
#include "corsika_patches/statement_text.h"
#include "support/error.hpp"

namespace corsika_patches {
namespace {

std::set<std::string> common(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> out;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
  return out;
}

/// More options than these are not tried in all combinations.
constexpr std::size_t kMostOptions = 8;

/// The subset of `options` whose members' bits are set.
std::set<std::string> subset(const std::vector<std::string>& options, unsigned bits) {
  std::set<std::string> out;
  for (std::size_t i = 0; i < options.size(); ++i)
    if ((bits >> i & 1U) != 0) out.insert(options[i]);
  return out;
}

/// Conditions, one of which holds where of `options` exactly the members of one of the sets in `all` are
/// chosen. One that is empty always holds. Two that differ in one option become one without it.
std::vector<std::string> conditions(const std::set<std::string>& options,
                                    const std::set<std::set<std::string>>& all) {
  const std::vector<std::string> names(options.begin(), options.end());
  using Term = std::pair<std::uint64_t, std::uint64_t>;  // options that are on, options that may be either
  std::set<Term> terms;
  for (const auto& on : all) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (on.contains(names[i])) bits |= std::uint64_t{1} << i;
    terms.emplace(bits, 0);
  }
  std::set<Term> settled;
  while (!terms.empty()) {
    std::set<Term> shorter;
    for (const auto& [bits, either] : terms) {
      bool merged = false;
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto bit = std::uint64_t{1} << i;
        if ((either & bit) != 0 || !terms.contains({bits ^ bit, either})) continue;
        shorter.emplace(bits & ~bit, either | bit);
        merged = true;
      }
      if (!merged) settled.emplace(bits, either);
    }
    terms = std::move(shorter);
  }
  std::vector<std::string> out;
  for (const auto& [bits, either] : settled) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if ((either >> i & 1U) != 0) continue;
      text += (text.empty() ? "" : " && ") + std::string((bits >> i & 1U) != 0 ? "" : "!") + names[i];
    }
    out.push_back(std::move(text));
  }
  return out;
}

}  // namespace

const ProgramUnit* active_unit(const StockFile& file, const std::string& name,
                               const std::set<std::string>& on) {
  if (file.units == nullptr) return nullptr;
  for (const auto& unit : *file.units)
    if (unit.has_name(name) && unit.irregular.empty() && is_active(*file.source, unit.frame, on))
      return &unit;
  return nullptr;
}

KnownRoutines::KnownRoutines(const StageRules& rules, const std::map<std::string, StockFile>& files)
    : rules_(rules), files_(files) {
  for (const auto& rule : rules.known) {
    auto found = std::find_if(routines_.begin(), routines_.end(), [&](const Routine& routine) {
      return routine.name == rule.name && routine.file == rule.file;
    });
    if (found == routines_.end()) found = routines_.insert(routines_.end(), Routine{rule.name, rule.file});
    found->rules.push_back(&rule);
  }
  add_users_of_unset_variables();
  for (auto& routine : routines_) survey(routine);
  for (auto& routine : routines_) look_elsewhere(routine);
}

void KnownRoutines::add_users_of_unset_variables() {
  const NotSetRule& rule = rules_.not_set;
  const auto file = files_.find(rule.file);
  if (file == files_.end() || file->second.units == nullptr) return;
  const auto uses_one = [&](const Statement& statement) {
    return std::any_of(rule.names.begin(), rule.names.end(),
                       [&](const std::string& name) { return has_word(statement.text, name); });
  };
  const auto& statements = file->second.source->statements();
  for (const auto& unit : *file->second.units) {
    const auto is_unit = [&](const std::string& name) { return unit.has_name(name); };
    if (std::any_of(rule.routines.begin(), rule.routines.end(), is_unit)) continue;
    if (std::any_of(statements.begin() + unit.first_statement, statements.begin() + unit.end_statement,
                    uses_one))
      routines_.push_back(Routine{unit.name(), rule.file});
  }
}

/// A routine of which there is only the name may do anything.
void KnownRoutines::look_elsewhere(Routine& routine) const {
  const auto linked = [&](const Routine& any) {
    return upper(any.name) + (files_.at(any.file).c != nullptr ? "" : "_");
  };
  const bool found = std::any_of(routines_.begin(), routines_.end(), [&](const Routine& other) {
    return other.there && linked(other) == linked(routine);
  });
  const auto& file = files_.at(routine.file);
  routine.elsewhere =
      !found && has_word(file.c != nullptr ? file.text->bytes() : upper(file.text->bytes()), routine.name);
  if (routine.elsewhere) routine.known.clear();
}

void KnownRoutines::survey(Routine& routine) {
  const auto file = files_.find(routine.file);
  if (file == files_.end()) throw support::Error(fmt::format("the tree has no {}", routine.file));
  if (file->second.units != nullptr)
    for (const auto& unit : *file->second.units)
      if (unit.has_name(routine.name)) {
        if (!unit.irregular.empty())
          throw support::Error(fmt::format("{}:{}: {} cannot be read: {}", routine.file, unit.begin_line + 1,
                                           routine.name, unit.irregular));
        routine.options.merge(macros_around(*file->second.source, unit));
      }
  for (const auto* rule : routine.rules)
    for (const auto* set : {&rule->chosen, &rule->not_chosen})
      routine.options.insert(set->begin(), set->end());
  for (const auto* settled : {&rules_.always, &rules_.needed, &rules_.not_covered})
    std::erase_if(routine.options, [&](const auto& option) { return settled->contains(option); });
  options_.insert(routine.options.begin(), routine.options.end());
  // Options of the rules first: beyond some number the others are taken as not chosen.
  std::vector<std::string> names(routine.options.begin(), routine.options.end());
  std::stable_partition(names.begin(), names.end(), [&](const auto& option) {
    return rules_.options.contains(option) || rules_.by_bunch.contains(option) ||
           std::any_of(rules_.limited.begin(), rules_.limited.end(),
                       [&](const LimitedOption& limited) { return limited.option == option; });
  });
  names.resize(std::min(names.size(), kMostOptions));
  for (unsigned bits = 0; bits < (1U << names.size()); ++bits) {
    auto build = subset(names, bits);
    const auto on = build;
    build.insert(rules_.always.begin(), rules_.always.end());
    build.insert(rules_.needed.begin(), rules_.needed.end());
    const auto seen = look_at(routine, build);
    routine.there = routine.there || seen;
    if (!seen || is_known(routine, *seen, build)) routine.known.insert(on);
  }
}

bool KnownRoutines::is_known(const Routine& routine, const SeenRoutine& seen,
                             const std::set<std::string>& build) {
  bool known = false;
  for (const auto* rule : routine.rules) {
    if (std::find(rule->digests.begin(), rule->digests.end(), seen.digest) == rule->digests.end()) continue;
    if (const auto macro = rule->macros.find(seen.digest); macro != rule->macros.end())
      macros_.insert(macro->second);
    known = known || (common(rule->chosen, build) == rule->chosen && common(rule->not_chosen, build).empty());
  }
  return known;
}

std::optional<SeenRoutine> KnownRoutines::look_at(const Routine& routine,
                                                  const std::set<std::string>& build) const {
  const auto& file = files_.at(routine.file);
  SeenRoutine seen{routine.name, routine.file, "", 0, false};
  if (routine.elsewhere) return seen;
  if (file.c != nullptr) {
    const auto functions = file.c->functions(routine.name);
    if (functions.empty()) return std::nullopt;
    seen.digest = c_digest(*file.c, routine.name, routine.rules.front()->with);
    seen.line = functions.front().line + 1;
  } else {
    const auto* unit = active_unit(file, routine.name, build);
    if (unit == nullptr) return std::nullopt;
    seen.digest = active_digest(*file.source, *unit, build);
    seen.line = unit->begin_line + 1;
  }
  seen.known = routine.known.contains(common(routine.options, build));
  return seen;
}

std::vector<SeenRoutine> KnownRoutines::seen(const std::set<std::string>& build) const {
  std::vector<SeenRoutine> out;
  for (const auto& routine : routines_)
    if (auto seen = look_at(routine, build)) out.push_back(std::move(*seen));
  return out;
}

std::set<std::string> KnownRoutines::build_of(const Proof& proof) const {
  auto build = proof.options;
  build.insert(rules_.always.begin(), rules_.always.end());
  return build;
}

bool KnownRoutines::holds_for(const Proof& proof) const {
  const auto routines = seen(build_of(proof));
  return !routines.empty() && std::all_of(routines.begin(), routines.end(), [&](const SeenRoutine& routine) {
    const auto proven = proof.routines.find(routine.name);
    return proven != proof.routines.end() && proven->second == routine.digest;
  });
}

const Proof* KnownRoutines::proof_for(const std::set<std::string>& build,
                                      const std::vector<Proof>& proofs) const {
  const Proof* best = nullptr;
  for (const auto& proof : proofs)
    if (common(options_, build) == common(options_, build_of(proof)) && holds_for(proof) &&
        (best == nullptr || proof.steps > best->steps))
      best = &proof;
  return best;
}

std::vector<std::string> KnownRoutines::held_off_lines(const std::vector<Proof>& proofs) const {
  std::vector<std::string> lines{fmt::format("#define {}", rules_.held_off)};
  const auto undefine = [&](const std::vector<std::string>& all) {
    for (const auto& each : all) lines.push_back("#if " + each);
    lines.push_back(fmt::format("#undef {}", rules_.held_off));
    lines.insert(lines.end(), all.size(), "#endif");
    return all.empty();
  };
  const auto either = [](const std::vector<std::string>& list) {
    if (list.size() == 1) return list.front();
    std::string out;
    for (const auto& each : list) out += (out.empty() ? "( " : " || ( ") + each + " )";
    return out;
  };
  std::vector<std::string> known;
  bool possible = true;
  for (const auto& routine : routines_) {
    possible = possible && !routine.known.empty();
    if (const auto each = either(conditions(routine.options, routine.known)); !each.empty())
      known.push_back(each);
  }
  if (possible && undefine(known)) return {};
  std::set<std::set<std::string>> proven;
  for (const auto& proof : proofs)
    if (holds_for(proof)) proven.insert(common(options_, build_of(proof)));
  if (proven.empty()) return lines;
  const auto each = either(conditions(options_, proven));
  undefine(each.empty() ? std::vector<std::string>{} : std::vector{each});
  return lines;
}

}  // namespace corsika_patches
