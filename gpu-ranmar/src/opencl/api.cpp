// libOpenCL, its return codes, its handles, and the devices that it tells of.
#include "src/opencl/api.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

namespace ranmar::opencl {
namespace {

constexpr cl_int kNoPlatform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR

Api load() {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw Error(Fault::kNoDriver,
                "no OpenCL: libOpenCL.so.1 cannot be loaded; install ocl-icd-libopencl1 and a driver");
  Api api;
  const auto look_up = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) throw Error(Fault::kNoDriver, std::string("libOpenCL.so.1 has no ") + name);
  };
#define RANMAR_LOOK_UP(name) look_up(api.name, #name);
  RANMAR_OPENCL_FUNCTIONS(RANMAR_LOOK_UP)
#undef RANMAR_LOOK_UP
  return api;
}

Fault fault_of(cl_int code, Fault otherwise) {
  if (code == kNoPlatform) return Fault::kNoDriver;
  if (code == CL_DEVICE_NOT_FOUND || code == CL_DEVICE_NOT_AVAILABLE) return Fault::kNoDevice;
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY) return Fault::kOutOfMemory;
  return otherwise;
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  std::array<char, 256> text{};
  const cl_int code = api().clGetPlatformInfo(platform, what, text.size() - 1, text.data(), nullptr);
  return code == CL_SUCCESS ? text.data() : "?";
}

std::vector<Device> find_devices() {
  std::vector<Device> found;
  std::array<cl_platform_id, 64> platforms{};
  cl_uint count = 0;
  check(api().clGetPlatformIDs(platforms.size(), platforms.data(), &count), "clGetPlatformIDs",
        Fault::kNoDriver);
  for (std::size_t p = 0; p < std::min<std::size_t>(count, platforms.size()); ++p) {
    std::array<cl_device_id, 64> ids{};
    cl_uint here = 0;
    if (api().clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, ids.size(), ids.data(), &here) != CL_SUCCESS)
      continue;
    const std::string version = platform_text(platforms[p], CL_PLATFORM_VERSION);  // "OpenCL 3.0 ..."
    const std::string name =
        platform_text(platforms[p], CL_PLATFORM_NAME) + ", " + version.substr(0, version.find(' ', 7));
    for (std::size_t d = 0; d < std::min<std::size_t>(here, ids.size()); ++d) {
      cl_device_type type = 0;
      check(api().clGetDeviceInfo(ids[d], CL_DEVICE_TYPE, sizeof type, &type, nullptr), "clGetDeviceInfo",
            Fault::kNoDevice);
      found.push_back(
          {name, device_text(ids[d], CL_DEVICE_NAME) + ", driver " + device_text(ids[d], CL_DRIVER_VERSION),
           (type & CL_DEVICE_TYPE_CPU) != 0, ids[d]});
    }
  }
  std::stable_partition(found.begin(), found.end(), [](const Device& device) { return !device.processor; });
  return found;
}

template <class Handle>
Shared<Handle> owned(Handle handle, cl_int code, const char* call, Fault fault, cl_int (*release)(Handle)) {
  check(code, call, fault);
  return {handle, release};
}

}  // namespace

const Api& api() {
  static const Api functions = load();
  return functions;
}

void check(cl_int code, const char* call, Fault fault) {
  if (code != CL_SUCCESS)
    throw Error(fault_of(code, fault), std::string(call) + ": OpenCL's error " + std::to_string(code));
}

std::string device_text(cl_device_id device, cl_device_info what) {
  std::size_t bytes = 0;
  check(api().clGetDeviceInfo(device, what, 0, nullptr, &bytes), "clGetDeviceInfo", Fault::kNoDevice);
  std::string text(bytes, '\0');
  check(api().clGetDeviceInfo(device, what, bytes, text.data(), nullptr), "clGetDeviceInfo",
        Fault::kNoDevice);
  return text.c_str();  // without the zero at its end
}

Shared<cl_context> context_of(cl_device_id device) {
  static std::mutex mutex;
  static std::map<cl_device_id, std::weak_ptr<_cl_context>> contexts;
  const std::lock_guard lock(mutex);
  Shared<cl_context> context = contexts[device].lock();
  if (context != nullptr) return context;
  cl_int code = CL_SUCCESS;
  cl_context const made = api().clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  contexts[device] = context = owned(made, code, "clCreateContext", Fault::kNoDevice, api().clReleaseContext);
  return context;
}

Shared<cl_command_queue> queue_of(cl_context context, cl_device_id device) {
  cl_int code = CL_SUCCESS;
  cl_command_queue const made = api().clCreateCommandQueue(context, device, 0, &code);
  return owned(made, code, "clCreateCommandQueue", Fault::kNoDevice, api().clReleaseCommandQueue);
}

Shared<cl_mem> buffer_of(cl_context context, std::size_t bytes, const void* contents) {
  cl_int code = CL_SUCCESS;
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (contents == nullptr ? 0 : CL_MEM_COPY_HOST_PTR);
  cl_mem const made = api().clCreateBuffer(context, flags, bytes, const_cast<void*>(contents), &code);
  return owned(made, code, "clCreateBuffer", Fault::kOutOfMemory, api().clReleaseMemObject);
}

Shared<cl_kernel> kernel_of(cl_program program, const char* name) {
  cl_int code = CL_SUCCESS;
  cl_kernel const made = api().clCreateKernel(program, name, &code);
  return owned(made, code, "clCreateKernel", Fault::kLaunch, api().clReleaseKernel);
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
