// Makes a proof of the Cherenkov stage on one tree: a record that N steps were compared with CORSIKA's and
// none differed. The program compares them step by step in many short runs, whose outputs must be those of
// stock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "overlay/build/build.hpp"
#include "overlay/build/stage_trust.hpp"
#include "overlay/proof/proof.hpp"

namespace overlay {

/// How much is checked.
struct ProofOptions {
  std::uint64_t steps = 10'000'000;  ///< with light, in sum, at least
  int jobs = 0;                      ///< runs at a time; 0: as many as there are processors
  double timeout_s = 900;            ///< of one run
  bool remember = false;             ///< put the proof into the user's own list, too
};

/// What the runs came to.
struct ProofResult {
  bool equal = false;
  Proof proof;  ///< of the runs that ended; `conditions` and `routines` are filled in by the caller
  std::uint64_t left_out = 0;  ///< runs whose card this program refuses
  std::string run;             ///< where not equal: the run that shows it
  std::string difference;      ///< the line that the check ended with
  std::string card;            ///< card that repeats the difference
  std::string repeat;          ///< environment variables for it; empty where no run differs
};

/// Runs the programs of `set` ("patched", and "stock" where it is there) until the first difference, or until
/// kSpreadPeriod runs or more have checked ProofOptions::steps steps with light and enough of each kind: one
/// in 10,000 of ProofOptions::steps, at least 10 and at most 1000. (Kinds: hits, steps with one bunch, ...,
/// by `tier` and options; kinds_wanted() in prove.cpp.) It ends after 4 * kSpreadPeriod runs
/// (card_spread.hpp) in any case. ProofResult::equal is false if a kind was too rare, or if the stage did
/// nothing where it ran alone. Says on standard error how far it is. `tier`: that of the stage. poll: called
/// about once a second, by each thread; may throw to end the runs. Throws support::Error where runs cannot be
/// made, and what `poll` throws.
ProofResult prove_programs(const BuildSet& set, const std::string& tier, const ProofOptions& options,
                           const std::function<void()>& poll = {});

/// Builds what is missing, proves, and writes the proof beside the builds. Prints what came of it. Returns 0;
/// 1 where a difference was found. Throws support::Error where there is no stage to prove.
int prove_cherenkov(const BuildRequest& request, const ProofOptions& options);

/// As prove_cherenkov, for --prove. Does nothing where the stage is known, already proven, or not in the
/// program. Prints to standard error. Throws support::Error where a difference was found.
void prove_where_held_off(const BuildRequest& request);

}  // namespace overlay
