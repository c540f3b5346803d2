// The device that CUDA calls of a thread go to: changed for a while, and given back.
#pragma once

#include <new>

namespace ranmar::cuda {

/// While it lives, CUDA calls of this thread go to `device`; afterwards to what they went to before. It
/// pushes the device's primary context on the driver's stack instead of calling cudaSetDevice: to give back a
/// device that the caller never used would make a context there, some 500 MB and 0.2 s.
///
/// The first one of a process for a device makes that device's context. It waits asleep, where the caller has
/// not made it before.
class CurrentDevice {
 public:
  /// Throws Error.
  explicit CurrentDevice(int device);
  /// For destructors: without effect where it is not possible, as when CUDA is shut down.
  CurrentDevice(int device, std::nothrow_t) noexcept;
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  bool pushed_ = false;
};

}  // namespace ranmar::cuda
