// One run of a program in its run folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "overlay/run/first_shower.hpp"
#include "support/error.hpp"

namespace overlay {

/// One program to run: `cd folder && EXECUTABLE < card > log`.
struct RunSpec {
  std::string label;  ///< for messages
  std::filesystem::path executable;
  std::filesystem::path folder;  ///< holds `card`; `log` is written there
  std::filesystem::path errors;  ///< file for standard error, outside the folder
  /// Added to this program's environment, from which these variables are removed first: RANMAR_BACKEND,
  /// RANMAR_SUMMARY, CHERENKOV_BACKEND, CHERENKOV_SUMMARY, CHERENKOV_UNPROVEN, CHERENKOV_THREADS,
  /// CPU_SAMPLER_*, LD_PRELOAD, GMON_OUT_PREFIX.
  std::map<std::string, std::string> environment;
  std::optional<int> core;                ///< pin to this core
  double timeout_s = 0;                   ///< 0: none
  std::function<void()> check;            ///< called about once a second; may throw to end the run
  std::vector<std::string> first_shower;  ///< texts that tell in the log that the first shower begins
};

/// What the run took.
struct RunResult {
  double wall_s = 0, user_s = 0, system_s = 0;
  long peak_rss_kib = 0;
  int first_date = 0,
      last_date = 0;  ///< earliest and latest yymmdd that the run can have seen (any time zone)
  std::filesystem::path folder, errors;
  std::optional<StartupTime> startup;  ///< where the log said that the first shower began

  double cpu_s() const { return user_s + system_s; }
};

/// A program's run that failed by what the program did, or by a full disk.
class RunFailed : public support::Error {
 public:
  enum class Why {
    status,     ///< exited with another status than 0
    signal,     ///< ended by a signal
    timed_out,  ///< took longer than the limit
    card,       ///< found an error in its card
    stopped,    ///< stopped itself with a message
    disk_full   ///< of the run folder
  };
  RunFailed(Why why, int status, const std::string& message) : Error(message), why_(why), status_(status) {}
  Why why() const { return why_; }
  /// Exit status; the signal's number where a signal ended it.
  int status() const { return status_; }

 private:
  Why why_;
  int status_;
};

/// Runs it and waits. CPU time and peak memory are the kernel's account (wait4), children included. Throws
/// RunFailed, in one line that ends with what the program printed last, where the program exits
/// non-zero, is ended by a signal, ends by a STOP with a message, finds errors in its card or takes longer
/// than the limit, and where the disk of its folder is full; support::Error where it cannot be started. All
/// that it started ends with it where it is ended before its time, and where this program ends, even by kill
/// -9.
RunResult run_program(const RunSpec& spec);

}  // namespace overlay
