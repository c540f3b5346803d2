// CUDA's return codes, and CurrentDevice by the driver's functions, which the runtime looks up: libcuda is
// not linked.
#include "src/cuda/runtime.hpp"

#include <cuda.h>

#include <map>
#include <mutex>
#include <string>

namespace ranmar::cuda {
namespace {

Fault fault_of(cudaError_t code, Fault otherwise) {
  switch (code) {
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
      return Fault::kNoDriver;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorDevicesUnavailable:
      return Fault::kNoDevice;
    case cudaErrorMemoryAllocation:
      return Fault::kOutOfMemory;
    case cudaErrorLaunchFailure:
    case cudaErrorIllegalAddress:
    case cudaErrorHardwareStackError:
    case cudaErrorECCUncorrectable:
    case cudaErrorUnknown:
    case cudaErrorLaunchTimeout:
      return Fault::kLost;
    default:
      return otherwise;
  }
}

// Values of CUresult are those of cudaError_t.
void check_driver(CUresult code, const char* call) {
  check(static_cast<cudaError_t>(code), call, Fault::kNoDevice);
}

template <class Function>
Function* driver_function(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t code = cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found);
#else
  const cudaError_t code = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
  check(code, name, Fault::kNoDriver);
  if (found != cudaDriverEntryPointSuccess) throw Error(Fault::kNoDriver, std::string("no function ") + name);
  return reinterpret_cast<Function*>(entry);
}

struct Driver {
  CUresult (*retain)(CUcontext*,
                     CUdevice) = driver_function<CUresult(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain");
  CUresult (*push)(CUcontext) = driver_function<CUresult(CUcontext)>("cuCtxPushCurrent");
  CUresult (*pop)(CUcontext*) = driver_function<CUresult(CUcontext*)>("cuCtxPopCurrent");
  CUresult (*device)(CUdevice*, int) = driver_function<CUresult(CUdevice*, int)>("cuDeviceGet");
};

const Driver& driver() {
  static const Driver functions;
  return functions;
}

// Kept until the process ends, as the runtime keeps them.
CUcontext primary_context(int device) {
  static std::mutex mutex;
  static std::map<int, CUcontext> contexts;
  const std::lock_guard lock(mutex);
  if (const auto known = contexts.find(device); known != contexts.end()) return known->second;
  // Without effect on a context that is there; its events sleep anyway.
  cudaInitDevice(device, cudaDeviceScheduleBlockingSync, cudaInitDeviceFlagsAreValid);
  cudaGetLastError();
  CUdevice handle = 0;
  CUcontext context = nullptr;
  check_driver(driver().device(&handle, device), "cuDeviceGet");
  check_driver(driver().retain(&context, handle), "cuDevicePrimaryCtxRetain");
  return contexts[device] = context;
}

}  // namespace

void check(cudaError_t code, const char* call, Fault fault) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // an error that is not sticky must not be met again by the next call
  throw Error(fault_of(code, fault),
              std::string(call) + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")");
}

CurrentDevice::CurrentDevice(int device) {
  check_driver(driver().push(primary_context(device)), "cuCtxPushCurrent");
  pushed_ = true;
}

CurrentDevice::CurrentDevice(int device, std::nothrow_t /*tag*/) noexcept {
  try {
    pushed_ = driver().push(primary_context(device)) == CUDA_SUCCESS;
  } catch (...) {
    pushed_ = false;
  }
}

CurrentDevice::~CurrentDevice() {
  CUcontext ours = nullptr;
  if (pushed_) driver().pop(&ours);
}

}  // namespace ranmar::cuda
