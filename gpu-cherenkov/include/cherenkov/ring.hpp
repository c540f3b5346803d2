/// Whether the light of a whole step can reach a telescope: the ring that its cone leaves on the ground.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "cherenkov/ground.hpp"
#include "cherenkov/plane.hpp"
#include "cherenkov/step.hpp"

namespace cherenkov {

/// How the light of a step may fly.
struct Cone {
  double least_w;
  double least_sin2, most_sin2;  ///< squared sine of the Cherenkov angle
  double short_of_unit;          ///< 1 - the squared length of the particle's direction
};

/// The cone of light of a step, from one point for all of it; in the footprints' frame, cm.
struct Ring {
  double x, y, height;  ///< of the apex, height above the detection plane
  double u, v, w;       ///< of its axis, a unit vector, w downwards
  double cos_theta, sin_theta;
  double slack;         ///< how far light may pass from this cone, cm,
  double slack_per_cm;  ///< and more for each cm between apex and footprint
};

/// The cone of all light of a step from one point, its middle. slack: what refraction and rounding move light
/// on the ground, at most, cm.
CHERENKOV_HOST_DEVICE inline Ring ring_of(const Step& step, const Plane& plane, const Cone& cone,
                                          double slack) {
  const double half = 0.5 * step.bunches;
  const Step::Point& to = step.between;
  const double x = step.before.x + (half + 0.5) * to.x - plane.x0;
  const double y = step.before.y + (half + 0.5) * to.y - plane.y0;
  const double height = step.before.z + (half + 0.5) * to.z - plane.height;
  const double length = sqrt(1. - cone.short_of_unit);  // of the particle's direction
  const double a_x = step.u0 / length;
  const double a_y = step.v0 / length;
  const double a_w = step.w0 / length;
  // The first and the last bunch leave half a step from there: along the axis that moves the cone by its
  // sine.
  const double forward = half * fabs(to.x * a_x + to.y * a_y - to.z * a_w);
  const double away2 = half * half * (to.x * to.x + to.y * to.y + to.z * to.z);
  const double aside = sqrt(fmax(0., away2 - forward * forward));
  const double most_sin = sqrt(cone.most_sin2);
  const double least_sin = sqrt(cone.least_sin2);
  const double sine = 0.5 * (most_sin + least_sin);
  const double cosine = sqrt((1. - sine) * (1. + sine));
  // Angles differ by no more than their sines over the least cosine; a short direction widens the cone by
  // 1/length.
  const double spread =
      0.5 * (most_sin - least_sin) / sqrt(1. - cone.most_sin2) + fabs(1. / length - 1.) + 1e-9;
  const double all_slack = forward * most_sin + aside + spread * sqrt(away2) + slack;
  return {x * plane.cos_turn + y * plane.sin_turn - plane.x_impact,
          y * plane.cos_turn - x * plane.sin_turn - plane.y_impact,
          height,
          a_x * plane.cos_turn + a_y * plane.sin_turn,
          a_y * plane.cos_turn - a_x * plane.sin_turn,
          a_w,
          cosine,
          sine,
          all_slack,
          spread};
}

/// The footprints of all telescopes, for rings.
class Footprints {
 public:
  Footprints() = default;
  explicit Footprints(std::span<const Footprint> footprints);

  /// Whether light of the ring can arrive in a footprint; true errs on the safe side. A point at d from the
  /// apex, at angle alpha to the axis, is at least | |d| sin(alpha - theta) | from the cone, so no light
  /// arrives within half a diagonal of a footprint whose centre is farther than that, the slack and the
  /// diagonal's half.
  [[nodiscard]] bool touched_by(const Ring& ring) const;

  /// Centres, and how far from one light may pass that still arrives inside; padded as above, cm.
  [[nodiscard]] std::span<const double> x() const { return x_; }
  [[nodiscard]] std::span<const double> y() const { return y_; }
  [[nodiscard]] std::span<const double> reach() const { return reach_; }

 private:
  std::vector<double> x_, y_, reach_;  // padded to whole vectors with footprints that nothing reaches
};

}  // namespace cherenkov
