// What the tests of the CUDA part share, and what CUDA has of the tests that it shares with OpenCL.
#pragma once

#include <cuda_runtime.h>

#include "numbers.hpp"
#include "ranmar/cuda/sequence.hpp"
#include "ranmar/cuda/stream.hpp"

namespace backend = ranmar::cuda;

/// Skips the test, with the reason, where there is no device.
#define SKIP_WITHOUT_DEVICE() \
  if (std::string why; ranmar::cuda::device_count(&why) == 0) GTEST_SKIP() << why

/// Device memory, with these contents.
class DeviceMemory {
 public:
  explicit DeviceMemory(const std::vector<unsigned char>& contents) {
    EXPECT_EQ(cudaMalloc(&memory_, contents.size()), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory_, contents.data(), contents.size(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~DeviceMemory() { cudaFree(memory_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  [[nodiscard]] void* get() const { return memory_; }
  void read(void* to, std::size_t bytes) const {
    EXPECT_EQ(cudaMemcpy(to, memory_, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
  }

 private:
  void* memory_ = nullptr;
};
template <class T>
using Guarded = GuardedIn<DeviceMemory, T>;
