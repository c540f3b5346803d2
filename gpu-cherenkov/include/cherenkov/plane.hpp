/// The plane that light is followed to.
#pragma once

namespace cherenkov {

/// The detection plane, and the rotation (ARRANG) and shifts from CORSIKA's x and y to the telescopes' frame:
///   x' =  (x - x0) cos_turn + (y - y0) sin_turn - x_impact
///   y' = -(x - x0) sin_turn + (y - y0) cos_turn - y_impact
struct Plane {
  double height;              ///< above sea level, cm
  double x0, y0;              ///< origin of the telescopes' frame in CORSIKA's, cm
  double cos_turn, sin_turn;  ///< of the angle from CORSIKA's x axis to the telescopes'
  /// Subtracted after the rotation, cm: the IACT package's impact_offset, its estimate of how far the
  /// geomagnetic field deflects a charged primary. Not the position of the shower's core.
  double x_impact, y_impact;

  friend bool operator==(const Plane&, const Plane&) = default;
};

}  // namespace cherenkov
