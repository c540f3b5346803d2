#include "end_run.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" {
// libgfortran's FLUSH; of all units where the argument is null. Not there where a program holds no Fortran.
__attribute__((weak)) void _gfortran_flush_i4(std::int32_t* unit);
}

namespace cherenkov::corsika {

void end_run(const char* why) noexcept {
  if (_gfortran_flush_i4 != nullptr) _gfortran_flush_i4(nullptr);
  std::fflush(nullptr);
  std::fprintf(stderr, "cherenkov: error: %s\n", why);
  std::exit(1);
}

}  // namespace cherenkov::corsika
