#include "overlay/build/checkout.hpp"

#include <cstdlib>

namespace overlay {

std::filesystem::path source_root() { return OVERLAY_SOURCE_ROOT; }

std::filesystem::path build_root() {
  if (const char* set = std::getenv("OVERLAY_BUILD_ROOT")) return set;
  return OVERLAY_BUILD_ROOT;
}

}  // namespace overlay
