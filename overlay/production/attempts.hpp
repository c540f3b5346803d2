// Attempts at runs that did not end in a manifest: attempts/RUN/ has one small file for each. A production's
// reports read them; nothing is decided by them but that a run is poisoned.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace overlay {

/// How an attempt at a run ended.
struct Attempt {
  std::string id;  ///< time, host, process
  std::string host;
  /// "crash"         the program ended with an error, or by another signal than those of "killed"
  /// "incomplete"    the program ended with 0, and its outputs are not whole
  /// "killed"        SIGKILL, SIGTERM or SIGXCPU ended the program, or a signal stopped the worker
  /// "vanished"      the worker is gone and left no word
  /// "disk-full"     scratch or the production's folder is full
  /// "other-bits"    this node computes other last bits than the production's nodes
  /// "refused"       no attempt can succeed: the card, a file's digest, seeds, or the run is poisoned
  /// "pipe-command"  the card's command behind TELFIL failed
  /// "disagrees"     another attempt published the run meanwhile, with other content
  /// "failed"        anything else, such as a run that took too long
  /// "running" where it has not ended.
  std::string outcome;
  std::string reason;  ///< one line
  std::string ended;   ///< UTC; empty while it runs
  int exit = 0;        ///< the worker's exit status
  long shower = 0;     ///< at which a crash happened; 0: before the first one, or none
};

/// A worker's mark that it is at work on a run: the folder attempts/RUN/ID, with `started.json` in it. What
/// is written before it is published lies there, on the file system of the results. The destructor removes
/// the folder.
class RunningAttempt {
 public:
  /// Makes the folder. Throws WorkerError: disk_full or try_again.
  RunningAttempt(std::filesystem::path production, std::int64_t run);
  ~RunningAttempt();
  RunningAttempt(const RunningAttempt&) = delete;
  RunningAttempt& operator=(const RunningAttempt&) = delete;

  const std::string& id() const { return id_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// Says that the worker is alive: sets the time of `started.json`, at most once a minute.
  void beat();
  /// Writes attempts/RUN/ID.json, which says how the attempt ended. Does nothing where the disk is full.
  void failed(Attempt attempt);

 private:
  std::filesystem::path production_, folder_;
  std::int64_t run_;
  std::string id_;
  std::int64_t last_beat_s_ = 0;
};

/// All attempts at a run by their names, oldest first: those that failed, and those that are running.
std::vector<Attempt> attempts_at(const std::filesystem::path& production, std::int64_t run);

/// Turns the marks of workers that are gone into failed attempts ("vanished"): those of this host whose
/// process is not there, and others that gave no sign of life for an hour.
void note_vanished(const std::filesystem::path& production, std::int64_t run);

/// Why a run is poisoned: two attempts ended as "crash" or "incomplete" at the same shower; all
/// attempts at a run have the same seeds. Nothing where it is not. Deleting attempts/RUN lets it be tried
/// again.
std::optional<std::string> poisoned(const std::filesystem::path& production, std::int64_t run);

/// This machine's name, Slurm's where a job of Slurm runs, as attempts and manifests hold it.
std::string host_name();
/// A time, and now, as attempts and manifests hold it: "2026-11-22T20:15:00Z".
std::string utc_text(std::time_t time, const char* format = "%Y-%m-%dT%H:%M:%SZ");
std::string utc_now();

}  // namespace overlay
