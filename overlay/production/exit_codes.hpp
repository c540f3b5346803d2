// The exit statuses of `overlay production run`, which HTCondor and Slurm act on. Numbers as in sysexits.h
// where it has one of that meaning.
#pragma once

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
  WorkerError(WorkerExit status, const std::string& message) : Error(message), status_(status) {}
  WorkerExit status() const { return status_; }

 private:
  WorkerExit status_;
};

}  // namespace overlay
