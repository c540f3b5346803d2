// libOpenCL, its return codes, its handles, and the devices that it tells of.
#include "src/opencl/api.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace ranmar::opencl {
namespace {

std::vector<Device> find_devices() {
  std::vector<Device> found;
  std::array<cl_platform_id, 64> platforms{};
  cl_uint count = 0;
  OPENCL_CALL(clGetPlatformIDs, platforms.size(), platforms.data(), &count);
  for (std::size_t p = 0; p < std::min<std::size_t>(count, platforms.size()); ++p) {
    std::array<cl_device_id, 64> ids{};
    cl_uint here = 0;
    if (OPENCL(clGetDeviceIDs)(platforms[p], CL_DEVICE_TYPE_ALL, ids.size(), ids.data(), &here) != CL_SUCCESS)
      continue;
    const auto of_platform = [&](cl_uint what) {
      return info<std::string>(OPENCL(clGetPlatformInfo), platforms[p], what);
    };
    const std::string version = of_platform(CL_PLATFORM_VERSION);  // "OpenCL 3.0 ..."
    const std::string platform =
        of_platform(CL_PLATFORM_NAME) + ", " + version.substr(0, version.find(' ', 7));
    for (std::size_t d = 0; d < std::min<std::size_t>(here, ids.size()); ++d) {
      const auto text = [&](cl_uint what) {
        return info<std::string>(OPENCL(clGetDeviceInfo), ids[d], what);
      };
      const auto type = info<cl_device_type>(OPENCL(clGetDeviceInfo), ids[d], CL_DEVICE_TYPE);
      found.push_back({platform, text(CL_DEVICE_NAME) + ", driver " + text(CL_DRIVER_VERSION),
                       (type & CL_DEVICE_TYPE_CPU) != 0, ids[d]});
    }
  }
  std::stable_partition(found.begin(), found.end(), [](const Device& device) { return !device.processor; });
  return found;
}

}  // namespace

void* find_function(const char* name) {
  static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw Error("no OpenCL: libOpenCL.so.1 cannot be loaded; install ocl-icd-libopencl1 and a driver");
  void* const function = dlsym(library, name);
  if (function == nullptr) throw Error(std::string("libOpenCL.so.1 has no ") + name);
  return function;
}

void check(cl_int code, const char* call) {
  if (code != CL_SUCCESS) throw Error(std::string(call) + ": OpenCL's error " + std::to_string(code));
}

Shared<cl_context> context_of(cl_device_id device) {
  static std::mutex mutex;
  static std::map<cl_device_id, std::weak_ptr<_cl_context>> contexts;
  const std::lock_guard lock(mutex);
  Shared<cl_context> context = contexts[device].lock();
  if (context == nullptr)
    contexts[device] = context = create("clCreateContext", OPENCL(clReleaseContext), OPENCL(clCreateContext),
                                        nullptr, 1, &device, nullptr, nullptr);
  return context;
}

Shared<cl_command_queue> queue_of(cl_context context, cl_device_id device) {
  return create("clCreateCommandQueue", OPENCL(clReleaseCommandQueue), OPENCL(clCreateCommandQueue), context,
                device, 0);
}

Shared<cl_mem> buffer_of(cl_context context, std::size_t bytes, const void* contents) {
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (contents == nullptr ? 0 : CL_MEM_COPY_HOST_PTR);
  return create("clCreateBuffer", OPENCL(clReleaseMemObject), OPENCL(clCreateBuffer), context, flags, bytes,
                const_cast<void*>(contents));
}

std::vector<Device> devices(std::string* why) {
  std::string reason = "no OpenCL device";
  try {
    auto found = find_devices();
    if (!found.empty()) return found;
  } catch (const std::exception& e) {
    reason = e.what();
  }
  if (why != nullptr) *why = reason;
  return {};
}

}  // namespace ranmar::opencl
