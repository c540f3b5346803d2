/// The bunches of a batch of segments that can reach a telescope, chosen by a CUDA device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cherenkov/batch.hpp"

struct CUstream_st;  // a cudaStream_t is a pointer to one

namespace cherenkov::cuda {

/// A CUDA call that failed; what() is one line that names the call and CUDA's reason.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Numbers on the device, in a ring buffer: position p of the sequence stands at ring[p % length].
struct Numbers {
  const double* ring;
  std::uint64_t length;  ///< a power of two
};

/// One batch: what the host writes, and what the device answers, in pinned memory.
class Batch {
 public:
  /// Room for that many segments and answers, on the current device. Throws Error.
  Batch(int max_segments, int max_candidates);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) = delete;

  /// To be written before Chooser::start().
  [[nodiscard]] StepSegment* segments() const;

  /// Appends the bunches that the last start() of this batch chose, ordered by segment, then bunch;
  /// false, and nothing is appended, if there are more than max_candidates. Sleeps until the device is done.
  /// Throws Error.
  bool wait(std::vector<CandidateBunch>& chosen);

 private:
  friend class Chooser;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Chooses as choose_on_host does, and is as conservative. What it computes may differ in the last bits, and
/// so its answer for a bunch at the very edge of a bound. One warp per segment: first the Cherenkov ring
/// against all spheres, one lane per sphere, then 32 bunches at a time. Not thread-safe.
class Chooser {
 public:
  Chooser();
  ~Chooser();
  Chooser(const Chooser&) = delete;
  Chooser& operator=(const Chooser&) = delete;

  /// From now on choices are for this geometry, which is copied before this returns. Precondition: no choice
  /// is under way. Throws Error.
  void set_geometry(const ArrayGeometry& geometry, CUstream_st* stream);

  /// Starts the choice among the first n segments of a batch, 1 to its max_segments, after what is in
  /// `stream`. Throws Error.
  void start(Batch& batch, int n, const Numbers& numbers, CUstream_st* stream);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cherenkov::cuda
