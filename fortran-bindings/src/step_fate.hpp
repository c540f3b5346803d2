// What becomes of a step (StepFate in light_check.hpp): one answer for CERENK's entries, for all options, and
// for the check.
#pragma once

#include "corsika_runtime/cherenkov/charged_step.hpp"
#include "corsika_runtime/cherenkov/light_check.hpp"
#include "corsika_runtime/light_options/light_option.hpp"

namespace cherenkov::corsika {

/// Makes the table of chrste_ (cerenk_entry.hpp), by which CERENK of cherenkov_steps.inc drops steps of
/// particles that are too slow to emit light. lowest: the observation level, cm.
void find_thresholds(const Emission& air, double lowest);

/// Of a step as CERENK was called with it; cos_earth: with option CURVED, CTEA. Changes the ends of the step
/// as CERENK of CURVED does. why_none: why all steps are left to CORSIKA, or null. records: the stage does
/// steps later. Must be called for every step that comes here, in order, also for those that CORSIKA does:
/// CERENK of CERWLEN keeps the change of energy per cm of steps of one bunch.
StepFate fate_of(ChargedStep& charged, double cos_earth, const char* why_none, bool records);

/// With CURVED: whether CERENK itself records the step, where steps are recorded.
bool is_electron(const ChargedStep& charged);

/// The option of this build that changes the light of steps (light_options.cpp); null where there is none.
LightOption* light_option();

}  // namespace cherenkov::corsika
