// Failures of a CUDA device on demand, for tests: return codes of calls, and a kernel that traps.
#include <utility>

#include "ranmar_testing/fault.hpp"
#include "src/cuda/runtime.hpp"

namespace ranmar::cuda {
namespace {

__global__ void trap() { __trap(); }

}  // namespace

void inject(cudaStream_t stream) {
  constexpr std::pair<cudaError_t, const char*> kRefused[] = {
      {cudaErrorInsufficientDriver, "cudaGetDeviceCount"},
      {cudaErrorNoDevice, "cudaGetDeviceCount"},
      {cudaErrorMemoryAllocation, "cudaMalloc"},
      {cudaErrorInvalidConfiguration, "fill_blocks"},
      {cudaErrorInvalidMemcpyDirection, "cudaMemcpyAsync"}};
  const Fault fault = next_refill();
  if (fault < Fault::kLost) {
    const auto& [code, call] = kRefused[static_cast<int>(fault)];
    check(code, call, fault);
  } else if (fault == Fault::kLost) {
    trap<<<1, 1, 0, stream>>>();
    check(cudaGetLastError(), "fill_blocks", Fault::kLaunch);
  }
}

}  // namespace ranmar::cuda
