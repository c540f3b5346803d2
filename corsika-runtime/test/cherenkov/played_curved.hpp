// CORSIKA's table of horizontal distances in the curved geometry, played (faked).
#pragma once

#include <numbers>

#include "random_step.hpp"

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

// CORSIKA's table of horizontal distances in the curved geometry, played (faked), for any height of the
// detection plane: light is refracted on its way through layers of air that are spheres around the Earth's
// centre.

class RayTable {
 public:
  static constexpr double kEarth_cm = 6.371315e8;
  static constexpr double kPlane_cm = 1.27e5;  // of the table that is played at first

  // plane_height: cm above sea level, 0 to 10 km. rough: each corner's shift by refraction is up to that part
  // larger or smaller.
  RayTable(double plane_height, double rough, Random& random) : plane_(plane_height) {
    const auto size = static_cast<std::size_t>(kAngles) * kHeights;
    shift_.assign(size, 0.);
    distance_.assign(size, 0.);
    for (int angle = 0; angle <= kLargestAngle; ++angle) {
      double shift = 0.;
      for (int height = 0; height < kHeights; ++height) {
        const double above = height * kCell_cm - plane_, below = std::max(0., above - kCell_cm);
        if (above <= 0.) continue;
        shift += bent(angle, below, above);
        shift_[at(angle, height)] = -shift * (1. + rough * random.uniform(-1., 1.));
        distance_[at(angle, height)] = above * tangent(angle) + shift_[at(angle, height)];
      }
    }
    told_ = distance_;
  }
  RayTable(const RayTable&) = delete;
  RayTable& operator=(const RayTable&) = delete;

  // A fault, put in on purpose: while tells() is on, distance() has `part` times the true shift by
  // refraction.
  void tell_part(double part) {
    for (std::size_t i = 0; i < told_.size(); ++i) told_[i] = distance_[i] + (part - 1.) * shift_[i];
  }
  void tells(bool on) { shown_ = on ? &told_ : &distance_; }

  // DISTIP and TOFIP, of the table at played(). TOFIP: any function does.
  static RayTable*& played() {
    static Random random(1);
    static RayTable first(kPlane_cm, 0., random);
    static RayTable* table = &first;
    return table;
  }
  static double distance(double* w, double* height) {
    const RayTable& table = *played();
    const std::vector<double>& corners = *table.shown_;
    const auto corner = [&](int angle, int km4) {
      const bool is_there = angle >= 0 && angle <= kLargestAngle && km4 >= 0;
      return is_there ? corners[at(angle, std::min(km4, kHeights - 1))] : 0.;
    };
    return table_distance(corner, table.plane_, *w, *height);
  }
  static double time(double* w, double* height) { return (*height - played()->plane_) / *w / 29.98; }

 private:
  static constexpr int kAngles = 363;        // to 90.5 degrees: light that is all but horizontal has a cell
  static constexpr int kLargestAngle = 356;  // beyond 89 degrees distances are 0
  static constexpr int kHeights = 460;
  static constexpr double kCell_cm = 25000.;
  static constexpr double kCell_rad = std::numbers::pi / 720.;

  static std::size_t at(int angle, int height) {
    return static_cast<std::size_t>(angle) * kHeights + static_cast<std::size_t>(height);
  }
  static double tangent(int angle) { return std::tan(angle * kCell_rad); }

  // How far light at that angle is moved, horizontally and inwards, by refraction between two heights above
  // the plane, cm. To first order: at s from its arrival it is turned by |dn/dr| sin(angle with the radius)
  // ds, which moves its arrival by s times that.
  [[nodiscard]] double bent(int angle, double from, double to) const {
    constexpr int kParts = 4;
    const double sine = std::sin(angle * kCell_rad), cosine = std::cos(angle * kCell_rad);
    const double centre = kEarth_cm + plane_, part = (to - from) / cosine / kParts;
    double sum = 0.;
    for (int i = 0; i < kParts; ++i) {
      const double s = from / cosine + (i + 0.5) * part;
      const double radius = std::sqrt(centre * centre + s * s + 2. * centre * s * cosine);
      sum += Atmosphere::refractivity(radius - kEarth_cm) / 8e5 * (centre * sine / radius) * s * part;
    }
    return sum / cosine;
  }

  double plane_;
  std::vector<double> shift_, distance_, told_;
  const std::vector<double>* shown_ = &distance_;
};

}  // namespace cherenkov::test
