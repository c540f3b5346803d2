// OpenCL's functions, handles and codes.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <type_traits>

#include "ranmar/opencl/opencl.hpp"

namespace ranmar::opencl {

/// OpenCL's function of that name: looked up at the first use, so that a program starts without
/// libOpenCL.so.1. Throws Error where the library or the function is not there.
void* find_function(const char* name);
#define OPENCL(name) reinterpret_cast<decltype(&::name)>(ranmar::opencl::find_function(#name))

/// Throws Error for a code that is not success. `call` is the name of the OpenCL call.
void check(cl_int code, const char* call);
/// OPENCL_CALL(function, arguments...): calls a function of OpenCL, and checks what it returns.
#define OPENCL_CALL(function, ...) ranmar::opencl::check(OPENCL(function)(__VA_ARGS__), #function)

/// A handle, released with its last owner.
template <class Handle>
using Shared = std::shared_ptr<std::remove_pointer_t<Handle>>;

/// Calls a clCreate... function with these arguments; its last parameter takes the address of the error code.
template <class Handle, class... Parameters, class... Arguments>
Shared<Handle> create(const char* call, cl_int (*release)(Handle), Handle (*function)(Parameters...),
                      Arguments... arguments) {
  cl_int code = CL_SUCCESS;
  Handle const handle = function(arguments..., &code);
  check(code, call);
  return {handle, release};
}

/// What OpenCL tells of an object: a number, a handle, or a text.
template <class T, class Object, class What>
T info(cl_int (*get)(Object, What, std::size_t, void*, std::size_t*), Object object, cl_uint what) {
  T value{};
  if constexpr (std::is_same_v<T, std::string>) {
    value.resize(8192);  // without a second call for its length, and with the zero at its end
    check(get(object, what, value.size(), value.data(), nullptr), "clGet...Info");
    value.resize(value.find('\0'));
  } else {
    check(get(object, what, sizeof value, &value, nullptr), "clGet...Info");
  }
  return value;
}

/// One context of a device for all who ask for it: a context takes memory of a card, and time.
Shared<cl_context> context_of(cl_device_id device);
/// A new in-order command queue.
Shared<cl_command_queue> queue_of(cl_context context, cl_device_id device);
/// New memory of the device, of so many bytes; a copy of `contents`, if this is not null.
Shared<cl_mem> buffer_of(cl_context context, std::size_t bytes, const void* contents = nullptr);

/// For tests (ranmar_testing/fault.hpp): throws the Error that is asked for at this refill. For a lost device
/// an event that ended in an error is returned, to be waited for instead of the copy's.
Shared<cl_event> inject(cl_context context);

}  // namespace ranmar::opencl
