// Runs the programs of a build set, each run in a folder of its own. Writes under `BuildSet::out`/runs only.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "overlay/build/build.hpp"
#include "overlay/card/promised_outputs.hpp"
#include "overlay/run/progress.hpp"
#include "overlay/run/runner.hpp"

namespace overlay {

/// What all runs of one comparison share.
struct RunSettings {
  std::optional<int> core;  ///< pin every run to this core
  double timeout_s = 0;     ///< of one run; 0: none for stock, 20 times stock's (at least 120 s) for others
  bool keep = false;        ///< keep the outputs of all runs
  std::function<void()> check;         ///< called about once a second; may throw to end a run
  std::map<std::string, int> planned;  ///< number of runs by build, for the estimate of the time left
};

/// One run to make.
struct RunRequest {
  std::string build;                               ///< one of known_builds()
  std::string what;                                ///< tells runs of one build apart: "1", "warm-up"
  std::string card;                                ///< text of the input card
  std::map<std::string, std::string> environment;  ///< on top of ours
  std::filesystem::path sampler;                   ///< libcpu_sampler.so, where the run is sampled
  std::string
      like{};  ///< runs that take as long as this one, by a name in RunSettings::planned; empty: its build's
};

/// One run that ended, and what it left.
struct CompletedRun {
  RunResult result;
  PromisedOutputs promised;       ///< what its card says that it writes
  std::filesystem::path samples;  ///< file of the CPU sampler; empty where the run was not sampled
};

/// Makes run folders and runs programs in them, one after the other.
class RunFolders {
 public:
  /// Makes the folder that holds the run folders. Throws support::Error where it cannot. `set` must outlive
  /// this.
  RunFolders(const BuildSet& set, RunSettings settings);

  /// Runs a program to its end in a fresh folder. Throws as run_program() does.
  CompletedRun run(const RunRequest& request);

  /// Deletes what a run left, unless all is to be kept.
  void drop(const CompletedRun& run) const;

 private:
  const BuildSet& set_;
  RunSettings settings_;
  Progress progress_;
  std::filesystem::path folder_;
  double slowest_s_ = 0;  ///< longest stock run so far
};

}  // namespace overlay
