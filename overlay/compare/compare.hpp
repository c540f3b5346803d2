// `overlay compare`: what may be asked for, and the comparison as a whole.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "overlay/build/build.hpp"
#include "overlay/report/report.hpp"

namespace overlay {

/// How to compare, once the programs are there. run_counts() gives the defaults of what is not set.
struct CompareOptions {
  bool quick = false;          ///< identity and a first gain: one pair, few showers, no sampling, no gprof
  std::optional<int> repeats;  ///< pairs of timed runs: 1 or more
  std::optional<int> parts_repeats;    ///< of these pairs, how many also run each part of the patch alone
  std::optional<int> sampled_repeats;  ///< pairs of runs under the CPU sampler
  std::optional<int> shipped_repeats;  ///< runs of stock with CORSIKA's own flags
  bool gprof = true;                   ///< one run of each program under gprof; never with `quick`
  long gprof_showers = 0;              ///< 0: as many as in the timed runs
  bool warm_up = false;                ///< one uncounted run of each program first
  std::string backend = "auto";        ///< RANMAR_BACKEND of the patched program
  /// CHERENKOV_BACKEND of the patched program: off, cpu, gpu, auto; thread: cpu with CHERENKOV_THREADS=1.
  std::string cherenkov = "auto";
  std::optional<int> core;  ///< pin every run to this core
  /// Limit of a run. 0: none until a stock run has ended, then 20 times the longest stock run, at least 2
  /// minutes, for every run.
  double timeout_s = 0;
  bool keep = false;   ///< keep the outputs of all runs, not just those of the first pair
  bool print = false;  ///< print report.md
  std::optional<std::filesystem::path> categories;  ///< the user's own list of categories of CPU time
  std::optional<std::filesystem::path>
      report;  ///< folder of the report; default: report under the build's out
};

/// How many runs of each kind are made: pairs of timed runs; of these, pairs with each part of the patch
/// alone; pairs under the CPU sampler; runs of stock with CORSIKA's own flags. gprof: whether both run under
/// gprof.
struct RunCounts {
  int pairs = 5, parts = 2, sampled = 5, shipped = 1;
  bool gprof = true;
};
/// The options' numbers. Where an option is not set, `sampled` is as many as `pairs`, the others are as in
/// RunCounts; with `quick` 1 pair, 1 of parts, none sampled or shipped. `parts` is at most `pairs`.
RunCounts run_counts(const CompareOptions& options);

/// Most showers of a quick comparison, where the command line does not say how many.
constexpr long kQuickShowers = 3;

/// The runs of compare_programs(): adds what they gave to a report that was begun. `planned`: their number.
Json run_comparison(const BuildSet& set, const CompareOptions& options, const RunCounts& counts, Json report,
                    int planned, const std::function<void()>& check);

/// `overlay compare`: what to build, and how to compare.
struct CompareRequest {
  BuildRequest build;
  CompareOptions options;
};

/// The builds that a comparison with these options needs. `light`: whether the program makes Cherenkov light.
std::vector<std::string> needed_builds(const CompareOptions& options, const std::string& flags, bool light);

/// Throws support::Error where an option cannot be as it is. Nothing has been built or written then.
void check_options(const CompareOptions& options);

/// Runs what was built and returns everything that was found: the report without `command`. Run folders are
/// made under set.out/runs. `check` is called often and may throw to end the comparison.
Json compare_programs(const BuildSet& set, const CompareOptions& options,
                      const std::function<void()>& check = {});

/// Builds, compares, writes the report, prints the closing lines. Returns the exit status: 0 where the
/// outputs are identical, 3 where they differ, 1 where they could not be compared. Throws support::Error for
/// everything else.
int run_compare(CompareRequest request);

/// libcpu_sampler.so: $OVERLAY_CPU_SAMPLER, else beside the running program, else where it was built. Empty:
/// nowhere.
std::filesystem::path find_sampler();

}  // namespace overlay
