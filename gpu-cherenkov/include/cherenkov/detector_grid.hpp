/// CORSIKA's own detectors, in builds without the IACT package: CERENK's test of where light arrives before
/// it is refracted. Operations in CERENK's order, for sources compiled with -ffp-contract=off.
#pragma once

#include <cmath>

namespace cherenkov {

/// Rectangular detectors on a grid around each of `cores` cores (cards CERARY and CSCAT), in the frame of
/// Plane without its impact_offset, cm. In capitals: CORSIKA's names.
struct DetectorGrid {
  struct Axis {
    double counted;       ///< light is counted where its coordinate is smaller: XCMAXS
    double reach;         ///< from a core to the outer edge of its last detector: XCMAX
    double per_cm;        ///< 1 / distance of detectors: DCERXI
    double shift;         ///< -1/2 where their number is even, else 0: FCERX
    double half;          ///< width of a detector, of their distance: EPSX
    const double* cores;  ///< CERXOS

    [[nodiscard]] bool holds(double at, int core) const {
      const double from = at - cores[core], place = from * per_cm + shift;
      return !(from < -reach || from > reach) &&
             std::fabs(place - static_cast<int>(std::lround(place))) <= half;
    }
  };

  Axis x, y;
  int cores;

  /// Whether light at (x, y) is counted; only then is it looked for at detectors.
  [[nodiscard]] bool counts(double at_x, double at_y) const {
    return std::fabs(at_x) < x.counted && std::fabs(at_y) < y.counted;
  }
  [[nodiscard]] bool hits(double at_x, double at_y) const {
    for (int core = 0; core < cores; ++core)
      if (x.holds(at_x, core) && y.holds(at_y, core)) return true;
    return false;
  }
};

}  // namespace cherenkov
