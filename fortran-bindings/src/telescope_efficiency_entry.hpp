// What CESPEC and TELEFF of telescope_efficiency.inc call, and the COMMON block that they share with it.
#pragma once

#include <cmath>
#include <cstdint>

#include "corsika_runtime/efficiency/efficiency_bounds.hpp"

extern "C" {
/// COMMON /CHREFC/.
struct EfficiencyCommon {
  ::corsika::BoundsByWavelength bounds;
  std::int32_t known;  ///< 1 after chreff_
  std::int32_t lost;   ///< photons that come next and are lost
};
extern EfficiencyCommon chrefc_;

/// Fills the bounds from variables of COMMON blocks, by CORSIKA's names. They decide nothing where
/// CHERENKOV_BACKEND is off.
void chreff_(const double* mirref, const double* quaeff, const double* wlmin, const std::int32_t* cermir,
             const std::int32_t* cerqef, const double* wavlgl, const double* cernor);

/// Sets `lost`. draws: the numbers of sequence 3 that come next; numbers: how many of them are at hand.
void chrlst_(const double* draws, const std::int64_t* numbers);
}

/// For the begin of a step, which draws other numbers of sequence 3 first.
inline void forget_lost_photons() { chrefc_.lost = 0; }
