// The loops over the bunches of a step with option CERWLEN that SIMD lanes do, compiled for each instruction
// set. No side effects.
#pragma once

#include <cstddef>

namespace cherenkov::corsika {

/// Of n bunches by their paths, cm: beta, with CERENK's bits. energy at path 0 and mass in GeV, slope: of the
/// energy, per cm.
void bunch_betas(double mass, double energy, double slope, const double* path, std::size_t n, double* beta);

/// The wavelengths: 1 over the longest, and 1 over the shortest less that, 1/nm; and the photons of a bunch
/// where sin^2 is 1.
struct DispersedBand {
  double least_per_nm, range_per_nm, photons_per_sin2;
};

/// Of n bunches by their random numbers, betas and refractive indices without dispersion, with CERENK's bits:
/// beta n, the cosine of the light's angle, 1 - cosine^2, and photons. CERENK calls pow() for
/// (400 nm/wavelength)^2.5. Here a root gives it, which differs from any library's pow() by a relative 4e-15
/// at most. Where this difference may change the bits of the index, beta n is set to 0, and the other three
/// are not to be used.
void dispersed_light(const DispersedBand& band, const double* random, const double* beta, const double* index,
                     std::size_t n, double* beta_n, double* cosine, double* sine2, double* photons);

}  // namespace cherenkov::corsika
