// Failures of a CUDA device on demand, for tests.
#include "src/cuda/runtime.hpp"

namespace ranmar::cuda {
namespace {

__global__ void nothing() {}
__global__ void trap() { __trap(); }

}  // namespace

void inject(Injected fault, cudaStream_t stream) {
  switch (fault) {
    case Injected::kNone:
      return;
    case Injected::kNoDriver:
      return check(cudaErrorInsufficientDriver, "cudaGetDeviceCount");
    case Injected::kNoDevice:
      return check(cudaErrorNoDevice, "cudaGetDeviceCount");
    case Injected::kOutOfMemory: {
      void* memory = nullptr;
      return check(cudaMalloc(&memory, std::size_t{1} << 60), "cudaMalloc", Fault::kOutOfMemory);
    }
    case Injected::kLaunch:
      nothing<<<1, 1 << 20, 0, stream>>>();
      return check(cudaGetLastError(), "fill_blocks", Fault::kLaunch);
    case Injected::kCopy:
      return check(cudaMemcpyAsync(nullptr, nullptr, 8, static_cast<cudaMemcpyKind>(99), stream),
                   "cudaMemcpyAsync", Fault::kCopy);
    case Injected::kLost:
      trap<<<1, 1, 0, stream>>>();
      return check(cudaGetLastError(), "fill_blocks", Fault::kLaunch);
  }
}

}  // namespace ranmar::cuda
