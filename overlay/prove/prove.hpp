// Makes a proof of the Cherenkov stage on one tree: a record that N steps were compared with CORSIKA's and
// none differed. The program compares them step by step in many short runs, whose outputs must be those of
// stock. Their cards are made from the one that a profile runs. Writes below given folders.
#pragma once

#include <functional>
#include <utility>

#include "overlay/build/build.hpp"

namespace overlay {

/// How much is checked, and how.
struct ProofOptions {
  std::uint64_t steps = kProofSteps;  ///< with light, in sum, at least
  int jobs = 0;                       ///< runs at a time; 0: as many as there are processors
  double timeout_s = 900;             ///< of one run; 0: none
  std::function<void()> poll{};    ///< called about once a second, by each thread; may throw to end the runs
  std::filesystem::path folder{};  ///< of the run folders; prove_programs() makes one
  bool gpu = false;                ///< whether runs may use one; prove_programs() looks
};

/// One short run, and what it came to.
struct ProofRun {
  std::string name;  ///< in words: primary, energy, zenith angle, bunch size, ...
  std::string card;
  std::string reason;                           ///< where it differs, or is left out; empty: all is equal
  bool left_out = false;                        ///< stock does not run this card either
  std::string repeat;                           ///< environment of the program that shows the difference
  std::map<std::string, std::uint64_t> counts;  ///< of the check: steps, bunches, hits, ...
  std::uint64_t stage_bunches = 0;              ///< that the stage took or looked at where it ran alone
  std::map<std::string, double> cpu_s;          ///< CPU time as stock, checked ("check"), with the stage
};

/// Runs the programs of `set` ("patched", and "stock" where it is there) until the first difference, or until
/// a period of runs or more has checked ProofOptions::steps steps with light and enough of each kind: one
/// in 10,000 of ProofOptions::steps, at least 10 and at most 1000. (Kinds: hits, steps with one bunch, ...,
/// by what is covered, and options; kinds_wanted() in prove.cpp.) It ends after 4 periods
/// (kCardPeriod; CURVED: kRunsOfCurved) in any case. It is no proof if a kind was too rare, or if the stage
/// did nothing where it ran alone. On a terminal it says how far it is. Returns the proof by the runs that
/// ended, and the first run that shows a difference, without a name where none does. Throws support::Error
/// where runs cannot be made, and what `poll` throws.
std::pair<Proof, ProofRun> prove_programs(const BuildSet& set, ProofOptions options);

/// As build_profile(), but a card that is not the project's is tried as soon as stock and patched are there:
/// throws Error where stock refuses it. A stage that is neither known nor proven is proven first: says so in
/// three lines on standard error, and remembers a proof and a difference. After a difference the stage stays
/// off. Makes no proof where BuildRequest::prove is false, or where one is remembered.
BuildSet build_proven(BuildRequest request, const std::vector<std::string>& which);

/// Builds what is missing, proves in any case, and remembers a proof and a difference. Prints what came of
/// it. Returns 0; 1 where a difference was found. Throws support::Error where there is no stage to prove.
int prove_cherenkov(BuildRequest request, ProofOptions options);

/// The number of runs after which every value of every quantity has been used.
constexpr int kCardPeriod = 24;

/// Run `number` (from 0) of an endless, fixed sequence: the card of `set` with another primary, energy,
/// direction, bunch size, atmosphere, set of telescopes, longitudinal distribution, scatter, and with seeds
/// of its own; all else stays. `steps`: about how many steps with light the run is to have; at least one
/// shower is made. Zenith angles go to 70 degrees, with CURVED to 85, less the opening of a VIEWCONE.
ProofRun proof_card(const BuildSet& set, int number, std::uint64_t steps);

/// Runs the card with CHERENKOV_BACKEND=check, as stock (or with the stage off where stock is not built), and
/// with the stage on. By `number`, from 0: which of the two has a helper thread (they take turns); with the
/// stage off, too, where stock is built (every 8th); on the GPU where one is there (every 3rd). What was
/// written is deleted where all is equal. Throws support::Error where a run folder cannot be made, and what
/// `poll` throws.
void run_proof_card(const BuildSet& set, const ProofOptions& options, ProofRun& run, int number);

}  // namespace overlay
