// One run of a program in its run folder, and what it leaves beside its files: what its log and standard
// error say of draws and of light, and telescope data that a card sends into a command (`TELFIL |command`). A
// program of ours stands in the command's place during a run and keeps the bytes; the command itself gets
// them afterwards. Writes in the run folder the files that identity/output_files.hpp names.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "overlay/build/build.hpp"
#include "support/error.hpp"

namespace overlay {

/// One program to run: `cd folder && EXECUTABLE < card > log`. The log is CORSIKA's: its lines are written at
/// once, it tells when the first shower begins, and a run without END OF RUN in it did not come to its end.
struct RunSpec {
  std::string label;  ///< for messages
  std::filesystem::path executable;
  std::filesystem::path folder;  ///< holds `card`; `log` is written there
  std::filesystem::path errors;  ///< file for standard error, outside the folder
  /// Added to this program's environment, from which these variables are removed first: RANMAR_BACKEND,
  /// RANMAR_SUMMARY, CHERENKOV_BACKEND, CHERENKOV_SUMMARY, CHERENKOV_UNPROVEN, CHERENKOV_THREADS,
  /// CPU_SAMPLER_*, LD_PRELOAD, GMON_OUT_PREFIX.
  std::map<std::string, std::string> environment{};
  double timeout_s = 0;         ///< 0: none
  std::function<void()> check;  ///< called about once a second; may throw to end the run
};

/// That of a build's program with a card: makes FOLDER/run (prepare_run_dir()), beside which errors go. May
/// be interrupted.
RunSpec corsika_run(const BuildSet& set, const std::string& build, const std::string& card,
                    const std::filesystem::path& folder);

/// What the run took.
struct RunResult {
  double wall_s = 0, user_s = 0, system_s = 0;
  long peak_rss_kib = 0;
  std::pair<int, int> dates;  ///< earliest and latest yymmdd that the run can have seen (any time zone)
  std::filesystem::path folder, errors;
  /// What it had taken when its first shower began, where the log said so.
  std::optional<double> startup_cpu_s;

  double cpu_s() const { return user_s + system_s; }
};

/// A program's run that failed by what the program did, or by a full disk.
struct RunFailed : support::Error {
  enum class Why {
    status,     ///< exited with another status than 0
    signal,     ///< ended by a signal
    timed_out,  ///< took longer than the limit
    card,       ///< refused its card
    stopped,    ///< stopped itself later
    disk_full   ///< of the run folder
  };
  RunFailed(Why failed_by, int exit, std::string name, const std::string& message)
      : Error(message), why(failed_by), status(exit), label(std::move(name)) {}
  /// Whether the program did it, and not the machine, an engine or an operator.
  bool by_the_program() const;

  Why why;
  int status;         ///< exit status; the signal's number where a signal ended it
  std::string label;  ///< as RunSpec::label
};

/// Runs it and waits. Keeps telescope data that a command is to get (keep_telescope_data()). CPU time and
/// peak memory are the kernel's account (wait4), children included. Throws RunFailed, in one line with why
/// CORSIKA stopped (why_stopped()) or with what the program printed last, where the program exits non-zero,
/// is ended by a signal, finds errors in its card, ends without END OF RUN in CORSIKA's log or takes longer
/// than the limit, and where the disk of its folder is full; support::Error where it cannot be started. All
/// that it started ends with it where it is ended before its time, and where this program ends, even by kill
/// -9.
RunResult run_program(const RunSpec& spec);

/// Starts CORSIKA, and ends it when its first shower begins. Throws RunFailed where it refuses its card.
void check_card(RunSpec spec);

/// The last lines of a file that say something, oldest first, joined by " | ", of its last 4096 bytes. Those
/// of our libraries only where there are no others.
std::string last_said(const std::filesystem::path& file, std::size_t count);

/// Names of the files that a run wrote and that the next run in the same folder would read, by
/// profiles/models.toml, sorted.
std::vector<std::string> tables_in(const std::filesystem::path& folder);

/// What a part of the patched program says in a line at its end when RANMAR_SUMMARY or CHERENKOV_SUMMARY is
/// set: `ranmar: key=value key=value ...`
using Summary = std::map<std::string, std::string>;

/// All that a part says in a text, in lines that begin with `who`.
struct PartSaid {
  std::string line;                 ///< the last one with the key `needed`; empty where there is none
  Summary values;                   ///< what that line says
  std::vector<std::string> others;  ///< those without it
};
PartSaid part_said(const std::string& text, const std::string& who, const std::string& needed);
/// A value that is a number; nothing where it is none.
std::optional<std::uint64_t> number_in(const Summary& summary, const std::string& key);

/// Sequence, seed and numbers drawn, by the counters of a line of a log:
/// `SEQUENCE = 1 SEED = 11 CALLS = 5 BILLIONS = 0`, or a row of a table of these four, whose head was in a
/// line before: `in_table` is for that. Nothing where a number was too wide for its place and is asterisks.
std::optional<std::array<std::int64_t, 3>> counters_of(std::string line, bool& in_table);

/// Prepares a run folder for keeping the bytes that are sent to TELFIL's command: writes a program of ours,
/// which the card then names before its command. CORSIKA copies its card into the telescope data, so the
/// TELFIL line there is that of the new card. Other cards stay. Throws support::Error where a file cannot be
/// written.
void keep_telescope_data(const std::filesystem::path& folder);

/// Waits until all bytes of the pipe of a run that ended are in their file. Returns at once where the run
/// started no command. Throws support::Error where they do not come.
void wait_for_telescope_data(const std::filesystem::path& folder,
                             std::chrono::milliseconds longest = std::chrono::seconds(60));

/// Runs the card's command in a run folder, with the bytes of the pipe on its standard input and the
/// environment that CORSIKA gave it. What it prints goes to `log`. Returns why it failed, empty where it did
/// not: it exited with another status than 0, it took longer than `timeout` (0: no limit), or it ended before
/// it had read all, which would have ended CORSIKA too. Throws as support::run() does.
std::string run_behind_telescope_pipe(const std::string& command, const std::filesystem::path& folder,
                                      const std::filesystem::path& log, std::chrono::milliseconds timeout);

}  // namespace overlay
