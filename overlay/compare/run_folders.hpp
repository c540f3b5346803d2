// Runs the programs of a comparison, each run in a folder of its own. Writes under `BuildSet::out`/runs only,
// and deletes there only what it made.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "overlay/build/build.hpp"
#include "overlay/compare/compare.hpp"
#include "overlay/run/runner.hpp"
#include "support/folder_lock.hpp"

namespace overlay {

/// One run to make.
struct RunRequest {
  std::string build;                                 ///< one of known_builds()
  std::string what;                                  ///< tells runs of one build apart: "1", "warm-up"
  std::string card{};                                ///< text of the input card
  std::map<std::string, std::string> environment{};  ///< on top of ours
  std::filesystem::path sampler{};                   ///< libcpu_sampler.so, where the run is sampled
};

/// The file of the CPU sampler of a sampled run.
std::filesystem::path samples_of(const RunResult& run);

/// Makes run folders and runs programs in them, one after the other.
///
/// They lie in runs/PROFILE, which one comparison holds at a time; another one waits. A run has a folder
/// BUILD-WHAT there, with run/, errors and samples. runs/PROFILE has a list of what was made in it
/// (.overlay-runs); the next comparison deletes what is listed.
class RunFolders {
 public:
  /// Throws support::Error where the folder cannot be made, and where the card's outputs do not stay in the
  /// run folder (outputs_elsewhere()). `set` and `options` must outlive this. `check` is called about once a
  /// second and may throw to end a run. `planned`: number of runs, for the estimate of the time left.
  RunFolders(const BuildSet& set, const CompareOptions& options, std::function<void()> check = {},
             int planned = 0);

  /// Runs a program to its end in a fresh folder. Throws as run_program() does, where the disk has less
  /// room than the largest run so far took, and where the program is no longer the one of the beginning.
  RunResult run(const RunRequest& request);

  /// Deletes what a run left, unless all is to be kept.
  void remove(const RunResult& run) const;

  /// A name beside the run folders for something that its caller makes; the next comparison deletes it.
  /// Throws support::Error where somebody else's is there.
  std::filesystem::path claim(const std::string& name) const;

 private:
  void delete_listed() const;

  const BuildSet& set_;
  const CompareOptions& options_;
  std::function<void()> check_;
  int planned_, ended_ = 0;  ///< runs
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::map<std::string, std::string> stamps_;  ///< of the programs when the comparison began
  std::filesystem::path folder_;
  support::FolderLock lock_;
  double slowest_s_ = 0;              ///< longest stock run so far
  std::uintmax_t largest_bytes_ = 0;  ///< most that a run has written so far
};

}  // namespace overlay
