// The check of CHERENKOV_BACKEND and CHERENKOV_THREADS at the start of the program, and the line of builds
// that the stage does not cover; and OUTPT2 of builds without IACT, covered or not. Apart from
// cerenk_entry.cpp, because such builds cannot be linked with the stage.
#include <utility>

#include "cerenk_entry.hpp"
#include "corsika_runtime/message.hpp"
#include "end_run.hpp"

// `overlay build` makes a 1 of the 0 in the program where the stage is known or proven to do what this tree's
// routines do (mark_proven() in overlay/build/steps.cpp). Else the stage stays off. Volatile: no compiler may
// drop the text.
volatile char cherenkov_proven[] = "cherenkov stage proven: 0";

// Before main, so that a mistyped name costs no shower.
static const auto& asked = fortran_bindings::or_end("cherenkov", cherenkov::corsika::requested_stage);

bool stage_is_trusted() { return asked.unproven || cherenkov_proven[24] == '1'; }

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
