// Spheres of telescopes against the light of a whole step, as cherenkov/spheres.hpp; host and device code,
// from one source. No side effects.
#pragma once

#include <cmath>
#include <cstdint>

#include "cherenkov/ring.hpp"
#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "host_device_math.hpp"

namespace cherenkov::corsika {

// Spheres as plain pointers. reach: Spheres::tested_radius().
struct SpheresView {
  const double *x, *y, *z, *reach;
  int count;
  double top;

  // Spheres::touched_by().
  template <class Lanes>
  CHERENKOV_HOST_DEVICE bool touched_by(const Ring& ring, const Lanes& lanes) const {
    for (int first = 0; first < count; first += Lanes::kCount) {
      const int i = first + lanes.index();
      if (lanes.any(i < count && distances(i, ring).is_touched())) return true;
    }
    return false;
  }

  // The sectors (StepDetails) of azimuths around the ring's axis whose light may pass a sphere; 0 where
  // touched_by() is false. Preconditions: the ring's u and v are not both 0; all of the step is above `top`.
  template <class Lanes>
  CHERENKOV_HOST_DEVICE std::uint64_t sectors_of(const Ring& ring, const Lanes& lanes) const {
    std::uint64_t sectors = 0;
    for (int i = lanes.index(); i < count; i += Lanes::kCount)
      sectors |= sectors_of(distances(i, ring), ring);
    return lanes.united(sectors);
  }

 private:
  struct Distances {
    double dx, dy, dz;  // of the sphere's centre from the ring's apex; dz downwards
    double across;      // of the centre from the axis
    double distance;    // of the centre from the cone
    double near;        // at this distance or less light may pass the sphere

    // Written so that a value that is not a number counts as touched.
    [[nodiscard]] CHERENKOV_HOST_DEVICE bool is_touched() const { return !(distance > near); }
  };

  [[nodiscard]] CHERENKOV_HOST_DEVICE Distances distances(int i, const Ring& ring) const {
    const double dx = x[i] - ring.x, dy = y[i] - ring.y, dz = ring.height - z[i];
    const double length2 = fma(dx, dx, fma(dy, dy, dz * dz));
    const double along = fma(dx, ring.u, fma(dy, ring.v, dz * ring.w));
    const double across = sqrt(higher(0., fma(-along, along, length2)));
    const double far = fabs(along) + across;
    const double reach_here = fma(ring.tilt, fabs(z[i]), fma(ring.radius_scale, reach[i], ring.slack));
    return {dx,
            dy,
            dz,
            across,
            fabs(fma(-along, ring.tan_theta, across)),
            ring.secant * fma(ring.slack_per_cm, far, reach_here)};
  }

  // docs/cherenkov-bound.md#azimuths-of-a-whole-step derives the angles.
  [[nodiscard]] CHERENKOV_HOST_DEVICE static std::uint64_t sectors_of(const Distances& d, const Ring& ring) {
    constexpr double kPerRadian = StepDetails::kSectors / (2. * 3.14159265358979323846);
    constexpr double kRounding = 1e-4;  // of a sector
    if (!d.is_touched()) return 0;
    if (!(d.across > d.near)) return ~std::uint64_t{0};
    const double cosine = d.dx * ring.v - d.dy * ring.u;
    const double sine = (d.dx * ring.u + d.dy * ring.v) * ring.w - d.dz * (ring.u * ring.u + ring.v * ring.v);
    // The sphere's azimuth, and the largest difference from it, in sectors: phi_s and asin(R/b).
    const double middle = atan2(sine, cosine) * kPerRadian;
    const double half = asin(d.near / d.across) * kPerRadian + kRounding;
    const int first = static_cast<int>(floor(middle - half)), last = static_cast<int>(floor(middle + half));
    const std::uint64_t sectors = (std::uint64_t{2} << (last - first)) - 1;  // half of all at most
    const int turned = first & (StepDetails::kSectors - 1);
    return turned == 0 ? sectors : sectors << turned | sectors >> (StepDetails::kSectors - turned);
  }
};

}  // namespace cherenkov::corsika
