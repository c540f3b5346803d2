// CORSIKA's variables that the stage reads, as chrrun_ (cerenk_entry.cpp), chrlng_ and chrgeo_ hand them
// over; and what becomes of a step by them.
#pragma once

#include "cerenk_entry.hpp"
#include "corsika_runtime/cherenkov/light_check.hpp"
#include "corsika_runtime/light_options/light_option.hpp"

namespace cherenkov::corsika {

// CORSIKA's variables, which it changes from event to event.
struct Variables {
  double *cyield, *cersiz, *etadsn;
  const double *c, *pi2, *cosang, *sinang, *obslev, *xoff, *yoff, *thckob;
  const std::int32_t *nobslv, *iatmox, *frefrx, *debug, *lcerdb, *fegsdb;
  // Null without option CURVED.
  std::int32_t *detsys;
  bool ends_unread;  // see chrgeo_
  const double *hlay, *datm;
  DepthProfile::Kind kind;
  const std::int32_t *llongi, *nstep, *lngmax;
  double *plong9;
  const double *edges, *thstep, *thstpi, *sthcph, *sthsph, *cth, *rloff;
};
extern Variables var;
inline bool is_curved() { return var.detsys != nullptr; }
// Option CURVED without tables: the layers of RHOF, where they are known.
extern std::optional<ExponentialAir> air;

/// Light as CORSIKA's variables now have it.
Emission emission();

/// What CERENK knows before its loop, beside the step itself, and without what is a step's own.
ObservationContext surroundings();

// What becomes of a step (StepFate in light_check.hpp): one answer for CERENK's entries, for all options, and
// for the check.

/// Makes the table of chrste_ (cerenk_entry.hpp), by which CERENK of cherenkov_steps.inc drops steps of
/// particles that are too slow to emit light. lowest: the observation level, cm.
void find_thresholds(const Emission &air, double lowest);

/// Of a step as CERENK was called with it. Changes the ends of the step as CERENK of CURVED does. why_none:
/// why all steps are left to CORSIKA, or null. records: the stage does steps later. Must be called for every
/// step that comes here, in order, also for those that CORSIKA does: CERENK of CERWLEN keeps the change of
/// energy per cm of steps of one bunch.
StepFate fate_of(ChargedStep &charged, const char *why_none, bool records);

/// With CURVED: whether CERENK itself records the step, where steps are recorded.
bool is_electron(const ChargedStep &charged);

/// The option of this build that changes the light of steps (light_options.cpp); null where there is none.
LightOption *light_option();

}  // namespace cherenkov::corsika
