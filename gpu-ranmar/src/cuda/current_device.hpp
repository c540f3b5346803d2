// The device that CUDA calls of a thread go to: changed for a while, and restored.
#pragma once

#include <new>

namespace ranmar::cuda {

/// While the object lives, CUDA calls of this thread go to `device`; its end restores the previous device. It
/// pushes the device's primary context on the driver's stack instead of calling cudaSetDevice: to restore a
/// device that the caller never used, cudaSetDevice would make a context there, which takes memory and time.
///
/// The first object of a process for a device makes that device's context, if there is none. A context made
/// here waits by blocking; an existing one keeps its setting.
class CurrentDevice {
 public:
  /// Throws Error.
  explicit CurrentDevice(int device);
  /// For destructors: without effect where the device cannot be made current, as when CUDA is shut down.
  CurrentDevice(int device, std::nothrow_t) noexcept;
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  bool pushed_ = false;
};

}  // namespace ranmar::cuda
