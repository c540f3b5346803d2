// What the tests of the CUDA part share.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ranmar/cuda/stream.hpp"
#include "same_bits.hpp"

/// Skips the test, with the reason, where there is no device.
#define SKIP_WITHOUT_DEVICE() \
  if (std::string why; ranmar::cuda::device_count(&why) == 0) GTEST_SKIP() << why

/// Device memory that a test fills, with room around it that must stay as it was.
template <class T>
class Guarded {
 public:
  static constexpr std::size_t kGuard = 64;

  explicit Guarded(std::size_t n, std::size_t offset = 0) : n_(n), offset_(offset) {
    EXPECT_EQ(cudaMalloc(&memory_, bytes()), cudaSuccess);
    EXPECT_EQ(cudaMemset(memory_, 0xA5, bytes()), cudaSuccess);
  }
  ~Guarded() { cudaFree(memory_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  [[nodiscard]] T* data() const { return memory_ + kGuard + offset_; }

  /// The contents; fails the test where the room around was written to, or the device reports an error.
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> all(n_ + offset_ + 2 * kGuard);
    EXPECT_EQ(cudaMemcpy(all.data(), memory_, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    const std::vector<unsigned char> poison((kGuard + offset_) * sizeof(T), 0xA5);
    EXPECT_EQ(std::memcmp(all.data(), poison.data(), poison.size()), 0) << "written before the start";
    EXPECT_EQ(std::memcmp(all.data() + kGuard + offset_ + n_, poison.data(), kGuard * sizeof(T)), 0)
        << "written past the end";
    return {all.begin() + static_cast<std::ptrdiff_t>(kGuard + offset_),
            all.begin() + static_cast<std::ptrdiff_t>(kGuard + offset_ + n_)};
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return (n_ + offset_ + 2 * kGuard) * sizeof(T); }

  std::size_t n_;
  std::size_t offset_;
  T* memory_ = nullptr;
};
