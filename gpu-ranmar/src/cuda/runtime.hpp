// CUDA's return codes as exceptions, its current device and its events.
#pragma once

#include <cuda_runtime_api.h>

#include <new>
#include <utility>

#include "ranmar/refills.hpp"
#include "src/fault.hpp"

namespace ranmar::cuda {

/// Throws Error for a code that is not success. `call` is the name of the CUDA call; `fault` what a failure
/// of it means where the code itself does not say.
void check(cudaError_t code, const char* call, Fault fault = Fault::kOther);

/// For tests: makes the fault happen. kNoDriver and kNoDevice are only thrown; the others are caused for
/// real: the driver refuses a call, or the device traps.
void inject(Injected fault, cudaStream_t stream);

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

/// An event of the device that is current when it is made.
class Event {
 public:
  Event() {
    check(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync | cudaEventDisableTiming),
          "cudaEventCreateWithFlags");
  }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace ranmar::cuda
