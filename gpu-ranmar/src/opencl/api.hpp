// OpenCL's functions, looked up at run time: a program with them starts on machines without OpenCL. Handles,
// codes.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <memory>
#include <string>
#include <type_traits>

#include "ranmar/opencl/opencl.hpp"

namespace ranmar::opencl {

// clang-format off
#define RANMAR_OPENCL_FUNCTIONS(_) \
  _(clBuildProgram) _(clCreateBuffer) _(clCreateCommandQueue) _(clCreateContext) _(clCreateKernel) \
  _(clCreateProgramWithBinary) _(clCreateProgramWithSource) _(clCreateUserEvent) _(clEnqueueNDRangeKernel) \
  _(clEnqueueReadBuffer) _(clFinish) _(clFlush) _(clGetCommandQueueInfo) _(clGetDeviceIDs) _(clGetDeviceInfo) \
  _(clGetEventInfo) _(clGetPlatformIDs) _(clGetPlatformInfo) _(clGetProgramBuildInfo) _(clGetProgramInfo) \
  _(clReleaseCommandQueue) _(clReleaseContext) _(clReleaseEvent) _(clReleaseKernel) _(clReleaseMemObject) \
  _(clReleaseProgram) _(clRetainCommandQueue) _(clSetKernelArg) _(clSetUserEventStatus)
// clang-format on

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

std::string device_text(cl_device_id device, cl_device_info what);
/// One context of a device for all who ask for it: a context takes memory of a card, and time.
Shared<cl_context> context_of(cl_device_id device);
Shared<cl_command_queue> queue_of(cl_context context, cl_device_id device);
Shared<cl_mem> buffer_of(cl_context context, std::size_t bytes, const void* contents = nullptr);

/// The program of kernels.cl, compiled for a device with these options, or found in the user's cache.
Shared<cl_program> program_of(cl_context context, cl_device_id device, const std::string& options);
Shared<cl_kernel> kernel_of(cl_program program, const char* name);

}  // namespace ranmar::opencl
