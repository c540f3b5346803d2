// As src/no_fault.cpp: no failures of CUDA devices.
#include "src/cuda/runtime.hpp"

void ranmar::cuda::inject(Injected, cudaStream_t) {}
