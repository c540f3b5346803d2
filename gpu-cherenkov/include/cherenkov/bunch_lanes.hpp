/// Loops over bunches and photons whose refractive index is their own, in SIMD lanes. Values have CORSIKA's
/// bits. Arrays but those of bunch_betas() and dispersed_light() are read and written up to the next multiple
/// of kMostLanes. No side effects.
#pragma once

#include <cstddef>

namespace cherenkov {

inline constexpr std::size_t kMostLanes = 8;

/// For n heights, cm: sets index[k] to 1 + excess exp((reference - height[k]) per_cm) where that rounds to
/// the same number for every value of the exponential within the relative `error`; else to 0. reference: a
/// height, cm; excess: the refractive index less 1 there. The exponents are at most 0.125 in size.
void certain_indices(const double* height, std::size_t n, double reference, double excess, double per_cm,
                     double error, double* index);

/// A particle's mass and energy at path 0, GeV, and its energy's change per cm; photons of a bunch where
/// sin^2 is 1, and their weight.
struct BunchEnergies {
  double mass, energy, slope, photons_per_sin2, weight;
};

/// The range of beta n, and whether all bunches emit light (no cosine is above 1 or NaN, no sine 0).
struct BetaRange {
  double least, most;
  bool all_lit;
};

/// Of n bunches by their paths, cm, and refractive indices: beta n, the cosine of the light's angle, 1 -
/// cosine^2, and photons. The range is that of all bunches up to the next multiple of kMostLanes.
BetaRange bunch_light(const BunchEnergies& energies, const double* path, const double* index, std::size_t n,
                      double* beta_n, double* cosine, double* sine2, double* photons);

/// Of n bunches by their paths, cm: beta. energy at path 0 and mass in GeV, slope: of the energy, per cm.
void bunch_betas(double mass, double energy, double slope, const double* path, std::size_t n, double* beta);

/// The wavelengths: 1 over the longest, and 1 over the shortest less that, 1/nm; and the photons of a bunch
/// where sin^2 is 1, and their weight.
struct DispersedBand {
  double least_per_nm, range_per_nm, photons_per_sin2, weight;
};

/// Of n bunches by their random numbers, betas and refractive indices without dispersion: beta n, the cosine
/// of the light's angle, 1 - cosine^2, and photons. Where dispersed_range() is no single number, beta n is
/// set to 0, and the other three are not to be used.
void dispersed_light(const DispersedBand& band, const double* random, const double* beta, const double* index,
                     std::size_t n, double* beta_n, double* cosine, double* sine2, double* photons);

// What is known of a photon.
inline constexpr double kAbsorbed = 0., kPasses = 1., kUndecided = 2.;

/// CORSIKA's ATABSO compares a random number with exp(-extinction/w). Of n photons whose w is between
/// low_w[k] > 0 and high_w[k]: what that says of any w there. The bounds are wider by 1e-6 of them.
void passages(const double* random, const double* extinction, const double* low_w, const double* high_w,
              std::size_t n, double* passage);

}  // namespace cherenkov
