#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "overlay/build/build.hpp"
#include "overlay/report/report.hpp"

namespace overlay {

/// How to compare, once the programs are there.
struct CompareOptions {
  int repeats = 5;           ///< pairs of timed runs
  int sampled_repeats = -1;  ///< pairs of runs under the CPU sampler; -1: as many as repeats, 0: none
  int shipped_repeats = 1;   ///< runs of stock with CORSIKA's own flags; 0: none
  bool gprof = true;
  long gprof_showers = 0;         ///< 0: as many as in the timed runs
  bool warm_up = false;           ///< one uncounted run of each program first
  std::string backend = "auto";   ///< RANMAR_BACKEND of the patched program
  std::string cherenkov = "off";  ///< CHERENKOV_BACKEND of the patched program
  std::optional<int> core;        ///< pin every run to this core
  double timeout_s = 0;  ///< a run; 0: none for stock, 20 times stock's (at least 2 minutes) for others
  bool keep = false;     ///< keep the outputs of all runs, not just those of the first pair
  bool print = false;    ///< print report.md
  std::optional<std::filesystem::path> stages;  ///< a stage list of the user's own
  std::optional<std::filesystem::path>
      report;  ///< folder of the report; default: report under the build's out
};

/// `overlay compare`: what to build, and how to compare.
struct CompareRequest {
  overlay::BuildRequest build;
  CompareOptions options;
};

/// The builds that a comparison with these options needs.
std::vector<std::string> needed_builds(const CompareOptions& options, const std::string& flags);

/// Throws support::Error where an option makes no sense. Nothing has been built or written then.
void check_options(const CompareOptions& options);

/// Runs what was built and returns everything that was found. Run folders are made under set.out/runs.
/// `check` is called often and may throw to end the comparison.
Report compare_programs(const overlay::BuildSet& set, const CompareOptions& options,
                        const std::function<void()>& check = {});

/// Builds, compares, writes the report, prints one line. Returns the exit status: 0 where the outputs are
/// identical, 3 where they are not. Throws support::Error for everything else.
int run_compare(const CompareRequest& request);

/// libcpu_sampler.so: $OVERLAY_CPU_SAMPLER, else beside the running program, else where it was built. Empty:
/// nowhere.
std::filesystem::path find_sampler();

}  // namespace overlay
