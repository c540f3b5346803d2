// CORSIKA's table of horizontal distances in the curved geometry, played (faked): its rule of interpolation,
// with refraction of the tests' own.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cherenkov::test {

struct CurvedTable {
  static constexpr double kPlane_cm = 1.27e5;

  // Distance at a corner of the table: quarters of a degree, quarters of a kilometre.
  static double corner(int angle, int height) {
    const double above = height * 25000. - kPlane_cm;
    if (above <= 0. || angle > 356) return 0.;
    const double theta = angle * std::numbers::pi / 720.;
    const double bend = 2.8e-4 * std::min(above, 8e5) * (1. - std::exp(-above / 8e5));
    const double tangent = std::tan(theta);
    return above * tangent - bend * tangent * (1. + 0.2 * tangent * tangent);
  }

  // DISTIP: linear in the angle and in the height.
  static double distance(double* w, double* height) {
    const double theta = std::acos(*w) * (180. / std::numbers::pi) * 4., h = *height * 4e-5;
    const int a = static_cast<int>(theta), m = static_cast<int>(h);
    const double from = std::max(static_cast<double>(m), kPlane_cm * 4e-5);
    const auto at = [&](int angle) {
      return (corner(angle, m + 1) - corner(angle, m)) / (m + 1 - from) * (h - from) + corner(angle, m);
    };
    return (at(a + 1) - at(a)) * (theta - a) + at(a);
  }

  // TOFIP: any function does.
  static double time(double* w, double* height) { return (*height - kPlane_cm) / *w / 29.98; }
};

}  // namespace cherenkov::test
