// Runs a program under ptrace and kills it, or lets a system call fail, at a chosen place.
#pragma once
#include <string>
#include <vector>

namespace sample {

/// What is done to the n-th call, counted from 1, of those that can change files: openat, write to a file,
/// fchmod, fchown, fsync, rename, link, unlink, mkdir and flock. 0: nothing, the calls are only counted.
struct Interference {
  long nth = 0;
  int error =
      0;  ///< the call is not made and fails with this error number; 0: the process is killed before it
};

struct InterferedRun {
  bool traced = false;  ///< false where this system does not allow ptrace
  bool hit = false;     ///< whether the n-th call was reached
  int status = -1;      ///< exit status; -1 where it was killed
  long calls = 0;       ///< that it came to make
};

/// Standard output and error are dropped.
InterferedRun run_interfered(const std::vector<std::string>& command, const Interference& interference);

}  // namespace sample
