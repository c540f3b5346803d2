// Failures of an OpenCL device on demand, for tests.
#include "src/opencl/fault.hpp"

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
    case Injected::kOutOfMemory: {
      cl_int code = CL_SUCCESS;
      api().clCreateBuffer(context, CL_MEM_READ_WRITE, kTooMuch, nullptr, &code);
      check(code, "clCreateBuffer", Fault::kOutOfMemory);
      break;
    }
    case Injected::kLaunch: {
      const char* source = "kernel void nothing() {}";
      cl_int code = CL_SUCCESS;
      const Shared<cl_program> program(api().clCreateProgramWithSource(context, 1, &source, nullptr, &code),
                                       api().clReleaseProgram);
      check(api().clBuildProgram(program.get(), 0, nullptr, "", nullptr, nullptr), "clBuildProgram");
      const auto kernel = kernel_of(program.get(), "nothing");
      check(api().clEnqueueNDRangeKernel(queue, kernel.get(), 1, nullptr, &kTooMuch, &kTooMuch, 0, nullptr,
                                         nullptr),
            "fill_blocks", Fault::kLaunch);
      break;
    }
    case Injected::kCopy:
      check(api().clEnqueueReadBuffer(queue, memory, CL_FALSE, kTooMuch, 8, nullptr, 0, nullptr, nullptr),
            "clEnqueueReadBuffer", Fault::kCopy);
      break;
    case Injected::kLost: {
      cl_int code = CL_SUCCESS;
      Shared<cl_event> event(api().clCreateUserEvent(context, &code), api().clReleaseEvent);
      check(api().clSetUserEventStatus(event.get(), -9999), "clSetUserEventStatus");
      return event;
    }
  }
  return nullptr;
}

}  // namespace ranmar::opencl
