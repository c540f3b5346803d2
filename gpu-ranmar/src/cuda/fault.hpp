// Failures of a CUDA device on demand, for tests.
#pragma once

#include <cuda_runtime_api.h>

#include "src/fault.hpp"

namespace ranmar::cuda {

/// Makes the fault happen. All but the first two are real: the driver refuses a call, or the device traps.
void inject(Injected fault, cudaStream_t stream);

}  // namespace ranmar::cuda
