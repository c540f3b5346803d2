// libOpenCL, its return codes, and the devices that it tells of.
#include "src/opencl/api.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <vector>

#include "ranmar/opencl/stream.hpp"

namespace ranmar::opencl {
namespace {

constexpr cl_int kNoPlatform = -1001;           // CL_PLATFORM_NOT_FOUND_KHR
constexpr cl_device_info kDeviceUuid = 0x106A;  // CL_DEVICE_UUID_KHR

Api load() {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error(Fault::kNoDriver,
                "no OpenCL: libOpenCL.so.1 cannot be loaded; install ocl-icd-libopencl1, and a driver");
  }
  Api api;
  const auto look_up = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr)
      throw Error(Fault::kNoDriver, std::string("no OpenCL 1.2: libOpenCL.so.1 has no ") + name);
  };
#define RANMAR_LOOK_UP(name) look_up(api.name, #name);
  RANMAR_OPENCL_FUNCTIONS(RANMAR_LOOK_UP)
#undef RANMAR_LOOK_UP
  return api;
}

Fault fault_of(cl_int code, Fault otherwise) {
  switch (code) {
    case kNoPlatform:
      return Fault::kNoDriver;
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
      return Fault::kNoDevice;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
      return Fault::kOutOfMemory;
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
      return Fault::kLost;
    default:
      return otherwise;
  }
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  std::array<char, 256> text{};
  const cl_int code = api().clGetPlatformInfo(platform, what, text.size() - 1, text.data(), nullptr);
  return code == CL_SUCCESS ? text.data() : "?";
}

std::string uuid_of(cl_device_id device) {
  std::array<unsigned char, 16> bytes{};
  if (api().clGetDeviceInfo(device, kDeviceUuid, bytes.size(), bytes.data(), nullptr) != CL_SUCCESS)
    return "";
  std::string text;
  for (const unsigned char byte : bytes) {
    for (const int digit : {byte >> 4, byte & 15}) text += "0123456789abcdef"[digit];
  }
  return text;
}

std::vector<Device> find_devices() {
  std::vector<Device> found;
  cl_uint count = 0;
  check(api().clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs", Fault::kNoDriver);
  std::vector<cl_platform_id> platforms(count);
  check(api().clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs", Fault::kNoDriver);
  for (cl_platform_id platform : platforms) {
    if (api().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> ids(count);
    check(api().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr), "clGetDeviceIDs",
          Fault::kNoDevice);
    const std::string version = platform_text(platform, CL_PLATFORM_VERSION);  // "OpenCL 3.0 ..."
    const std::string name =
        platform_text(platform, CL_PLATFORM_NAME) + ", " + version.substr(0, version.find(' ', 7));
    for (cl_device_id id : ids) {
      found.push_back(
          {name, device_text(id, CL_DEVICE_NAME) + ", driver " + device_text(id, CL_DRIVER_VERSION),
           uuid_of(id), (device_info<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0, id});
    }
  }
  std::stable_partition(found.begin(), found.end(), [](const Device& device) { return !device.processor; });
  return found;
}

}  // namespace

const Api& api() {
  static const Api functions = load();
  return functions;
}

void check(cl_int code, const char* call, Fault fault) {
  if (code == CL_SUCCESS) return;
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
