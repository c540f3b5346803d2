// Failures of an OpenCL device on demand, for tests: return codes of calls, and an event that ended in an
// error.
#include "ranmar_testing/fault.hpp"

#include <utility>

#include "src/opencl/api.hpp"

namespace ranmar::opencl {

Shared<cl_event> inject(cl_context context) {
  constexpr std::pair<cl_int, const char*> kRefused[] = {{-1001, "clGetPlatformIDs"},
                                                         {CL_DEVICE_NOT_FOUND, "clGetDeviceIDs"},
                                                         {CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer"},
                                                         {CL_INVALID_WORK_GROUP_SIZE, "fill_blocks"},
                                                         {CL_INVALID_VALUE, "clEnqueueReadBuffer"}};
  const Fault fault = next_refill();
  if (fault == Fault::kOther) return nullptr;
  if (fault != Fault::kLost) {
    const auto& [code, call] = kRefused[static_cast<int>(fault)];
    check(code, call, fault);
  }
  auto event =
      create("clCreateUserEvent", Fault::kOther, OPENCL(clReleaseEvent), OPENCL(clCreateUserEvent), context);
  check(OPENCL(clSetUserEventStatus)(event.get(), -9999), "clSetUserEventStatus");
  return event;
}

}  // namespace ranmar::opencl
