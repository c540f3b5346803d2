// Failures of an OpenCL device on demand, for tests.
#include "src/opencl/api.hpp"

namespace ranmar::opencl {

Shared<cl_event> inject(Injected fault, cl_context context, cl_command_queue queue, cl_mem memory) {
  constexpr std::size_t kTooMuch = std::size_t{1} << 60;
  switch (fault) {
    case Injected::kNone:
      break;
    case Injected::kNoDriver:
      check(-1001, "clGetPlatformIDs", Fault::kNoDriver);
      break;
    case Injected::kNoDevice:
      check(CL_DEVICE_NOT_FOUND, "clGetDeviceIDs", Fault::kNoDevice);
      break;
    case Injected::kOutOfMemory:
      buffer_of(context, kTooMuch);
      check(CL_MEM_OBJECT_ALLOCATION_FAILURE,
            "clCreateBuffer");  // some drivers take any size until it is used
      break;
    case Injected::kLaunch: {
      const char* source = "kernel void nothing() {}";
      const auto program = create("clCreateProgramWithSource", Fault::kOther, OPENCL(clReleaseProgram),
                                  OPENCL(clCreateProgramWithSource), context, 1, &source, nullptr);
      check(OPENCL(clBuildProgram)(program.get(), 0, nullptr, "", nullptr, nullptr), "clBuildProgram");
      const auto kernel = create("clCreateKernel", Fault::kOther, OPENCL(clReleaseKernel),
                                 OPENCL(clCreateKernel), program.get(), "nothing");
      check(OPENCL(clEnqueueNDRangeKernel)(queue, kernel.get(), 1, nullptr, &kTooMuch, &kTooMuch, 0, nullptr,
                                           nullptr),
            "fill_blocks", Fault::kLaunch);
      break;
    }
    case Injected::kCopy:
      check(OPENCL(clEnqueueReadBuffer)(queue, memory, CL_FALSE, kTooMuch, 8, nullptr, 0, nullptr, nullptr),
            "clEnqueueReadBuffer", Fault::kCopy);
      break;
    case Injected::kLost: {
      auto event = create("clCreateUserEvent", Fault::kOther, OPENCL(clReleaseEvent),
                          OPENCL(clCreateUserEvent), context);
      check(OPENCL(clSetUserEventStatus)(event.get(), -9999), "clSetUserEventStatus");
      return event;
    }
  }
  return nullptr;
}

}  // namespace ranmar::opencl
