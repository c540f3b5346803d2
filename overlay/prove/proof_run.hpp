// One short run, checked: CORSIKA and the stage step by step in one program, then the stage alone against
// stock. Writes below the given folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "overlay/build/build.hpp"
#include "overlay/prove/proof_cards.hpp"

namespace overlay {

/// What the runs of a proof share.
struct ProofPrograms {
  const BuildSet& set;           ///< with "patched", and "stock" where it is built
  std::filesystem::path folder;  ///< of the run folders
  double timeout_s = 0;          ///< of one run; 0: none
  std::function<void()> poll{};  ///< called about once a second, by each thread; may throw to end a run
  bool gpu = false;              ///< whether runs may use one
};

/// What one short run came to.
struct ProofRun {
  enum class Outcome {
    equal,      ///< every step and every output file
    different,  ///< `reason` says where
    left_out    ///< stock does not run this card either; `reason` says why
  };
  Outcome outcome = Outcome::equal;
  std::string reason;
  std::string repeat;                           ///< environment of the program that shows the difference
  std::map<std::string, std::uint64_t> counts;  ///< of the check: steps, bunches, hits, ...
  std::uint64_t stage_bunches = 0;              ///< that the stage took or looked at where it ran alone
  std::map<std::string, double> cpu_s;          ///< CPU time as stock, checked ("check"), with the stage
};

/// Counts of the line that a checked program ends with; empty where there is none, because the shower made no
/// charged particle. `errors`: what it wrote to standard error.
std::map<std::string, std::uint64_t> check_counts(const std::string& errors);

/// The line of the first difference in what a checked program wrote to standard error; empty where there is
/// none.
std::string check_difference(const std::string& errors);

/// Runs the card with CHERENKOV_BACKEND=check, as stock (or with the stage off where stock is not built), and
/// with the stage on. By `number`, from 0: which of the two has a helper thread (they take turns); with the
/// stage off, too, where stock is built (every 8th); on the GPU where one is there (every 3rd). What was
/// written is deleted where all is equal. Throws support::Error where a run folder cannot be made, and what
/// `poll` throws.
ProofRun run_proof_card(const ProofPrograms& programs, const ProofCard& run, int number);

}  // namespace overlay
