// The kernels' program: compiled by the device's driver, and kept in the user's cache. May write to that
// folder alone.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "src/opencl/api.hpp"

namespace ranmar::opencl {
namespace {

namespace fs = std::filesystem;

// FNV-1a from two starts, in 32 hexadecimal digits: against mistakes and damage, not against malice.
std::string digest(std::string_view text) {
  std::string digits;
  for (std::uint64_t hash : {0xcbf29ce484222325U, 0x9ae16a3b2f90404fU}) {
    for (const unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3U;
    for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[hash >> shift & 15];
  }
  return digits;
}

// The user's own folder; "" where there is none.
fs::path cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (cache != nullptr && *cache == '/') {
    folder = fs::path(cache) / "ranmar";
  } else if (home != nullptr && *home == '/') {
    folder = fs::path(home) / ".cache" / "ranmar";
  }
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  struct stat status {};
  const bool ours = !folder.empty() && stat(folder.c_str(), &status) == 0 && status.st_uid == geteuid() &&
                    (status.st_mode & S_IWOTH) == 0;
  return ours ? folder : fs::path();
}

// What the file holds after its own digest; "" where there is no whole one.
std::string read_whole(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (text.size() < 32 || digest(std::string_view(text).substr(32)) != text.substr(0, 32)) return "";
  return text.substr(32);
}

// Written beside its place and renamed, so that no process meets half a file. A cache that cannot be written
// is none.
void publish(const fs::path& file, const std::string& binary) {
  std::string partial = file.string() + ".XXXXXX";
  const int descriptor = mkstemp(partial.data());
  if (descriptor < 0) return;
  close(descriptor);
  std::ofstream out(partial, std::ios::binary);
  out << digest(binary) << binary;
  out.close();
  std::error_code error;
  if (out) fs::rename(partial, file, error);
  if (!out || error) fs::remove(partial, error);
}

std::string binary_of(cl_program program) {
  std::size_t bytes = 0;
  if (api().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS)
    return "";
  std::string binary(bytes, '\0');
  char* to = binary.data();
  return api().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr) == CL_SUCCESS ? binary
                                                                                                     : "";
}

Shared<cl_program> from_binary(cl_context context, cl_device_id device, const std::string& binary,
                               const std::string& options) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  cl_int code = CL_SUCCESS;
  cl_program made = api().clCreateProgramWithBinary(context, 1, &device, &size, &bytes, nullptr, &code);
  if (code != CL_SUCCESS) return nullptr;
  Shared<cl_program> program(made, api().clReleaseProgram);
  if (api().clBuildProgram(made, 1, &device, options.c_str(), nullptr, nullptr) != CL_SUCCESS) return nullptr;
  return program;
}

Shared<cl_program> from_source(cl_context context, cl_device_id device, const std::string& options) {
  const char* source = kKernelSource;
  const std::size_t* whole = nullptr;
  auto program = created<cl_program>("clCreateProgramWithSource", Fault::kOther, api().clReleaseProgram,
                                     api().clCreateProgramWithSource, context, cl_uint{1}, &source, whole);
  const cl_int code = api().clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return program;
  std::string log(4096, '\0');
  api().clGetProgramBuildInfo(program.get(), device, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(),
                              nullptr);
  const auto at = std::min(log.find("error"), log.find('\0'));
  throw Error(Fault::kOther, "clBuildProgram: OpenCL's error " + std::to_string(code) + " with " + options +
                                 ": " +
                                 log.substr(at, log.find_first_of(std::string_view("\n\0", 2), at) - at));
}

Shared<cl_program> made_or_kept(cl_context context, cl_device_id device, const std::string& options) {
  const auto platform = device_info<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  std::string version(256, '\0');
  api().clGetPlatformInfo(platform, CL_PLATFORM_VERSION, version.size(), version.data(), nullptr);
  const std::string key =
      digest(version + device_text(device, CL_DEVICE_NAME) + '\n' + device_text(device, CL_DEVICE_VERSION) +
             '\n' + device_text(device, CL_DRIVER_VERSION) + '\n' + options + '\n' + kKernelSource);
  const fs::path folder = cache_folder();
  if (!folder.empty()) {
    const std::string kept = read_whole(folder / key);
    if (auto program = kept.empty() ? nullptr : from_binary(context, device, kept, options)) return program;
  }
  auto program = from_source(context, device, options);
  const std::string binary = folder.empty() ? "" : binary_of(program.get());
  if (!binary.empty()) publish(folder / key, binary);
  return program;
}

}  // namespace

// A program keeps its context, so that no other can have the same address meanwhile.
Shared<cl_program> program_of(cl_context context, cl_device_id device, const std::string& options) {
  static std::mutex mutex;
  static std::map<std::tuple<cl_context, cl_device_id, std::string>, std::weak_ptr<_cl_program>> programs;
  const std::lock_guard lock(mutex);
  auto& known = programs[{context, device, options}];
  Shared<cl_program> program = known.lock();
  if (program == nullptr) known = program = made_or_kept(context, device, options);
  return program;
}

}  // namespace ranmar::opencl
