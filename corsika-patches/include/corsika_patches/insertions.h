// Which lines put the Cherenkov stage in the place of routines of CORSIKA. Changes no file: returns
// what to insert, as Blocks (edits.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "corsika_patches/edits.h"
#include "corsika_patches/known_routines.h"
#include "corsika_patches/proofs.h"
#include "corsika_patches/rules.h"

namespace corsika_patches {

/// The build that `Insertions` speaks of, and what is proven.
struct StageRequest {
  std::set<std::string> options;  ///< macros, as __SLANT__; empty: those that the rules name
  std::vector<Proof> proofs;
};

/// The lines of the stage, and its tier and trust in a build (docs/cherenkov.md#tier-and-trust).
struct Insertions {
  std::map<std::string, std::vector<Block>> blocks;  ///< by file
  struct Site {
    std::string rule, file, include;
    int line = 0;  ///< before this stock line, counted from 1
  };
  std::vector<Site> sites;
  std::vector<SeenRoutine> seen;      ///< the routines that the stage relies on
  std::vector<SeenRoutine> optional;  ///< those of [[if_block]]; the block of one that is not known stays
  std::string tier;                   ///< whole, bunches, or none
  std::string trust;  ///< known: the rules list these routines' digests; proven: a proof names them; held
                      ///< off: neither, so the stage is switched off. Empty for tier none
  /// One line: why it is not the whole stage, or why it is held off, and what to do. May be empty.
  std::string reason;
  std::uint64_t steps = 0;  ///< that the proof compared, for trust `proven`; else 0
  /// True if the stage is left out of this tree (tier none): there are no blocks.
  bool left_out() const { return blocks.empty(); }
};

/// Where the lines of a rule set go. All of them or none: where a file, a routine, a name or an argument is
/// missing, the tier is none, `reason` says why, and there are no blocks.
Insertions plan_insertions(const RuleSet& rules, const std::map<std::string, StockFile>& files,
                           const StageRequest& request);

}  // namespace corsika_patches
