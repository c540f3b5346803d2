/// The plane that light is followed to.
#pragma once

namespace cherenkov {

/// The detection plane, as CORSIKA's steps and the telescopes' footprints see it.
struct Plane {
  double height;              ///< above sea level, cm
  double x0, y0;              ///< of the telescopes' frame, in CORSIKA's, cm
  double cos_turn, sin_turn;  ///< from CORSIKA's x and y to the telescopes'
  double x_impact, y_impact;  ///< subtracted after the turn, cm

  friend bool operator==(const Plane&, const Plane&) = default;
};

}  // namespace cherenkov
