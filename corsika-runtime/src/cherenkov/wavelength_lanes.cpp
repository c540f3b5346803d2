// Plain loops, which the compiler turns into SIMD code of each instruction set. Compiled with
// -ffp-contract=off: lanes round as CORSIKA does.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cherenkov/wavelength_lanes.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

#include "wavelength_lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov::corsika {
namespace HWY_NAMESPACE {

void BunchBetas(double mass, double energy, double slope, const double* HWY_RESTRICT path, std::size_t n,
                double* HWY_RESTRICT beta) {
  for (std::size_t k = 0; k < n; ++k) {
    const double ratio = mass / (energy + slope * path[k]);
    beta[k] = std::sqrt((1. - ratio) * (1. + ratio));
  }
}

void DispersedLight(const DispersedBand& band, const double* HWY_RESTRICT random,
                    const double* HWY_RESTRICT beta, const double* HWY_RESTRICT index, std::size_t n,
                    double* HWY_RESTRICT beta_n, double* HWY_RESTRICT cosine, double* HWY_RESTRICT sine2,
                    double* HWY_RESTRICT photons) {
  constexpr double kError = 4e-15;
  const double least = band.least_per_nm, range = band.range_per_nm, per_sin2 = band.photons_per_sin2;
  for (std::size_t k = 0; k < n; ++k) {
    const double x = 400. * (least + range * random[k]);
    const double power = x * x * std::sqrt(x);
    const double excess = index[k] - 1.;
    // CERENK's operations on both ends of what its power may be: each rises with it.
    const double low = 1. + excess * (0.967 + 0.033 * (power - power * kError));
    const double high = 1. + excess * (0.967 + 0.033 * (power + power * kError));
    beta_n[k] = low == high ? beta[k] * low : 0.;
    cosine[k] = 1. / (beta[k] * low);
    sine2[k] = (1. - cosine[k]) * (1. + cosine[k]);
    photons[k] = per_sin2 * sine2[k];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov::corsika
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov::corsika {

HWY_EXPORT(BunchBetas);
HWY_EXPORT(DispersedLight);

void bunch_betas(double mass, double energy, double slope, const double* path, std::size_t n, double* beta) {
  HWY_DYNAMIC_DISPATCH(BunchBetas)(mass, energy, slope, path, n, beta);
}

void dispersed_light(const DispersedBand& band, const double* random, const double* beta, const double* index,
                     std::size_t n, double* beta_n, double* cosine, double* sine2, double* photons) {
  HWY_DYNAMIC_DISPATCH(DispersedLight)(band, random, beta, index, n, beta_n, cosine, sine2, photons);
}

}  // namespace cherenkov::corsika
#endif  // HWY_ONCE
