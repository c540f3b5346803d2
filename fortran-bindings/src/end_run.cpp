#include "end_run.hpp"

#include <cstdio>
#include <cstdlib>

#include "corsika_runtime/message.hpp"

extern "C" void rnmfls_();  // of flush_units.f90

namespace fortran_bindings {

void end_run(const char* part, const char* why) noexcept {
  static bool ending = false;
  rnmfls_();
  std::fflush(nullptr);
  corsika_runtime::say("%s: error: %s", part, why);
  if (ending) std::_Exit(1);
  ending = true;
  std::exit(1);
}

}  // namespace fortran_bindings
