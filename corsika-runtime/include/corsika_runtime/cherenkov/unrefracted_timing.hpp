// The time of arrival of light that goes straight. Calls the routine for depths that it is given.
#pragma once

#include "cherenkov/step.hpp"

namespace cherenkov::corsika {

/// Where CORSIKA does not refract light: what the time of arrival is computed from. Depths are vertical, from
/// the top of the atmosphere.
struct UnrefractedTiming {
  double begin, end, length;    ///< heights of the step's ends and its length, cm: ZBEG, ZEND, STEPCR
  double index_per_density;     ///< (n - 1) / density of the air, cm^3/g: ETADSN
  double depth_at_plane;        ///< of the detection plane, g/cm^2: THCKOB
  double light_speed;           ///< C(25), cm/s
  double (*depth_of)(double*);  ///< depth, g/cm^2, of a height in cm above sea level: THICK

  /// When light arrives, ns, as CERENK computes it: of one of the step's `bunches` bunches, emitted at `at`,
  /// with `away` cm to go in a direction with w downwards. Calls depth_of.
  [[nodiscard]] double arrival(int bunches, const Step::Point& at, double w, double away) const;
};

}  // namespace cherenkov::corsika
