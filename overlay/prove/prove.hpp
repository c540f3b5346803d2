// Makes a proof of the Cherenkov stage on one tree: a record that N steps were compared with CORSIKA's and
// none differed. The program compares them step by step in many short runs, whose outputs must be those of
// stock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "overlay/build/build.hpp"
#include "overlay/proof/proof.hpp"

namespace overlay {

/// How much is checked.
struct ProofOptions {
  std::uint64_t steps = kProofSteps;  ///< with light, in sum, at least
  int jobs = 0;                       ///< runs at a time; 0: as many as there are processors
  double timeout_s = 900;             ///< of one run
};

/// What the runs came to.
struct ProofResult {
  bool equal = false;
  Proof proof;                 ///< of the runs that ended; `conditions` are filled in by the caller
  std::uint64_t left_out = 0;  ///< runs whose card this program refuses
  std::string run;             ///< where not equal: the run that shows it
  std::string difference;      ///< the line that the check ended with
  std::string card;            ///< card that repeats the difference
  std::string repeat;          ///< environment variables for it; empty where no run differs
};

/// Runs the programs of `set` ("patched", and "stock" where it is there) until the first difference, or until
/// kCardPeriod runs or more have checked ProofOptions::steps steps with light and enough of each kind: one
/// in 10,000 of ProofOptions::steps, at least 10 and at most 1000. (Kinds: hits, steps with one bunch, ...,
/// by what is covered, and options; kinds_wanted() in prove.cpp.) It ends after 4 * kCardPeriod runs
/// (proof_run.hpp) in any case. ProofResult::equal is false if a kind was too rare, or if the stage did
/// nothing where it ran alone. On a terminal it says how far it is.
/// poll: called about once a second, by each thread; may throw to end the runs. Throws support::Error where
/// runs cannot be made, and what `poll` throws.
ProofResult prove_programs(const BuildSet& set, const ProofOptions& options,
                           const std::function<void()>& poll = {});

/// As build_profile(). A stage that is neither known nor proven is proven first: says so in three lines on
/// standard error, and remembers what came of it, also where it failed or could not be made; the stage then
/// stays off. Not where BuildRequest::prove is false, or where that is remembered already.
BuildSet build_proven(BuildRequest request, const std::vector<std::string>& which);

/// Builds what is missing, proves in any case, and remembers it. Prints what came of it. Returns 0; 1 where a
/// difference was found. Throws support::Error where there is no stage to prove.
int prove_cherenkov(BuildRequest request, const ProofOptions& options);

}  // namespace overlay
