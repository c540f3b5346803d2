#include "dropped_steps.hpp"

#include <algorithm>
#include <cmath>

#include "cerenk_entry.hpp"
#include "wavelength_entry.hpp"

namespace cherenkov::corsika {

// A particle is too slow to emit light where beta n < 1, that is where E/m < 1/sqrt(1 - 1/n^2). The index
// falls with height by some 0.1% in the 7 m between two samples, but for jumps at the layers of CORSIKA's own
// atmospheres: the sample above a jump is lower than the index there by no more than that.
void find_thresholds(const Emission& air, double lowest) {
  constexpr double kTop_cm = 1.128e7;    // CORSIKA's
  constexpr double kLeastExcess = 1e-9;  // n - 1 below which nothing is dropped
  constexpr double kMargin = 1e-2;       // of n - 1
  constexpr double kRounding = 1e-4;     // of E/m
  constexpr int kSamples = 16;           // of a cell
  chrste_.low = lowest;
  const double cell = (kTop_cm - chrste_.low) / kThresholdCells;
  chrste_.cells_per_cm = 1. / cell;
  double highest = 1.;  // n above the cell in hand
  for (int k = kThresholdCells - 1; k >= 0; --k) {
    for (int i = 0; i <= kSamples; ++i)
      highest = std::max(highest,
                         refractive_index(air, chrste_.low + (k + static_cast<double>(i) / kSamples) * cell));
    const double n = 1. + (highest - 1.) * dispersion_of_steps() * (1. + kMargin);
    chrste_.threshold[k] = n - 1. > kLeastExcess ? (1. - kRounding) / std::sqrt(1. - 1. / (n * n)) : 0.;
  }
}

bool is_dropped(const ChargedStep& charged) {
  const double cell = (std::min(charged.z_begin, charged.z_end) - chrste_.low) * chrste_.cells_per_cm;
  if (!(cell >= 0. && cell < kThresholdCells)) return false;
  const double least = charged.mass * chrste_.threshold[static_cast<int>(cell)];
  return charged.begin_energy < least && charged.end_energy < least && charged.begin_energy >= charged.mass &&
         charged.end_energy >= charged.mass;
}

}  // namespace cherenkov::corsika
