// Failures of an OpenCL device on demand, for tests: an error, and an event that ended in one.
#include "ranmar_testing/fault.hpp"

#include "src/opencl/api.hpp"

namespace ranmar::opencl {

Shared<cl_event> inject(cl_context context) {
  if (!loses_device()) return nullptr;
  auto event = create("clCreateUserEvent", OPENCL(clReleaseEvent), OPENCL(clCreateUserEvent), context);
  OPENCL_CALL(clSetUserEventStatus, event.get(), -9999);
  return event;
}

}  // namespace ranmar::opencl
