// What the tests of the OpenCL part share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ranmar/opencl/opencl.hpp"
#include "same_bits.hpp"
#include "src/opencl/api.hpp"

/// Skips the test, with the reason, where there is no device.
#define SKIP_WITHOUT_DEVICE() \
  if (std::string why; ranmar::opencl::devices(&why).empty()) GTEST_SKIP() << "SKIPPED: " << why

/// The first device, with a context and a queue as a user of the library has them.
struct TestDevice {
  TestDevice() {
    using namespace ranmar::opencl;
    const auto found = devices();
    cl_device_id id = found.at(0).id;
    cl_int code = CL_SUCCESS;
    context = {OPENCL(clCreateContext)(nullptr, 1, &id, nullptr, nullptr, &code), OPENCL(clReleaseContext)};
    queue = {OPENCL(clCreateCommandQueue)(context.get(), id, 0, &code), OPENCL(clReleaseCommandQueue)};
  }
  ranmar::opencl::Shared<cl_context> context;
  ranmar::opencl::Shared<cl_command_queue> queue;
};

inline TestDevice& test_device() {
  static TestDevice device;
  return device;
}

/// Device memory that a test fills, with room around it that must stay as it was.
template <class T>
class Guarded {
 public:
  static constexpr std::size_t kGuard = 64;

  explicit Guarded(std::size_t n, std::size_t offset = 0)
      : n_(n), offset_(offset), all_(n + offset + 2 * kGuard) {
    std::memset(all_.data(), 0xA5, bytes());
    cl_int code = CL_SUCCESS;
    memory_ = {OPENCL(clCreateBuffer)(test_device().context.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      bytes(), all_.data(), &code),
               OPENCL(clReleaseMemObject)};
    EXPECT_EQ(code, CL_SUCCESS);
  }

  [[nodiscard]] cl_mem memory() const { return memory_.get(); }
  [[nodiscard]] std::size_t first() const { return kGuard + offset_; }

  /// The contents; fails the test where the room around was written to, or the device reports an error.
  [[nodiscard]] std::vector<T> read() {
    EXPECT_EQ(OPENCL(clEnqueueReadBuffer)(test_device().queue.get(), memory_.get(), CL_TRUE, 0, bytes(),
                                          all_.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    const std::vector<unsigned char> poison(first() * sizeof(T), 0xA5);
    EXPECT_EQ(std::memcmp(all_.data(), poison.data(), poison.size()), 0) << "written before the start";
    EXPECT_EQ(std::memcmp(all_.data() + first() + n_, poison.data(), kGuard * sizeof(T)), 0)
        << "written past the end";
    return {all_.begin() + static_cast<std::ptrdiff_t>(first()),
            all_.begin() + static_cast<std::ptrdiff_t>(first() + n_)};
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return all_.size() * sizeof(T); }

  std::size_t n_;
  std::size_t offset_;
  std::vector<T> all_;
  ranmar::opencl::Shared<cl_mem> memory_;
};
