// A CUDA event whose waiter sleeps, destroyed with its owner.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "src/cuda/check.hpp"

namespace ranmar::cuda {

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
