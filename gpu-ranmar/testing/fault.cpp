// Which failure of a device at which refill, for tests: RANMAR_FAULT. In the device tests, and in a library
// that was configured with RANMAR_FAULTS=ON.
#include "src/fault.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace ranmar {
namespace {

struct Request {
  Injected fault = Injected::kNone;
  std::uint64_t refill = 0;
};

Request request_of(const char* text) {
  if (text == nullptr || *text == '\0') return {};
  const std::string all(text);
  const std::size_t colon = all.find(':');
  const std::string name = all.substr(0, colon);
  Request request;
  if (name == "no-driver") request.fault = Injected::kNoDriver;
  if (name == "no-device") request.fault = Injected::kNoDevice;
  if (name == "out-of-memory") request.fault = Injected::kOutOfMemory;
  if (name == "launch") request.fault = Injected::kLaunch;
  if (name == "copy") request.fault = Injected::kCopy;
  if (name == "lost") request.fault = Injected::kLost;
  char* end = nullptr;
  if (colon != std::string::npos) request.refill = std::strtoull(all.c_str() + colon + 1, &end, 10);
  if (request.fault == Injected::kNone || request.refill == 0 || *end != '\0') {
    throw std::invalid_argument(
        "RANMAR_FAULT='" + all +
        "': not no-driver, no-device, out-of-memory, launch, copy or lost, a colon, and the "
        "number of a refill from 1 on");
  }
  return request;
}

}  // namespace

Injected next_refill() {
  static std::atomic<std::uint64_t> refills{0};
  const Request request = request_of(std::getenv("RANMAR_FAULT"));
  return ++refills == request.refill ? request.fault : Injected::kNone;
}

}  // namespace ranmar
