// Steps of particles that are too slow to emit light: CERENK of cherenkov_steps.inc drops them.
#pragma once

#include "corsika_runtime/cherenkov/charged_step.hpp"

namespace cherenkov::corsika {

/// Makes the table of chrste_ (cerenk_entry.hpp). lowest: the observation level, cm.
void find_thresholds(const Emission& air, double lowest);

/// Whether CERENK drops the step, by that table.
bool is_dropped(const ChargedStep& charged);

}  // namespace cherenkov::corsika
