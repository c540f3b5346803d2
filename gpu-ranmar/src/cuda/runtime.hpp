// CUDA's return codes as exceptions, its current device and its events.
#pragma once

#include <cuda_runtime_api.h>

#include <new>
#include <type_traits>

#include "ranmar/refills.hpp"

namespace ranmar::cuda {

/// Throws Error for a code that is not success. `call` is the name of the CUDA call.
void check(cudaError_t code, const char* call);
/// CUDA_CALL(function, arguments...): calls a function of CUDA, and checks what it returns.
#define CUDA_CALL(function, ...) ranmar::cuda::check(function(__VA_ARGS__), #function)

/// For tests (ranmar_testing/fault.hpp): throws the Error that is asked for at this refill, or has the device
/// trap.
void inject(cudaStream_t stream);

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
  bool pushed_ = true;
};

/// What is of the device that is current when it is made; given back with its owner, which calls `give_back`.
template <auto give_back>
using GiveBack = std::integral_constant<decltype(give_back), give_back>;
using Event = std::unique_ptr<CUevent_st, GiveBack<cudaEventDestroy>>;
using Memory = std::unique_ptr<void, GiveBack<cudaFree>>;

inline Event new_event() {
  cudaEvent_t event = nullptr;
  CUDA_CALL(cudaEventCreateWithFlags, &event, cudaEventBlockingSync | cudaEventDisableTiming);
  return Event(event);
}

inline Memory new_memory(std::size_t bytes) {
  void* memory = nullptr;
  CUDA_CALL(cudaMalloc, &memory, bytes);
  return Memory(memory);
}

}  // namespace ranmar::cuda
