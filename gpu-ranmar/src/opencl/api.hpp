// OpenCL's functions, looked up at run time: a program with them starts on machines without OpenCL. Handles
// and return codes.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <memory>
#include <string>
#include <type_traits>

#include "ranmar/opencl/sequence.hpp"

namespace ranmar::opencl {

#define RANMAR_OPENCL_FUNCTIONS(_) \
  _(clBuildProgram)                \
  _(clCreateBuffer)                \
  _(clCreateCommandQueue)          \
  _(clCreateContext)               \
  _(clCreateKernel)                \
  _(clCreateProgramWithBinary)     \
  _(clCreateProgramWithSource)     \
  _(clCreateUserEvent)             \
  _(clEnqueueBarrierWithWaitList)  \
  _(clEnqueueMarkerWithWaitList)   \
  _(clEnqueueNDRangeKernel)        \
  _(clEnqueueReadBuffer)           \
  _(clEnqueueWriteBuffer)          \
  _(clFinish)                      \
  _(clFlush)                       \
  _(clGetCommandQueueInfo)         \
  _(clGetDeviceIDs)                \
  _(clGetDeviceInfo)               \
  _(clGetEventInfo)                \
  _(clGetPlatformIDs)              \
  _(clGetPlatformInfo)             \
  _(clGetProgramBuildInfo)         \
  _(clGetProgramInfo)              \
  _(clReleaseCommandQueue)         \
  _(clReleaseContext)              \
  _(clReleaseEvent)                \
  _(clReleaseKernel)               \
  _(clReleaseMemObject)            \
  _(clReleaseProgram)              \
  _(clRetainCommandQueue)          \
  _(clSetKernelArg)                \
  _(clSetUserEventStatus)

struct Api {
#define RANMAR_MEMBER(name) decltype(&::name) name = nullptr;
  RANMAR_OPENCL_FUNCTIONS(RANMAR_MEMBER)
#undef RANMAR_MEMBER
};

/// Loads libOpenCL.so.1 at the first call. Throws Error where it cannot be.
const Api& api();

/// Throws Error for a code that is not success. `call` is the name of the OpenCL call; `fault` what a failure
/// of it means where the code itself does not say.
void check(cl_int code, const char* call, Fault fault = Fault::kOther);

/// A handle, released with its last owner.
template <class Handle>
using Shared = std::shared_ptr<std::remove_pointer_t<Handle>>;

/// Calls a function of OpenCL that makes a handle and writes its return code to a last argument.
template <class Handle, class Create, class... Arguments>
Shared<Handle> created(const char* call, Fault fault, cl_int (*release)(Handle), Create create,
                       Arguments... arguments) {
  cl_int code = CL_SUCCESS;
  Handle handle = create(arguments..., &code);
  check(code, call, fault);
  return {handle, release};
}

/// What a device is asked for, as a value, or as text.
template <class T>
T device_info(cl_device_id device, cl_device_info what) {
  T value{};
  check(api().clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo",
        Fault::kNoDevice);
  return value;
}
std::string device_text(cl_device_id device, cl_device_info what);

/// The program of kernels.cl for a device, compiled with these options, or found in the user's cache. Throws
/// Error.
Shared<cl_program> program_of(cl_context context, cl_device_id device, const std::string& options);

/// arithmetic.h and kernels.cl.
extern const char* const kKernelSource;

}  // namespace ranmar::opencl
