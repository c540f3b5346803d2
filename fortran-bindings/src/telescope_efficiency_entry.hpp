// What CESPEC and TELEFF of telescope_efficiency.inc call, and the COMMON block that both sides share.
#pragma once

#include <cstdint>

#include "corsika_runtime/efficiency/efficiency_bounds.hpp"

extern "C" {
/// COMMON /CHREFC/.
struct EfficiencyCommon {
  ::corsika::BoundsByWavelength bounds;  ///< CHRBND
  std::int32_t known;                    ///< CHRKNO: 1 once the bounds are made
  std::int32_t lost;                     ///< CHRLOS: how many of the next photons are lost
  std::int32_t active;                   ///< CHRACT: 1 where our routines decide; where 0, CORSIKA's own do
};
extern EfficiencyCommon chrefc_;
}

/// To be called when a step begins. Resets `lost`, which may reach past the last photon of the step before:
/// the numbers there are now azimuths of the new step. Within a step no reset is needed: CERENK draws more
/// azimuths only after a photon was kept, and then `lost` is 0. active: whether our routines decide in this
/// step.
inline void begin_photons(bool active) {
  chrefc_.lost = 0;
  chrefc_.active = active ? 1 : 0;
}
