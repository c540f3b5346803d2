// The engine for one machine: starts workers for the runs that are not done, as many at a time as asked.
// Writes nothing itself; workers do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace overlay {

/// The options of `overlay production start`.
struct LocalRequest {
  std::filesystem::path folder;   ///< of the production
  std::filesystem::path overlay;  ///< the program whose `production run` is a worker
  std::filesystem::path scratch;  ///< empty: as a worker chooses
  int jobs = 0;                   ///< workers at a time; 0: as many as there are cores that we may use
  int retries = 2;                ///< of a run that may yet succeed
  std::int64_t most = 0;          ///< end after so many runs were made; 0: all
};

/// A run that this call could not get done.
struct FailedRun {
  std::int64_t run = 0;
  int exit = 0;      ///< of its last worker
  std::string said;  ///< by it, one line
};

/// What a call did.
struct LocalSummary {
  std::int64_t planned = 0, done_before = 0, made = 0;
  std::vector<FailedRun> failed;
  bool stopped = false;  ///< by a signal, or since this node's bits differ; the same call goes on from there
};

/// Runs what is not done. One line on standard error says how far it is: kept up to date on a terminal, else
/// once in a while. Where the production's folder is no longer there, no more runs are begun. A signal ends
/// the workers, which publish nothing half-done. Throws support::Error where the plan is not right.
LocalSummary run_locally(const LocalRequest& request);

}  // namespace overlay
