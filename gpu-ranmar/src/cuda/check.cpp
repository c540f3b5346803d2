// CUDA's return codes as exceptions.
#include "src/cuda/check.hpp"

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

}  // namespace

void check(cudaError_t code, const char* call, Fault fault) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // an error that is not sticky must not be met again by the next call
  throw Error(fault_of(code, fault),
              std::string(call) + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")");
}

}  // namespace ranmar::cuda
