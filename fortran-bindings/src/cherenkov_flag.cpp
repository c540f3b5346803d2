// The check of CHERENKOV_BACKEND and CHERENKOV_THREADS at the start of the program, and the line of builds
// that the stage does not cover; and OUTPT2 of builds without IACT, covered or not. Apart from
// cerenk_entry.cpp, because such builds cannot be linked with the stage.
#include <exception>
#include <utility>

#include "cerenk_entry.hpp"
#include "corsika_runtime/message.hpp"
#include "end_run.hpp"

// Linked where this tree is known or proven (cherenkov_proven.cpp).
extern "C" __attribute__((weak)) const int cherenkov_proven_;

namespace {

// Before main, so that a mistyped name costs no shower.
const cherenkov::corsika::RequestedStage& asked = []() -> const auto& {
  try {
    return cherenkov::corsika::requested_stage();
  } catch (const std::exception& e) {
    fortran_bindings::end_run("cherenkov", e.what());
  }
}
();

}  // namespace

bool stage_is_trusted() {
  return asked.unproven || (&cherenkov_proven_ != nullptr && cherenkov_proven_ != 0);
}

void chrnot_() {
  static bool said = false;
  if (std::exchange(said, true)) return;
  if (asked.check_every != 0)
    fortran_bindings::end_run(
        "cherenkov", "the stage does not cover the options of this build: there is nothing to check");
  if (!asked.is_off)
    corsika_runtime::say(
        "cherenkov: the stage does not cover the options of this build; CORSIKA's own code goes on");
}

void (*cherenkov_looks_at_hits)() = nullptr;

void outpt2_(const std::int32_t* file) {
  cherenkov_looks_at_hits != nullptr ? cherenkov_looks_at_hits() : chrout_(file);
}
