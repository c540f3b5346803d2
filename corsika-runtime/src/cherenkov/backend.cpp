#include "corsika_runtime/cherenkov/backend.hpp"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace cherenkov::corsika {
namespace {

constexpr std::string_view kCheckPrefix = "check:";
constexpr std::string_view kCheckDevice = "check-gpu";
constexpr std::uint64_t kMaxInterval = 1000000000;

std::string_view environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

}  // namespace

RequestedBackend backend_of(std::string_view name) {
  if (name.empty() || name == "cpu" || name == "auto") return RequestedBackend::kCpu;
  if (name == "off") return RequestedBackend::kOff;
  if (name == "gpu") return RequestedBackend::kDevice;
  if (name == "check" || name == kCheckDevice || name.starts_with(kCheckPrefix)) {
    static_cast<void>(check_interval_of(name));
    return RequestedBackend::kCheck;
  }
  throw std::invalid_argument("CHERENKOV_BACKEND cannot be '" + std::string(name) +
                              "'; give off, cpu, gpu, auto, check, check-gpu or check:N");
}

RequestedBackend requested_backend() {
  static const RequestedBackend requested = backend_of(environment("CHERENKOV_BACKEND"));
  return requested;
}

std::uint64_t check_interval_of(std::string_view name) {
  if (name == "check" || name == kCheckDevice) return 1;
  std::uint64_t every = 0;
  if (name.starts_with(kCheckPrefix)) {
    const std::string_view digits = name.substr(kCheckPrefix.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), every);
    if (error != std::errc() || end != digits.data() + digits.size() || every > kMaxInterval) every = 0;
  }
  if (every == 0)
    throw std::invalid_argument("CHERENKOV_BACKEND cannot be '" + std::string(name) +
                                "'; give check or check:N, with N from 1 to 1000000000");
  return every;
}

bool is_device_requested() {
  return requested_backend() == RequestedBackend::kDevice || environment("CHERENKOV_BACKEND") == kCheckDevice;
}

std::uint64_t check_interval() { return check_interval_of(environment("CHERENKOV_BACKEND")); }

int helper_threads_of(std::string_view value) {
  if (value.empty() || value == "0") return 0;
  if (value == "1") return 1;
  throw std::invalid_argument("CHERENKOV_THREADS cannot be '" + std::string(value) + "'; give 0 or 1");
}

int helper_threads() { return helper_threads_of(environment("CHERENKOV_THREADS")); }

bool unproven_allowed() {
  const std::string_view asked = environment("CHERENKOV_UNPROVEN");
  return !asked.empty() && asked != "0";
}

}  // namespace cherenkov::corsika
