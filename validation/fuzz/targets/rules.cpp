// The patcher's rule files. The input is a TOML file.
#include "corsika-patches/rules.h"

#include "fuzz.hpp"

namespace fuzz::rules {

FUZZ_TARGET(rules) {
  const auto file = fuzz::file("rules.toml", input.rest());
  corsika_patches::RuleSet rules;
  if (fuzz::refusal([&] { rules = corsika_patches::load_rules(file); })) return;
  fuzz::require(!rules.name.empty() && !rules.macro.empty(), "rules that were read have a name and a macro");
  fuzz::require(rules.stage || !rules.rules.each("routine").empty(), "rules that were read name a routine");
  for (const auto& routine : rules.rules.each("routine"))
    fuzz::require(!routine.list("names").empty() && !routine.text("include").empty(),
                  "a rule names routines and what takes their place");
}

}  // namespace fuzz::rules
