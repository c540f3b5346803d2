// What the tests of the OpenCL part share, and what OpenCL has of the tests that it shares with CUDA.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "guarded.hpp"
#include "ranmar/opencl/opencl.hpp"
#include "src/opencl/api.hpp"

namespace backend = ranmar::opencl;

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

/// Memory of that device, with these contents.
class DeviceMemory {
 public:
  explicit DeviceMemory(const std::vector<unsigned char>& contents)
      : memory_(ranmar::opencl::buffer_of(test_device().context.get(), contents.size(), contents.data())) {}

  [[nodiscard]] cl_mem get() const { return memory_.get(); }
  void read(void* to, std::size_t bytes) const {
    EXPECT_EQ(OPENCL(clEnqueueReadBuffer)(test_device().queue.get(), get(), CL_TRUE, 0, bytes, to, 0, nullptr,
                                          nullptr),
              CL_SUCCESS);
  }

 private:
  ranmar::opencl::Shared<cl_mem> memory_;
};
template <class T>
using Guarded = GuardedIn<DeviceMemory, T>;
