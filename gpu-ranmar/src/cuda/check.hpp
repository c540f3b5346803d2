// CUDA's return codes as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include "ranmar/cuda/error.hpp"
#include "src/fault.hpp"

namespace ranmar::cuda {

/// Throws Error for a code that is not success. `call` is the name of the CUDA call; `fault` what a failure
/// of it means where the code itself does not say.
void check(cudaError_t code, const char* call, Fault fault = Fault::kOther);

/// For tests: makes the fault happen. kNoDriver and kNoDevice are only thrown; the others are caused for
/// real: the driver refuses a call, or the device traps.
void inject(Injected fault, cudaStream_t stream);

}  // namespace ranmar::cuda
