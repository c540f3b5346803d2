// CUDA's return codes, and CurrentDevice by the driver's functions, which the runtime looks up: libcuda is
// not linked.
#include "src/cuda/runtime.hpp"

#include <cuda.h>

#include <map>
#include <mutex>

namespace ranmar::cuda {
namespace {

// Values of CUresult are those of cudaError_t.
void check_driver(CUresult code, const char* call) { check(static_cast<cudaError_t>(code), call); }

template <class Function>
Function* driver_function(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t code = cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found);
#else
  const cudaError_t code = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
  check(code, name);
  if (found != cudaDriverEntryPointSuccess) throw Error(std::string("no function ") + name);
  return reinterpret_cast<Function*>(entry);
}

// The driver's function of that name, looked up at its first use.
#define DRIVER(name)                                                      \
  [] {                                                                    \
    static auto* const function = driver_function<decltype(name)>(#name); \
    return function;                                                      \
  }()

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
  check_driver(DRIVER(cuDeviceGet)(&handle, device), "cuDeviceGet");
  check_driver(DRIVER(cuDevicePrimaryCtxRetain)(&context, handle), "cuDevicePrimaryCtxRetain");
  return contexts[device] = context;
}

}  // namespace

void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // an error that is not sticky must not be met again by the next call
  throw Error(std::string(call) + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")");
}

CurrentDevice::CurrentDevice(int device) {
  check_driver(DRIVER(cuCtxPushCurrent)(primary_context(device)), "cuCtxPushCurrent");
}

CurrentDevice::CurrentDevice(int device, std::nothrow_t /*tag*/) noexcept {
  try {
    pushed_ = DRIVER(cuCtxPushCurrent)(primary_context(device)) == CUDA_SUCCESS;
  } catch (...) {
    pushed_ = false;
  }
}

CurrentDevice::~CurrentDevice() {
  CUcontext ours = nullptr;
  if (pushed_) DRIVER(cuCtxPopCurrent)(&ours);
}

}  // namespace ranmar::cuda
