// CORSIKA's variables that the stage reads, and what becomes of a step by them.
#pragma once

#include "cerenk_entry.hpp"
#include "corsika_runtime/cherenkov/light_check.hpp"
#include "corsika_runtime/light_options/light_option.hpp"

namespace cherenkov::corsika {

// CORSIKA's variables, by its names, which it changes from event to event; cyield, cersiz and etadsn have the
// values of the recorded steps while these are done.
struct Variables {
  double *cyield, *cersiz, *etadsn;
  const double *c, *pi2, *cosang, *sinang, *obslev, *xoff, *yoff, *thckob;
  const std::int32_t *nobslv, *iatmox, *frefrx, *debug, *lcerdb, *fegsdb, *llongi, *nstep;
  double *plong9;  // PLONG(0,9)
  const double *thstep, *thstpi;
  const double *edges, *sthcph, *sthsph, *cth, *rloff;  // edges: RLONG, or HLONG for kHeight
  // Null without option CURVED: whether steps are in the detector's frame (it is set while CORSIKA does a
  // step that was recorded); lower ends of the layers of the air, cm; 1 over their scale heights, 1/cm.
  std::int32_t *detsys;
  const double *hlay, *datm;
  // Of the build.
  std::int64_t kind;         // DepthProfile::Kind
  std::int64_t has_fstack;   // 1: an FSTACK of ours does all recorded steps
  std::int64_t ends_unread;  // 1: ELECTR calls chrens_
  std::int64_t thin;         // 1: option THIN
  std::int64_t lngmax;
  // Null with option IACT. cerele, cerhad: sums of light, by electrons and by others; then the members of
  // DetectorGrid; hit: PHOTCM, XCER, YCER, UEMIS, VEMIS, CARTIM, ZEMIS, CERDIST of OUTPT2; mcerfi: 0 where
  // light goes into the file of particles; fnprim: 0 before the first interaction.
  double *cerele, *cerhad;
  const double *x_grid[6], *y_grid[6];
  double *hit[8];
  const std::int32_t *icerml, *ncertel, *mcerfi, *fnprim;
  std::int64_t upward;  // 1: option UPWARD
};
static_assert(sizeof(Variables) == 62 * sizeof(std::int64_t));
extern Variables var;
inline bool is_curved() { return var.detsys != nullptr; }
inline bool has_grid() { return var.cerele != nullptr; }
// Option CURVED without tables: the layers of RHOF, where they are known.
extern std::optional<ExponentialAir> air;

/// Light as CORSIKA's variables now have it.
Emission emission();

/// What CERENK knows before its loop, beside the step itself, and without what is a step's own.
ObservationContext surroundings();

// What becomes of a step (StepFate in light_check.hpp): one answer for CERENK's entries, for all options, and
// for the check.

/// Whether CORSIKA's own code writes lines into the log.
inline bool log_is_wanted() { return (*var.debug | *var.lcerdb | *var.fegsdb) != 0; }

/// Makes the table of thresholds. lowest: the observation level, cm.
void find_thresholds(const Emission &air, double lowest);

/// Of a step as CERENK was called with it. Changes the ends of the step as CERENK of CURVED does. why_none:
/// why all steps are left to CORSIKA, or null. records: the stage does steps later. cos_earth: with CURVED,
/// of RecordedSteps. Must be called for every step that comes here, in order, also for those that CORSIKA
/// does: CERENK of CERWLEN keeps the change of energy per cm of steps of one bunch.
StepFate fate_of(ChargedStep &charged, double cos_earth, const char *why_none, bool records);

/// Whether a step is recorded, where steps are, without a look at its light: with CURVED an electron's, whose
/// ends ELECTR does not read again.
inline bool is_recorded_as_is(double mass) { return !is_curved() || (var.ends_unread != 0 && mass < 1e-3); }

/// The option of this build that changes the light of steps (light_options.cpp); null where there is none.
LightOption *light_option();

}  // namespace cherenkov::corsika

/// A routine of cherenkov_cerenk.inc. Before it fills `variables` it calls, where the stage takes whole
/// steps, CHROPT, and so the functions of light_options.cpp; else chrbun_.
extern "C" void chrini_(cherenkov::corsika::Variables *variables);
