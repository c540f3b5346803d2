// Numbers of one sequence made on an OpenCL device and delivered to host memory, ahead of their use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ranmar/opencl/sequence.hpp"

struct _cl_device_id;  // a cl_device_id is a pointer to one

namespace ranmar::opencl {

struct RANMAR_API Device {
  std::string platform;    ///< its name, and its version
  std::string name;        ///< and the driver's version
  std::string uuid;        ///< the same for all processes; "" where the driver tells none
  bool processor = false;  ///< a CPU
  _cl_device_id* id = nullptr;
};

/// The OpenCL devices of all platforms, processors last; none, and the reason in one line in `why`, where
/// there is none. Never throws.
RANMAR_API std::vector<Device> devices(std::string* why = nullptr);

/// Refills of one sequence, as cuda::Stream: several may be in flight; they are delivered in order, bit for
/// bit what `fill_reference` makes.
///
/// All objects of a process on one device share a context, two command queues, one that makes and one that
/// copies, and kStagedPieces pieces of device memory of kPieceBytes. Waiting looks every 50 us and sleeps in
/// between. At its start an object compares some numbers of the device with the CPU's.
///
/// Functions throw Error. Whatever happened, state() then tells the state of the first number that was not
/// delivered; the object can be asked for states and destroyed, no more, and the memory of refills that were
/// not waited for holds anything. Not thread-safe; different objects may be used by different threads.
template <class Form>
class RANMAR_API Stream {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
  static constexpr int kStagedPieces = 3;

  /// Goes on from `start`, on the device of this number in devices().
  explicit Stream(const State<Form>& start, int device = 0);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Asks for the next n numbers in out[0..n), and returns. `out` must stay, and not be touched, until wait()
  /// has returned for this refill, or the object is gone.
  void refill(typename Form::Real* out, std::size_t n);

  /// Sleeps until the oldest refill in flight is delivered. Nothing where none is in flight.
  void wait();

  /// True where wait() would not sleep.
  [[nodiscard]] bool ready() const;

  [[nodiscard]] std::size_t in_flight() const;

  /// Numbers of the refills that were waited for.
  [[nodiscard]] std::uint64_t delivered() const;

  /// The state of number delivered(), the first that was not delivered.
  [[nodiscard]] State<Form> state() const { return state_at(delivered()); }

  /// The state of any number of the stream, counted from 0 at `start`.
  [[nodiscard]] State<Form> state_at(std::uint64_t position) const;

 private:
  struct RANMAR_LOCAL Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ranmar::opencl
