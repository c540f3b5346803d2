/// The bunches of a step: how much light each carries, exactly, and which can reach a telescope, on the safe
/// side. In SIMD lanes over the bunches. Pure functions of their arguments.
#pragma once

#include "cherenkov/footprint_map.hpp"
#include "cherenkov/plane.hpp"
#include "cherenkov/spheres.hpp"
#include "cherenkov/step.hpp"

namespace cherenkov {

inline constexpr int kMaxBunches = 100;     ///< of one call: CORSIKA draws azimuths in chunks of that many
inline constexpr int kPaddedBunches = 112;  ///< length of arrays: whole vectors are read and written

/// What a bunch carries, in the order of the step's bunches.
struct BunchYields {
  alignas(64) double cos_theta[kPaddedBunches];  ///< of the Cherenkov angle: 1/(beta n)
  alignas(64) double sin2_theta[kPaddedBunches];
  alignas(64) double photons[kPaddedBunches];
};

/// cos(theta) = 1/(beta n), sin^2 = (1 - cos)(1 + cos), photons = photons_per_sin2 * sin^2 (Frank and Tamm),
/// each operation rounded as IEEE says, none fused, so that the bits are those of the same formulas anywhere.
/// path: along the step, of n bunches, 1 <= n <= kMaxBunches; kPaddedBunches long, all finite.
void emit(const Step& step, const double* path, int n, BunchYields& light);

/// The same of n bunches from number `first` of the step on, without their paths. A path is a running sum;
/// here it is taken from a product, which is off by (i + 2) 2^-53 of all its terms at most, and the few bits
/// by which it may be off hardly ever show in beta n. False where they may in one of the bunches: `light` is
/// unfinished then.
[[nodiscard]] bool try_emit(const Step& step, int first, int n, BunchYields& light);

/// The second test, of light that the map of footprints does not rule out: whether its line passes a sphere.
struct SphereFilter {
  const Spheres* spheres = nullptr;  ///< none: no second look
  /// Of a line by position and slope at emission, with what choose() rounds.
  LineUncertainty uncertainty{};
};

/// Those of n bunches whose light may arrive where `ground` says that a telescope can be hit.
/// first: number of the first in its step; azimuth: in turns, 0 to 1, kPaddedBunches long; refraction_k: see
/// RefractionModel. Of these, where there is a filter, only the ones that may pass one of its spheres.
/// Indices from 0, ascending, go to `chosen`; returns how many. Light must go down: w > 0 for every azimuth.
/// Positions are good to 0.1 cm and 1e-8 of the way to the plane, but for refraction.
int choose(const Step& step, int first, int n, const BunchYields& light, const double* azimuth,
           const Plane& plane, double refraction_k, const FootprintMap& ground, int* chosen,
           const SphereFilter& filter = {});

}  // namespace cherenkov
