// Numbers of one sequence made on a device and delivered to host memory, ahead of their use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ranmar/cuda/error.hpp"
#include "ranmar/state.hpp"

namespace ranmar::cuda {

/// How many CUDA devices this process can use; 0, and the reason in one line in `why`, where there is none.
/// Never throws.
RANMAR_API int device_count(std::string* why = nullptr);

/// Pins memory of the caller for as long as it lives, so that copies to it run at full rate and beside other
/// work. The memory is pinned for all devices that the process uses; `device` is one of them, as of a Stream.
/// Throws Error. Leaves the caller's current device alone.
class RANMAR_API Pinned {
 public:
  Pinned(void* memory, std::size_t bytes, int device = 0);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  void* memory_;
  int device_;
};

/// Refills of one sequence. Several may be in flight; they are delivered in order, bit for bit what
/// `fill_reference` makes.
///
/// All objects of a process on one device share two CUDA streams, one that makes and one that copies, and
/// kStagedPieces pieces of device memory of kPieceBytes that numbers are made into; larger refills go through
/// them piece by piece. So a process takes 24 MiB of device memory for pieces, whatever the number of its
/// sequences, beside the driver's own. Waiting sleeps (cudaEventBlockingSync); it does not spin.
///
/// Functions throw Error. Whatever happened, state() then tells the state of the first number that was not
/// delivered, so that another backend can go on there; the object can be asked for states and destroyed, no
/// more, and the memory of refills that were not waited for holds anything. The caller's current device is
/// left as it is. Not thread-safe; different objects may be used by different threads.
template <class Form>
class RANMAR_API Stream {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
  static constexpr int kStagedPieces = 3;

  /// Goes on from `start`, on the device of this number (0 to device_count()-1).
  explicit Stream(const State<Form>& start, int device = 0);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Asks for the next n numbers in out[0..n), and returns. `out` should be pinned; it must stay, and not be
  /// touched, until wait() has returned for this refill, or the object is gone.
  void refill(typename Form::Real* out, std::size_t n);

  /// Sleeps until the oldest refill in flight is delivered. Nothing where none is in flight.
  void wait();

  /// True where wait() would not sleep.
  [[nodiscard]] bool ready() const;

  [[nodiscard]] std::size_t in_flight() const;

  /// Numbers of the refills that were waited for.
  [[nodiscard]] std::uint64_t delivered() const;

  /// The state of number delivered(), the first that was not delivered: a jump on the host, under a
  /// millisecond.
  [[nodiscard]] State<Form> state() const;

  /// The state of any number of the stream, counted from 0 at `start`.
  [[nodiscard]] State<Form> state_at(std::uint64_t position) const;

 private:
  struct RANMAR_LOCAL Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ranmar::cuda
