// The kernels' program: compiled by the device's driver, and kept in the user's cache. Writes to that folder
// alone.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "src/opencl/api.hpp"

namespace ranmar::opencl {
namespace {

namespace fs = std::filesystem;

const char* const kSource = {
#include "kernel_source.inc"
};

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
  if (home != nullptr && *home == '/') folder = fs::path(home) / ".cache" / "ranmar";
  if (cache != nullptr && *cache == '/') folder = fs::path(cache) / "ranmar";
  std::error_code error;
  fs::create_directories(folder, error);
  struct stat status {};
  const bool ours =
      stat(folder.c_str(), &status) == 0 && status.st_uid == geteuid() && (status.st_mode & S_IWOTH) == 0;
  return ours ? folder : fs::path();
}

// Null where the file is not there, not whole, or not what the driver takes.
Shared<cl_program> kept_program(cl_context context, cl_device_id device, const std::string& options,
                                const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (text.size() < 32 || digest(std::string_view(text).substr(32)) != text.substr(0, 32)) return nullptr;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data()) + 32;
  const std::size_t size = text.size() - 32;
  cl_int code = CL_SUCCESS;
  cl_program const made = api().clCreateProgramWithBinary(context, 1, &device, &size, &bytes, nullptr, &code);
  if (code != CL_SUCCESS) return nullptr;
  Shared<cl_program> program(made, api().clReleaseProgram);
  return api().clBuildProgram(made, 1, &device, options.c_str(), nullptr, nullptr) == CL_SUCCESS ? program
                                                                                                 : nullptr;
}

// Written beside its place and renamed, so that no process meets half a file. A cache that cannot be written
// is none.
void keep(cl_program program, const fs::path& file) {
  std::size_t bytes = 0;
  api().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr);
  std::string binary(bytes, '\0');
  char* to = binary.data();
  std::string partial = file.string() + ".XXXXXX";
  if (bytes == 0 ||
      api().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr) != CL_SUCCESS)
    return;
  if (const int descriptor = mkstemp(partial.data()); descriptor < 0 || close(descriptor) != 0) return;
  std::ofstream out(partial, std::ios::binary);
  out << digest(binary) << binary;
  out.close();
  std::error_code error;
  if (out) fs::rename(partial, file, error);
  if (!out || error) fs::remove(partial, error);
}

}  // namespace

Shared<cl_program> program_of(cl_context context, cl_device_id device, const std::string& options) {
  const fs::path folder = cache_folder();
  std::string key = options + kSource;
  for (const cl_device_info what : {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION})
    key += '\n' + device_text(device, what);
  const fs::path file = folder / digest(key);
  if (auto program = folder.empty() ? nullptr : kept_program(context, device, options, file)) return program;
  cl_int code = CL_SUCCESS;
  const Shared<cl_program> program(
      api().clCreateProgramWithSource(context, 1, const_cast<const char**>(&kSource), nullptr, &code),
      api().clReleaseProgram);
  check(code, "clCreateProgramWithSource");
  code = api().clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS) {
    std::string log(4096, '\0');
    api().clGetProgramBuildInfo(program.get(), device, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(),
                                nullptr);
    log = log.c_str() + std::min(log.find("error"), log.find('\0'));
    throw Error(Fault::kOther, "clBuildProgram: OpenCL's error " + std::to_string(code) + " with " + options +
                                   ": " + log.substr(0, log.find('\n')));
  }
  if (!folder.empty()) keep(program.get(), file);
  return program;
}

}  // namespace ranmar::opencl
