// Plain loops, which the compiler turns into SIMD code of each instruction set. Compiled with
// -ffp-contract=off: lanes round as CORSIKA does.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cherenkov/curved_lanes.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

#include "curved_lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov::corsika {
namespace HWY_NAMESPACE {

void CertainIndices(const double* HWY_RESTRICT height, std::size_t n, double reference, double excess,
                    double per_cm, double error, double* HWY_RESTRICT index) {
  for (std::size_t k = 0; k < n; ++k) {
    const double t = (reference - height[k]) * per_cm;
    // exp(t): Taylor's series to t^10. The next term is below 3e-18.
    double sum = 1. / 3628800.;
    sum = sum * t + 1. / 362880.;
    sum = sum * t + 1. / 40320.;
    sum = sum * t + 1. / 5040.;
    sum = sum * t + 1. / 720.;
    sum = sum * t + 1. / 120.;
    sum = sum * t + 1. / 24.;
    sum = sum * t + 1. / 6.;
    sum = sum * t + 0.5;
    sum = sum * t + 1.;
    const double here = excess * (sum * t + 1.);
    const double least = 1. + (here - here * error);
    const double most = 1. + (here + here * error);
    index[k] = least == most ? least : 0.;
  }
}

void BunchLight(const BunchEnergies& of, const double* HWY_RESTRICT path, const double* HWY_RESTRICT index,
                std::size_t n, double* HWY_RESTRICT beta_n, double* HWY_RESTRICT cosine,
                double* HWY_RESTRICT sine2, double* HWY_RESTRICT photons) {
  const double mass = of.mass, energy = of.energy, slope = of.slope, per_sin2 = of.photons_per_sin2;
  for (std::size_t k = 0; k < n; ++k) {
    const double ratio = mass / (energy + slope * path[k]);
    beta_n[k] = std::sqrt((1. - ratio) * (1. + ratio)) * index[k];
    cosine[k] = 1. / beta_n[k];
    sine2[k] = (1. - cosine[k]) * (1. + cosine[k]);
    photons[k] = per_sin2 * sine2[k];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov::corsika
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov::corsika {

HWY_EXPORT(CertainIndices);
HWY_EXPORT(BunchLight);

void certain_indices(const double* height, std::size_t n, double reference, double excess, double per_cm,
                     double error, double* index) {
  HWY_DYNAMIC_DISPATCH(CertainIndices)(height, n, reference, excess, per_cm, error, index);
}

void bunch_light(const BunchEnergies& energies, const double* path, const double* index, std::size_t n,
                 double* beta_n, double* cosine, double* sine2, double* photons) {
  HWY_DYNAMIC_DISPATCH(BunchLight)(energies, path, index, n, beta_n, cosine, sine2, photons);
}

}  // namespace cherenkov::corsika
#endif  // HWY_ONCE
