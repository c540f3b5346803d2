#include "end_run.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" {
// libgfortran's FLUSH; of all units where the argument is null. Not there where a program holds no Fortran.
__attribute__((weak)) void _gfortran_flush_i4(std::int32_t* unit);
}

namespace cherenkov::corsika {

namespace {

[[noreturn]] void end_with(const char* begin, const char* line) noexcept {
  if (_gfortran_flush_i4 != nullptr) _gfortran_flush_i4(nullptr);
  std::fflush(nullptr);
  std::fprintf(stderr, "cherenkov: %s%s\n", begin, line);
  std::exit(1);
}

}  // namespace

void end_run(const char* why) noexcept { end_with("error: ", why); }

void end_run_saying(const char* line) noexcept { end_with("", line); }

}  // namespace cherenkov::corsika
