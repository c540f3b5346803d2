// Which failure of a device at which refill.
#include "ranmar_testing/fault.hpp"

#include <atomic>
#include <cstdlib>
#include <regex>

namespace ranmar {

bool loses_device() {
  static std::atomic<std::uint64_t> refills{0};
  const std::uint64_t refill = ++refills;
  const char* text = std::getenv("RANMAR_FAULT");
  if (text == nullptr || *text == '\0') return false;
  const std::string kinds = "no-driver|no-device|out-of-memory|launch|copy|lost";
  std::cmatch asked;
  if (!std::regex_match(text, asked, std::regex("(" + kinds + "):([1-9][0-9]*)")))
    throw std::invalid_argument("RANMAR_FAULT='" + std::string(text) + "': not one of " + kinds +
                                ", a colon, and the number of a refill from 1 on");
  if (std::stoull(asked[2]) != refill) return false;
  if (asked[1] != "lost") throw cuda::Error("RANMAR_FAULT: " + asked[1].str());
  return true;
}

}  // namespace ranmar
