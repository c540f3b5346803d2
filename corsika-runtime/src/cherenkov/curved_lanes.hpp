// The loops over a step's bunches, and over the ends of electrons' steps, with option CURVED that SIMD lanes
// do, compiled for each instruction set. No side effects.
#pragma once

#include <cstddef>

#include "corsika_runtime/cherenkov/step_plan.hpp"

namespace cherenkov::corsika {

/// Arrays are read and written up to the next multiple of this.
inline constexpr std::size_t kCurvedLanes = 8;

/// For n heights, cm: sets index[k] to 1 + excess exp((reference - height[k]) per_cm) where that rounds to
/// the same number for every value of the exponential within the relative `error`; else to 0. reference: a
/// height, cm; excess: the refractive index less 1 there. The exponents are at most 0.125 in size.
void certain_indices(const double* height, std::size_t n, double reference, double excess, double per_cm,
                     double error, double* index);

/// ELECTR's end of an electron's step: x and y go on from the step's beginning by the arc of the Earth that
/// belongs to the step's chord. Rows are of kChunkSteps steps. Values have ELECTR's bits.
struct ElectronEnds {
  alignas(64) double sine[kChunkSteps];    ///< of the angle at the Earth's centre between begin and end
  alignas(64) double radius[kChunkSteps];  ///< distance of the end from the Earth's centre, cm
  alignas(
      64) double angle[kChunkSteps];    ///< at the Earth's centre, from the detector to the step's beginning
  alignas(64) double arc[kChunkSteps];  ///< the angle whose sine is `sine`
  alignas(64) double x[kChunkSteps], y[kChunkSteps];
};

/// Sets sine, radius and angle of all kChunkSteps steps; any finite values do beyond those recorded.
/// RecordedSteps::x_end is the chord's length (find_end() in curved_step.hpp). earth_radius: cm.
void chords_of(const RecordedSteps& steps, double earth_radius, ElectronEnds& ends);

/// Sets x and y of all kChunkSteps steps. Needs all other rows.
void ends_of_chords(const RecordedSteps& steps, double earth_radius, ElectronEnds& ends);

/// A particle's mass and energy at path 0, GeV, and its energy's change per cm; photons of a bunch where
/// sin^2 is 1.
struct BunchEnergies {
  double mass, energy, slope, photons_per_sin2;
};

/// The range of beta n, and whether all bunches emit light (no cosine is above 1 or NaN, no sine 0).
struct BetaRange {
  double least, most;
  bool all_lit;
};

/// Of n bunches by their paths, cm, and refractive indices, with CERENK's bits: beta n, the cosine of the
/// light's angle, 1 - cosine^2, and photons. The range is that of all bunches up to the next multiple of
/// kCurvedLanes.
BetaRange bunch_light(const BunchEnergies& energies, const double* path, const double* index, std::size_t n,
                      double* beta_n, double* cosine, double* sine2, double* photons);

}  // namespace cherenkov::corsika
