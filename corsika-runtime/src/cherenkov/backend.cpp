#include "corsika_runtime/cherenkov/backend.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace cherenkov::corsika {

RequestedBackend backend_of(std::string_view name) {
  if (name.empty() || name == "cpu") return RequestedBackend::kCpu;
  if (name == "off") return RequestedBackend::kOff;
  if (name == "auto") return RequestedBackend::kAuto;
  if (name == "gpu") return RequestedBackend::kDevice;
  throw std::invalid_argument("CHERENKOV_BACKEND cannot be '" + std::string(name) +
                              "'; give off, cpu, gpu or auto");
}

RequestedBackend requested_backend() {
  static const RequestedBackend requested = [] {
    const char* text = std::getenv("CHERENKOV_BACKEND");
    return backend_of(text == nullptr ? "" : text);
  }();
  return requested;
}

}  // namespace cherenkov::corsika
