// Failures of an OpenCL device on demand, for tests.
#pragma once

#include "src/fault.hpp"
#include "src/opencl/api.hpp"

namespace ranmar::opencl {

/// Makes the fault happen. All but the first two are real: OpenCL refuses a call; of a lost device an event
/// that ended in an error is returned, to be waited for instead of the copy's.
Shared<cl_event> inject(Injected fault, cl_context context, cl_command_queue queue, cl_mem memory);

}  // namespace ranmar::opencl
