/// The bunches of a step: how much light each carries, exactly, and which may reach a telescope,
/// conservatively: no bunch that CORSIKA would record is rejected. In SIMD lanes over the bunches. No side
/// effects.
#pragma once

#include "cherenkov/footprint_map.hpp"
#include "cherenkov/spheres.hpp"
#include "cherenkov/step.hpp"

namespace cherenkov {

inline constexpr int kMaxBunches = 100;  ///< of one call: CORSIKA draws that many azimuths at a time

/// What the bunches of one call carry, in the order of the step's bunches. Arrays are read and written up to
/// the next multiple of 8.
struct BunchYields {
  double* cos_theta;  ///< of the Cherenkov angle: 1/(beta n)
  double* sin2_theta;
  double* photons;
};

/// Computes the yields of the first n bunches of a step, nothing else of them: cos(theta) = 1/(beta n), sin^2
/// = (1 - cos)(1 + cos), photons = photons_per_sin2 * sin^2 * weight (Frank and Tamm). Each operation is
/// rounded as IEEE says, none is fused, so that the bits are those of the same formulas anywhere. 1 <= n <=
/// kMaxBunches.
void set_yields(const Step& step, int n, const BunchYields& light);

/// Those members of Step that the photons of its bunches depend on; path_before and path_between are
/// before.path and between.path.
struct YieldAlongStep {
  double beta_n, beta_n_slope, photons_per_sin2, weight;
  double path_before, path_between;
};

/// Adds the photons of the n bunches of a step to one sum or two (other_sum may be null), with the bits of
/// adding them one after the other. False, and the sums are as they were, where that is not certain: a sum
/// leaves its binade [2^k, 2^(k+1)); a term is half-way between two multiples of the ulp; beta n is below 1.
/// Of more than 64 bunches paths are first taken from products, and where the difference of product and sum
/// may change how a term is rounded, from running sums. 1 <= n <= 2^30.
[[nodiscard]] bool try_add_photons(const YieldAlongStep& line, int n, double& sum,
                                   double* other_sum = nullptr);

/// CORSIKA's own detectors, in builds without the IACT package: rectangles on a grid around each of `cores`
/// cores (cards CERARY and CSCAT), in the frame of Plane without its impact_offset, cm. Light is counted
/// within a rectangle, before it is refracted, and only then looked for at detectors (bunch_light.hpp has the
/// tests).
struct DetectorGrid {
  struct Axis {
    double counted;  ///< light is counted where its coordinate is smaller: XCMAXS
    double reach;    ///< from a core to the outer edge of its last detector: XCMAX
    double per_cm,
        shift;    ///< 1 / distance of detectors: DCERXI; -1/2 where their number is even, else 0: FCERX
    double half;  ///< width of a detector, of their distance: EPSX
    const double* centre;  ///< of each core: CERXOS
  };
  Axis x, y;
  int cores;
};

/// The final test, of light that the map of footprints does not rule out: whether its line passes through a
/// sphere.
struct SphereFilter {
  const Spheres* spheres = nullptr;  ///< null: no such test
  /// How far the line that choose() tests, straight on from emission and shifted by refraction, may be from
  /// the straight line that TELOUT tests; includes the rounding of choose().
  LineUncertainty uncertainty{};
  /// In place of the map and the spheres: choose() sets the photons to 0 of bunches that are surely not
  /// counted, and chooses those that may hit a detector, and those that may be counted or not, where
  /// positions are good to uncertainty.position. The map must then be one without footprints.
  const DetectorGrid* grid = nullptr;
};

/// Those of n bunches whose light may arrive where `ground` says that a telescope can be hit. Of these, where
/// there is a filter, only the ones that may pass through one of its spheres.
/// first: number of the first bunch in its step, from 0; 1 <= n <= kMaxBunches; light: as of set_yields()
/// with the same n; azimuth: azimuth/(2 pi), 0 to 1, of n bunches, with finite padding; refraction_k: see
/// RefractionModel, cm. Light must go down: w > 0 for every
/// azimuth. Indices from 0, ascending, go to `chosen`, which has room for n; returns how many. The error of a
/// position is at most 0.1 cm + 1e-8 of the light's path to the plane, refraction apart.
int choose(const Step& step, int first, int n, const BunchYields& light, const double* azimuth,
           const Plane& plane, double refraction_k, const FootprintMap& ground, int* chosen,
           const SphereFilter& filter = {});

}  // namespace cherenkov
