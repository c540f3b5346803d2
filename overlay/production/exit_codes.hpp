// The exit statuses of `overlay production run`, which HTCondor and Slurm act on, and the error that carries
// one. Numbers as in sysexits.h where it has one of that meaning.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "support/error.hpp"

namespace overlay {

/// How an attempt at a run ended.
enum class WorkerExit : int {
  done = 0,    ///< the run is published and its manifest is there
  never = 65,  ///< no attempt can succeed: card, digest of a file, seeds, or a poisoned run (attempts.hpp)
  other_bits = 69,  ///< this node computes other last bits than the production's nodes
  disk_full = 74,   ///< scratch or the production's folder is full
  try_again = 75    ///< this attempt failed; another one may succeed
};

/// An attempt that failed: the status that its worker ends with, and one line that says why.
class WorkerError : public support::Error {
 public:
  /// `outcome`, `shower`: as in Attempt; without them the outcome is what the status says.
  WorkerError(WorkerExit status, const std::string& message, std::string outcome = "", long shower = 0)
      : Error(message), status_(status), outcome_(std::move(outcome)), shower_(shower) {
    if (outcome_.empty())
      outcome_ = status == WorkerExit::never        ? "refused"
                 : status == WorkerExit::other_bits ? "other-bits"
                 : status == WorkerExit::disk_full  ? "disk-full"
                                                    : "failed";
  }
  WorkerExit status() const { return status_; }
  const std::string& outcome() const { return outcome_; }
  long shower() const { return shower_; }

 private:
  WorkerExit status_;
  std::string outcome_;
  long shower_;
};

/// The error of a file or folder that cannot be written: disk_full where errno's value `problem` says so,
/// else try_again.
inline WorkerError cannot_write(const std::filesystem::path& file, int problem) {
  if (problem == ENOSPC || problem == EDQUOT)
    return {WorkerExit::disk_full,
            fmt::format("the disk of {} is full; free some space, or give --scratch DIR elsewhere",
                        file.parent_path().string())};
  return {WorkerExit::try_again, fmt::format("cannot write {} ({})", file.string(), std::strerror(problem))};
}

}  // namespace overlay
