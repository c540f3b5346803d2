// Which failure of a device at which refill.
#include "ranmar_testing/fault.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>

namespace ranmar {

cuda::Fault next_refill() {
  constexpr const char* kKinds[] = {"no-driver", "no-device", "out-of-memory", "launch", "copy", "lost"};
  static std::atomic<std::uint64_t> refills{0};
  const std::uint64_t refill = ++refills;
  const char* text = std::getenv("RANMAR_FAULT");
  if (text == nullptr || *text == '\0') return cuda::Fault::kOther;
  std::cmatch asked;
  const bool read = std::regex_match(text, asked, std::regex("(.*):([1-9][0-9]*)"));
  const auto kind = std::find(std::begin(kKinds), std::end(kKinds), asked[1].str());
  if (!read || kind == std::end(kKinds))
    throw std::invalid_argument(
        "RANMAR_FAULT='" + std::string(text) +
        "': not no-driver, no-device, out-of-memory, launch, copy or lost, a colon, and the "
        "number of a refill from 1 on");
  return std::stoull(asked[2]) == refill ? static_cast<cuda::Fault>(kind - kKinds) : cuda::Fault::kOther;
}

}  // namespace ranmar
