// The library as it is installed causes no failures: the files in testing, linked ahead of this, do.
#include "src/fault.hpp"
#ifdef RANMAR_WITH_CUDA
#include "src/cuda/fault.hpp"
#endif
#ifdef RANMAR_WITH_OPENCL
#include "src/opencl/fault.hpp"
#endif

namespace ranmar {

Injected next_refill() { return Injected::kNone; }

#ifdef RANMAR_WITH_CUDA
void cuda::inject(Injected, cudaStream_t) {}
#endif
#ifdef RANMAR_WITH_OPENCL
opencl::Shared<cl_event> opencl::inject(Injected, cl_context, cl_command_queue, cl_mem) { return nullptr; }
#endif

}  // namespace ranmar
