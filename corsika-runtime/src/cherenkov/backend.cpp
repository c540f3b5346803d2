#include "corsika_runtime/cherenkov/backend.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace cherenkov::corsika {

RequestedBackend requested_backend() {
  static const RequestedBackend requested = [] {
    const char* text = std::getenv("CHERENKOV_BACKEND");
    const std::string name = text == nullptr ? "" : text;
    if (name.empty() || name == "cpu") return RequestedBackend::kCpu;
    if (name == "off") return RequestedBackend::kOff;
    if (name == "auto") return RequestedBackend::kAuto;
    if (name == "gpu") return RequestedBackend::kDevice;
    throw std::invalid_argument("CHERENKOV_BACKEND cannot be '" + name + "'; give off, cpu, gpu or auto");
  }();
  return requested;
}

}  // namespace cherenkov::corsika
