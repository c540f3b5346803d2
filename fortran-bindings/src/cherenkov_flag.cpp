// COMMON /CHRFLG/, the check of CHERENKOV_BACKEND at the start of the program, and the lines of builds that
// the stage covers in part or not at all. Apart from cerenk_entry.cpp, because a build without the IACT
// package cannot be linked with the stage.
#include <cstdio>
#include <exception>
#include <string>

#include "cerenk_entry.hpp"
#include "corsika_runtime/cherenkov/backend.hpp"
#include "end_run.hpp"

alignas(64) CherenkovFlag chrflg_ = {0, 0};

namespace {

using cherenkov::corsika::RequestedBackend;

// Before main, so that a mistyped name costs no shower.
const RequestedBackend at_start = [] {
  try {
    return cherenkov::corsika::requested_backend();
  } catch (const std::exception& e) {
    fortran_bindings::end_run("cherenkov", e.what());
  }
}();

}  // namespace

void chrnot_() {
  chrflg_.off = 1;
  if (at_start != RequestedBackend::kOff)
    std::fprintf(
        stderr,
        "cherenkov: the stage does not cover the options of this build; CORSIKA's own code goes on\n");
}

void chrone_(const int* reason) {
  static constexpr const char* kReasons[] = {
      "of an unknown option", "of option NOCLONG",
      "of option AUGCERLONG", "of option CEFFIC",
      "of option CERWLEN",    "the stage does not know this CERLDE without option SLANT"};
  chrflg_.told = 1;
  if (at_start == RequestedBackend::kOff) {
    chrflg_.off = 1;
    return;
  }
  const bool known = *reason >= 1 && *reason <= 5;
  std::fprintf(
      stderr, "cherenkov: CORSIKA's own loop goes on, and the stage looks at it bunch by bunch, because %s\n",
      kReasons[known ? *reason : 0]);
}
