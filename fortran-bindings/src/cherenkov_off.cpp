// The flag by which CERENK knows that the Cherenkov stage is off, and the note of a build whose options are
// not covered. Apart from cerenk_entry.cpp, because a build without the IACT package cannot be linked with
// the stage.
#include <cstdio>

#include "cerenk_entry.hpp"
#include "corsika_runtime/cherenkov/backend.hpp"

CherenkovFlag chrflg_ = {0};

void chrnot_() {
  chrflg_.off = 1;
  if (cherenkov::corsika::stage_wanted() != cherenkov::corsika::Wanted::kNothing)
    std::fprintf(stderr,
                 "cherenkov: not covered with the options of this build; CORSIKA's own code goes on\n");
}
