#include "corsika_runtime/cherenkov/backend.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace cherenkov::corsika {

Wanted stage_wanted() {
  static const Wanted wanted = [] {
    const char* text = std::getenv("CHERENKOV_BACKEND");
    const std::string_view name = text == nullptr ? "" : text;
    if (name.empty() || name == "off") return Wanted::kNothing;
    if (name == "cpu") return Wanted::kCpu;
    if (name == "auto") return Wanted::kAuto;
    if (name == "gpu") return Wanted::kDevice;
    std::fprintf(stderr, "cherenkov: error: CHERENKOV_BACKEND is '%s'; it can be off, cpu, gpu or auto\n",
                 text);
    std::exit(1);
  }();
  return wanted;
}

}  // namespace cherenkov::corsika
