/// Whether the light of a whole step can reach a telescope: the ring that its cone leaves on the ground.
#pragma once

#include <span>
#include <vector>

#include "cherenkov/ground.hpp"

namespace cherenkov {

/// The cone of light of a step, from one point for all of it; in the footprints' frame, cm.
struct Ring {
  double x, y, height;  ///< of the apex, height above the detection plane
  double u, v, w;       ///< of its axis, a unit vector, w downwards
  double cos_theta, sin_theta;
  double slack;         ///< how far light may pass from this cone, cm,
  double slack_per_cm;  ///< and more for each cm between apex and footprint
};

/// The footprints of all telescopes, for rings.
class Footprints {
 public:
  Footprints() = default;
  explicit Footprints(std::span<const Footprint> footprints);

  /// Whether light of the ring can arrive in a footprint; true errs on the safe side. A point at d from the apex,
  /// at angle alpha to the axis, is at least | |d| sin(alpha - theta) | from the cone, so no light arrives within
  /// half a diagonal of a footprint whose centre is farther than that, the slack and the diagonal's half.
  [[nodiscard]] bool touched_by(const Ring& ring) const;

 private:
  std::vector<double> x_, y_, reach_;  // padded to whole vectors with footprints that nothing reaches
};

}  // namespace cherenkov
