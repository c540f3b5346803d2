// `overlay compare`: what may be asked for, the comparison as a whole, and its run folders.
#pragma once

#include <chrono>

#include "overlay/build/workplace.hpp"
#include "overlay/report/report.hpp"
#include "overlay/run/runner.hpp"

namespace overlay {

/// How to compare, once the programs are there. with_defaults() sets what is not set.
struct CompareOptions {
  bool quick = false;          ///< identity and a first gain: one pair, few showers, no sampling, no gprof
  std::optional<int> repeats;  ///< pairs of timed runs: 1 or more
  std::optional<int> parts_repeats;    ///< of these pairs, how many also run each part of the patch alone
  std::optional<int> sampled_repeats;  ///< pairs of runs under the CPU sampler
  std::optional<int> shipped_repeats;  ///< runs of stock with CORSIKA's own flags
  bool gprof = true;                   ///< one run of each program under gprof; never with `quick`
  std::string backend = "auto";        ///< RANMAR_BACKEND of the patched program
  /// CHERENKOV_BACKEND of the patched program: off, cpu, gpu, auto; thread: cpu with CHERENKOV_THREADS=1.
  std::string cherenkov = "auto";
  /// Limit of a run. 0: none until a stock run has ended, then 20 times the longest stock run, at least 2
  /// minutes, for every run.
  double timeout_s = 0;
  bool keep = false;   ///< keep the outputs of all runs, not just those of the first pair
  bool print = false;  ///< print report.md
  std::optional<std::filesystem::path>
      report;  ///< folder of the report; default: report under the build's out
};

/// The options with numbers where none were given: 5 pairs, 2 of parts, as many sampled as pairs, 1 shipped;
/// with `quick` 1 pair, 1 of parts, none of the others. Parts are at most as many as pairs.
CompareOptions with_defaults(CompareOptions options);

/// Most showers of a quick comparison, where the command line does not say how many.
constexpr long kQuickShowers = 3;

/// Number of runs, with options that have numbers; `parts`: of the patch, that run alone.
int planned_runs(const CompareOptions& options, int parts);

/// The builds that a comparison with these options needs. `light`: whether the program makes Cherenkov light.
std::vector<std::string> needed_builds(const CompareOptions& options, const std::string& flags, bool light);

/// Throws support::Error where an option cannot be as it is. Nothing has been built or written then.
void check_options(const CompareOptions& options);

/// Runs what was built and returns everything that was found: the report without `command`. Run folders are
/// made under set.out/runs.
Json compare_programs(const BuildSet& set, const CompareOptions& options);

/// Builds, compares, writes the report, prints the closing lines. Returns the exit status: 0 where the
/// outputs are identical, 3 where they differ, 1 where they could not be compared. Throws RunFailed where
/// stock refuses the card, support::Error for everything else.
int run_compare(const BuildRequest& request, CompareOptions options);

/// libcpu_sampler.so: beside the running program, else where it was built. Empty: nowhere.
std::filesystem::path find_sampler();

// --- Run folders. Writes under `BuildSet::out`/runs only, and deletes there only what it made.

/// The file of the CPU sampler of a sampled run.
std::filesystem::path samples_of(const RunResult& run);

using Environment = std::map<std::string, std::string>;

/// Makes run folders and runs programs in them, one after the other.
///
/// They lie in runs/PROFILE, which one comparison holds at a time; another one waits. A run has a folder
/// BUILD-WHAT there, with run/, errors and samples. runs/PROFILE has a list of what was made in it
/// (.overlay-runs); the next comparison deletes what is listed.
class RunFolders {
 public:
  /// Throws support::Error where the folder cannot be made, and where light goes to a device
  /// (outputs_elsewhere()). `set` and `options` must outlive this. `planned`:
  /// number of runs, for the estimate of the time left.
  RunFolders(const BuildSet& set, const CompareOptions& options, int planned = 0);

  /// Runs one of kBuilds to its end in a fresh folder, with the set's card where none is given, a patched one
  /// with the parts of the patch that the options say, where its environment does not; `what` tells runs of
  /// one build apart: "1", "warm-up". Throws as run_program() does, and where the program is no longer the
  /// one of the beginning.
  RunResult run(const std::string& build, const std::string& what, const std::string& card = {},
                Environment environment = {}, bool sampled = false);

  /// Deletes what a run left, unless all is to be kept.
  void remove(const RunResult& run) const;

  /// A name beside the run folders for something that its caller makes; the next comparison deletes it.
  /// Throws support::Error where somebody else's is there.
  std::filesystem::path claim(const std::string& name) const;

 private:
  void delete_listed() const;

  const BuildSet& set_;
  const CompareOptions& options_;
  int planned_, ended_ = 0;  ///< runs
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::map<std::string, std::filesystem::file_time_type> stamps_;  ///< of the programs at the begin
  std::filesystem::path folder_;
  Workplace workplace_;
  double slowest_s_ = 0;  ///< longest stock run so far
};

}  // namespace overlay
