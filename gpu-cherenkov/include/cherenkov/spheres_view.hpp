/// Spheres of telescopes against the cone of a step's light. docs/cherenkov-bound.md derives the test.
/// Formulas over a number type (real.hpp), and host and device code.
#if defined(CHERENKOV_SPHERES_VIEW_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CHERENKOV_SPHERES_VIEW_HPP
#undef CHERENKOV_SPHERES_VIEW_HPP
#else
#define CHERENKOV_SPHERES_VIEW_HPP
#endif

#include <cmath>
#include <cstdint>

#include "cherenkov/real.hpp"
#include "cherenkov/spheres.hpp"
#include "cherenkov/step.hpp"

CHERENKOV_BEGIN_FORMULAS

/// A sphere's centre, from a ring's apex (z downwards), from its axis and from its cone; and the distance
/// from the cone at or below which light may pass the sphere. cm
template <class Real>
struct ConeDistance {
  Real dx, dy, dz, across, distance, near;

  /// Surely not touched. A value that is not a number counts as touched.
  [[nodiscard]] CHERENKOV_FORMULA MaskOf<Real> is_clear() const { return distance > near; }
};
template <class Real>
CHERENKOV_FORMULA ConeDistance<Real> cone_distance(Real x, Real y, Real z, Real tested_radius,
                                                   const Ring& ring) {
  const Real dx = x - ring.x, dy = y - ring.y, dz = ring.height - z;
  const Real length2 = fma(dx, dx, fma(dy, dy, dz * dz));
  const Real along = fma(dx, Real(ring.u), fma(dy, Real(ring.v), dz * ring.w));
  const Real across = sqrt(higher(0., nfma(along, along, length2)));
  // Light that passes through a sphere is at most radius/w aside of its centre at the centre's height.
  const Real reach =
      fma(Real(ring.tilt), fabs(z), fma(Real(ring.radius_scale), tested_radius, Real(ring.slack)));
  return {dx,
          dy,
          dz,
          across,
          fabs(nfma(along, Real(ring.tan_theta), across)),
          ring.secant * fma(Real(ring.slack_per_cm), fabs(along) + across, reach)};
}

CHERENKOV_END_FORMULAS

#ifndef HWY_TARGET_INCLUDE
namespace cherenkov {

/// Spheres as plain pointers. tested_radius: Spheres::tested_radius().
struct SpheresView {
  static constexpr int kSectors = 64;  ///< of azimuths, of equal size

  const double *x, *y, *z, *tested_radius;
  int count;
  double top;

  /// Spheres::touched_by().
  template <class Lanes>
  CHERENKOV_HOST_DEVICE bool touched_by(const Ring& ring, const Lanes& lanes) const {
    for (int first = 0; first < count; first += Lanes::kCount) {
      const int i = first + lanes.index();
      if (lanes.any(i < count && !distance(i, ring).is_clear())) return true;
    }
    return false;
  }

  /// The sectors of azimuths around the ring's axis (phi of Step's frame, from 0) whose light may pass a
  /// sphere; 0 where touched_by() is false. Preconditions: the ring's u and v are not both 0; all of the step
  /// is above `top`.
  template <class Lanes>
  CHERENKOV_HOST_DEVICE std::uint64_t sectors_of(const Ring& ring, const Lanes& lanes) const {
    std::uint64_t sectors = 0;
    for (int i = lanes.index(); i < count; i += Lanes::kCount) sectors |= sectors_of(distance(i, ring), ring);
    return lanes.united(sectors);
  }

 private:
  [[nodiscard]] CHERENKOV_HOST_DEVICE ConeDistance<double> distance(int i, const Ring& ring) const {
    return cone_distance(x[i], y[i], z[i], tested_radius[i], ring);
  }

  // docs/cherenkov-bound.md#azimuths-of-a-whole-step derives the angles.
  [[nodiscard]] CHERENKOV_HOST_DEVICE static std::uint64_t sectors_of(const ConeDistance<double>& d,
                                                                      const Ring& ring) {
    constexpr double kPerRadian = kSectors / (2. * 3.14159265358979323846);
    constexpr double kRounding = 1e-4;  // of a sector
    if (d.is_clear()) return 0;
    if (!(d.across > d.near)) return ~std::uint64_t{0};
    const double cosine = d.dx * ring.v - d.dy * ring.u;
    const double sine = (d.dx * ring.u + d.dy * ring.v) * ring.w - d.dz * (ring.u * ring.u + ring.v * ring.v);
    // The sphere's azimuth, and the largest difference from it, in sectors: phi_s and asin(R/b).
    const double middle = atan2(sine, cosine) * kPerRadian;
    const double half = asin(d.near / d.across) * kPerRadian + kRounding;
    const int first = static_cast<int>(floor(middle - half)), last = static_cast<int>(floor(middle + half));
    const std::uint64_t sectors = (std::uint64_t{2} << (last - first)) - 1;  // half of all at most
    const int turned = first & (kSectors - 1);
    return turned == 0 ? sectors : sectors << turned | sectors >> (kSectors - turned);
  }
};

/// Of `spheres` while they live and do not move.
inline SpheresView view_of(const Spheres& spheres) {
  const SphereRows& rows = spheres.rows();
  return {
      rows.x.data(), rows.y.data(), rows.z.data(), rows.tested_radius.data(), static_cast<int>(rows.x.size()),
      spheres.top()};
}

}  // namespace cherenkov
#endif
#endif
