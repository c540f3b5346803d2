// The time of arrival of light that goes straight. Calls the routine for depths that it is given.
#pragma once

#include "cherenkov/step.hpp"

namespace cherenkov::corsika {

/// Where CORSIKA does not refract light: what the time of arrival is computed from. Depths are vertical, from
/// the top of the atmosphere.
struct UnrefractedTiming {
  /// Of one bunch of a step: the step, and the bunch's way to the detection plane.
  struct Way {
    double begin, end, length;  ///< of the step, as below
    int bunches;                ///< of the step
    double path, time;          ///< of emission: along the step, cm; s
    double away;                ///< length of the way, cm
  };

  double begin, end, length;    ///< heights of the step's ends and its length, cm: ZBEG, ZEND, STEPCR
  double index_per_density;     ///< (n - 1) / density of the air, cm^3/g: ETADSN
  double depth_at_plane;        ///< of the detection plane, g/cm^2: THCKOB
  double light_speed;           ///< C(25), cm/s
  double (*depth_of)(double*);  ///< depth, g/cm^2, of a height in cm above sea level: THICK

  /// When light arrives, ns, as CERENK computes it, that is emitted at a height (cm) in a direction with w
  /// downwards. Calls depth_of. Reads of the step what `way` holds.
  [[nodiscard]] double arrival(const Way& way, double height, double w) const;
};

}  // namespace cherenkov::corsika
