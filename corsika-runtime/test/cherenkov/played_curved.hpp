// CORSIKA's table of horizontal distances in the curved geometry, played (faked): its rule of interpolation,
// with refraction of the tests' own.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cherenkov::test {

// DISTIP's rule: linear in the zenith angle and in the apparent height, between the corners of a table.
// corner(angle, height): a distance, cm; quarters of a degree, quarters of a kilometre above sea level. The
// cell that holds the plane begins at the plane. plane_height: cm above sea level.
template <class Corner>
double table_distance(const Corner& corner, double plane_height, double w, double height) {
  const double theta = std::acos(w) * (180. / std::numbers::pi) * 4., h = height * 4e-5;
  const int a = static_cast<int>(theta), m = static_cast<int>(h);
  const double from = std::max(static_cast<double>(m), plane_height * 4e-5);
  const auto at = [&](int angle) {
    return (corner(angle, m + 1) - corner(angle, m)) / (m + 1 - from) * (h - from) + corner(angle, m);
  };
  return (at(a + 1) - at(a)) * (theta - a) + at(a);
}

struct CurvedTable {
  static constexpr double kPlane_cm = 1.27e5;

  // Distance at a corner of the table.
  static double corner(int angle, int height) {
    const double above = height * 25000. - kPlane_cm;
    if (above <= 0. || angle > 356) return 0.;
    const double theta = angle * std::numbers::pi / 720.;
    const double bend = 2.8e-4 * std::min(above, 8e5) * (1. - std::exp(-above / 8e5));
    const double tangent = std::tan(theta);
    return above * tangent - bend * tangent * (1. + 0.2 * tangent * tangent);
  }

  // DISTIP.
  static double distance(double* w, double* height) { return table_distance(corner, kPlane_cm, *w, *height); }

  // TOFIP: any function does.
  static double time(double* w, double* height) { return (*height - kPlane_cm) / *w / 29.98; }
};

}  // namespace cherenkov::test
