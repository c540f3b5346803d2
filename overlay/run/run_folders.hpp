// Runs the programs of a build set, each run in a folder of its own. Writes under `BuildSet::out`/runs only,
// and deletes there only what it made.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "overlay/build/build.hpp"
#include "overlay/run/runner.hpp"
#include "support/folder_lock.hpp"

namespace overlay {

/// What all runs of one comparison share.
struct RunSettings {
  std::optional<int> core;  ///< pin every run to this core
  /// Limit of a run. 0: none until a stock run has ended, then 20 times the longest stock run, at least 2
  /// minutes, for every run.
  double timeout_s = 0;
  bool keep = false;            ///< keep the outputs of all runs
  std::function<void()> check;  ///< called about once a second; may throw to end a run
  int planned = 0;              ///< number of runs, for the estimate of the time left
};

/// One run to make.
struct RunRequest {
  std::string build;                               ///< one of known_builds()
  std::string what;                                ///< tells runs of one build apart: "1", "warm-up"
  std::string card;                                ///< text of the input card
  std::map<std::string, std::string> environment;  ///< on top of ours
  std::filesystem::path sampler;                   ///< libcpu_sampler.so, where the run is sampled
};

/// One run that ended, and what it left.
struct CompletedRun {
  RunResult result;
  std::filesystem::path samples;  ///< file of the CPU sampler; empty where the run was not sampled
};

/// Makes run folders and runs programs in them, one after the other.
///
/// They lie in runs/PROFILE, or in runs/PROFILE-2 and so on where another process holds that, or where it
/// holds what no comparison made. The folder has a list of what was made in it (kRunList); the next
/// comparison deletes what is listed.
class RunFolders {
 public:
  static constexpr const char* kRunList = ".overlay-runs";

  /// Takes a folder for the run folders. Throws support::Error where it cannot be made, and where the card's
  /// outputs do not stay in the run folder (outputs_elsewhere()). `set` must outlive this.
  RunFolders(const BuildSet& set, RunSettings settings);

  /// Runs a program to its end in a fresh folder. Throws as run_program() does, and where the disk has less
  /// room than the largest run so far took.
  CompletedRun run(const RunRequest& request);

  /// Deletes what a run left, unless all is to be kept.
  void remove(const CompletedRun& run) const;

  /// A name in folder() for something that its caller makes; the next comparison deletes it. Throws
  /// support::Error where somebody else's is there.
  std::filesystem::path claim(const std::string& name) const;

  /// The folder that holds the run folders.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void take_folder();
  void delete_listed() const;
  void list(const std::string& name) const;
  void check_room() const;
  void make_room_for_tables();
  /// One line on standard error.
  void say_progress(const RunRequest& request, const RunResult& result);

  const BuildSet& set_;
  RunSettings settings_;
  std::chrono::steady_clock::time_point start_;
  int ended_ = 0;  ///< runs
  std::filesystem::path folder_;
  std::unique_ptr<support::FolderLock> lock_;
  std::set<std::string> tables_;      ///< folders of tables beside the run folders, which are ours
  double slowest_s_ = 0;              ///< longest stock run so far
  std::uintmax_t largest_bytes_ = 0;  ///< most that a run has written so far
};

/// Names of the files that a run wrote and that the next run in the same folder would read, by
/// profiles/models.toml, sorted.
std::vector<std::string> tables_in(const std::filesystem::path& folder);

}  // namespace overlay
