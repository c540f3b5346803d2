// Failures of a CUDA device on demand, for tests: an error, and a kernel that traps.
#include "ranmar_testing/fault.hpp"
#include "src/cuda/runtime.hpp"

namespace ranmar::cuda {
namespace {

__global__ void trap() { __trap(); }

}  // namespace

void inject(cudaStream_t stream) {
  if (!loses_device()) return;
  trap<<<1, 1, 0, stream>>>();
  check(cudaGetLastError(), "trap");
}

}  // namespace ranmar::cuda
