/// Whether light passes through a telescope: the spheres around telescopes, against the light of a whole step
/// or of one bunch. No side effects.
#pragma once

#include <span>
#include <vector>

#include "cherenkov/step.hpp"

namespace cherenkov {

/// A telescope's fiducial sphere, as the IACT package calls it. Light is recorded only if the straight line
/// on which it arrives, extended beyond both ends, passes within `radius` of the centre. cm; z above the
/// detection plane.
struct Sphere {
  double x, y, z, radius;
};

/// A straight line in the telescopes' frame, cm: at (x - z slope_x, y - z slope_y) at a height of z above the
/// detection plane.
struct Line {
  double x, y, slope_x, slope_y;
};

/// How far a line may be from the one that light is recorded by: in its position on the detection plane (cm,
/// in any direction), and in its slope (the length of the difference).
struct LineUncertainty {
  double position, slope;
};

/// Centres, and radii to which 1 cm is added for rounding, cm. Rows are padded to whole vectors by the last
/// sphere.
struct SphereRows {
  std::vector<double> x, y, z, tested_radius;
  std::vector<std::size_t> first_member;  ///< of each group, and one after the last; else none
  void add(const Sphere& sphere);
  void pad();
};

/// The spheres of an array, tested in SIMD lanes. Distances of a point from a cone and from a line;
/// docs/cherenkov-bound.md has the formulas. Radii are not negative; a sphere whose radius or centre is not a
/// number counts as touched by all rings and crossed by all lines.
class Spheres {
 public:
  Spheres() = default;  ///< none
  explicit Spheres(std::span<const Sphere> spheres);

  /// Whether light of the ring may pass through a sphere. True: it may. False: certainly not. All of the step
  /// must be above top(); else give a ring with an infinite slack, for which the answer is true.
  /// docs/cherenkov-bound.md derives the test.
  /// bottom: how far the step is above the detection plane where it is lowest, cm, if that is known. Of large
  /// arrays spheres around groups of telescopes are then tested first: light that passes through a
  /// telescope's sphere passes through its group's.
  [[nodiscard]] bool touched_by(const Ring& ring, double bottom = 0.) const;

  /// Whether a line within `uncertainty` of this one may pass through a sphere (passed: crossed, not missed).
  /// True: it may. False: certainly not.
  [[nodiscard]] bool passed_by(const Line& line, const LineUncertainty& uncertainty) const;

  /// The height of the highest point of all spheres, cm above the detection plane; at least 0.
  [[nodiscard]] double top() const { return top_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] const SphereRows& rows() const { return all_; }

 private:
  SphereRows all_;
  SphereRows groups_, members_;  // neighbours together: a sphere around each group
  double groups_top_ = 0.;       // infinite where groups save nothing
  std::size_t size_ = 0;
  double top_ = 0.;
};

}  // namespace cherenkov
