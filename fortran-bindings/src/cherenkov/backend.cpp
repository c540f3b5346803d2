#include "backend.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cerenk_entry.hpp"

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

CherenkovFlag chrflg_ = {0};

// Here and not beside the stage, which no build without the IACT package can be linked with.
void chrnot_() {
  chrflg_.off = 1;
  if (cherenkov::corsika::stage_wanted() != cherenkov::corsika::Wanted::kNothing)
    std::fprintf(stderr,
                 "cherenkov: not covered with the options of this build; CORSIKA's own code goes on\n");
}
