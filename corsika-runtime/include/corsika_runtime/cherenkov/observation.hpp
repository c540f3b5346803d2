// What CERENK knows before its loop, in addition to the step.
#pragma once

#include <optional>

#include "cherenkov/step.hpp"
#include "corsika_runtime/cherenkov/depth_profile.hpp"
#include "corsika_runtime/cherenkov/lit_bunches.hpp"

namespace cherenkov::corsika {

/// What CERENK of option CURVED needs in addition: the Earth's radius, and two routines of CORSIKA that say
/// where and when light arrives that leaves at a zenith angle (given by its cosine) and at an apparent
/// height.
struct CurvedLight {
  double earth_radius;                            ///< cm: C(1)
  double (*distance)(double* w, double* height);  ///< horizontal, cm: DISTIP
  double (*time)(double* w, double* height);      ///< of flight, ns: TOFIP
};

/// The detection plane and the settings of the run that a step is emitted under: what CERENK knows before its
/// loop, in addition to the step itself.
struct ObservationContext {
  Plane plane;
  double two_pi;      ///< 2 pi with CORSIKA's bits: PI2
  double cut_w;       ///< C(29), from CORSIKA's angular cut: light with smaller w is discarded, as in CERENK
  bool fill_profile;  ///< whether light goes into the longitudinal distribution: LLONGI
  DepthProfile profile;
  /// Where light goes straight; else it is refracted. Of recorded steps the stage sets begin, end and length.
  std::optional<UnrefractedTiming> straight = {};
  std::optional<CurvedLight> curved = {};  ///< with option CURVED
};

}  // namespace cherenkov::corsika
