// Steps of builds with option CERWLEN or CEFFIC, where the stage takes whole steps: light has wavelengths.
#pragma once

#include <cstdint>

#include "cherenkov_run.hpp"
#include "corsika_runtime/cherenkov/charged_step.hpp"

extern "C" {
// With CERWLEN: the shortest and the longest wavelength of light, nm.
void chrwln_(const double* wavlgl, const double* wavlgu);

// With CEFFIC: tables and flags of COMMON /CRCERABS/, wavelengths, and RD, where CORSIKA puts a random
// number.
void chrefi_(const double* atmabs, const double* ateobs, const double* quaeff, const double* mirref,
             const std::int32_t* cerqef, const std::int32_t* cerata, const std::int32_t* cermir,
             const double* wavlgl, const double* wavlgu, const double* cernor, const double* wlmin,
             double* rd);
}

namespace cherenkov::corsika {

/// Whether one of the two above was called.
bool has_wavelengths();

/// The factor of n - 1 with which CERENK asks whether a step emits light.
double dispersion_of_steps();

/// What CERENK does with a step. Must be called for every step of a run, in order, also for those that
/// CORSIKA does: CERENK keeps something of some.
LightKind look_at_wavelengths(const ChargedStep& charged, const Emission& emission);

/// Does the step that was looked at last, as chrstp_ (cerenk_entry.hpp) says in `done`. light: what
/// look_at_wavelengths() returned, or kNone.
int take_wavelengths(Run& run, LightKind light, const Emission& emission, const ObservationContext& context);

}  // namespace cherenkov::corsika
