// The library as it is installed causes no failures. The files in testing, which do, go before these weak
// definitions.
#include "src/fault.hpp"
#ifdef RANMAR_WITH_CUDA
#include "src/cuda/runtime.hpp"
#endif
#ifdef RANMAR_WITH_OPENCL
#include "src/opencl/api.hpp"
#endif

namespace ranmar {

[[gnu::weak]] Injected next_refill() { return Injected::kNone; }
#ifdef RANMAR_WITH_CUDA
[[gnu::weak]] void cuda::inject(Injected, cudaStream_t) {}
#endif
#ifdef RANMAR_WITH_OPENCL
[[gnu::weak]] opencl::Shared<cl_event> opencl::inject(Injected, cl_context, cl_command_queue, cl_mem) {
  return nullptr;
}
#endif

}  // namespace ranmar
