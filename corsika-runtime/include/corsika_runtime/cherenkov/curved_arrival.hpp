// Where light arrives in builds with option CURVED: CORSIKA's table of horizontal distances, and how far they
// can be from a straight line's. Calls the routine that it measures.
#pragma once

#include <array>

#include "cherenkov/curved_judge.hpp"

namespace cherenkov::corsika {

/// Bounds of the shift of light by refraction, cm, outwards: the distance that CORSIKA's routine DISTIP gives
/// less that of a straight line, (height - plane) tan(zenith angle).
///
/// Apparent heights are heights above the horizontal plane that touches sea level below the detector
/// (CurvedLoop in curved_step.hpp); the detection plane's own is its height above sea level.
///
/// DISTIP interpolates linearly in the zenith angle and in the apparent height, in a table whose steps are a
/// quarter of a degree and a quarter of a kilometre. So within a cell of the table the shift is that
/// interpolated between the cell's corners, but for the tangent, which is convex: there a chord is above it
/// by up to (height - plane) (step^2 / 8) max(tan'').
class CurvedArrival {
 public:
  using View = CurvedArrivalView;
  using Shift = View::Shift;

  /// DISTIP: cosine of the zenith angle and apparent height, cm, to a distance, cm.
  using Distance = double (*)(double* cosine, double* height);

  /// Reads the table, and compares it with the routine at 4096 other places. plane_height: cm above sea
  /// level, from 0 to below 112.25 km. Throws std::runtime_error if plane_height is outside of this range, or
  /// if the routine does not interpolate like that.
  static CurvedArrival measured(double plane_height, Distance distance);

  [[nodiscard]] double plane_height() const { return plane_; }
  /// Of this object while it lives and does not move.
  [[nodiscard]] View view() const {
    return {plane_, first_.data(), last_.data(), chord_.data(), ranges_.data()};
  }

 private:
  CurvedArrival() = default;
  static std::size_t place(int angle, int height) {
    return static_cast<std::size_t>(angle) * View::kHeights + static_cast<std::size_t>(height);
  }
  [[nodiscard]] double corner(int angle, int height) const { return distance_[place(angle, height)]; }
  void check(Distance distance) const;
  void find_ranges();
  void find_angles();

  double plane_ = 0.;
  std::vector<double> distance_;  // of each corner, angle by angle
  std::vector<Shift> ranges_;     // of each corner: of shifts at neighbouring angles, at its height
  std::array<std::int16_t, View::kCosines + 1> first_{}, last_{};
  std::array<double, View::kAngles> chord_{};
};

}  // namespace cherenkov::corsika
