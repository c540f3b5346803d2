// Indices within a layer. Compiled with -ffp-contract=off.
#include "corsika_runtime/cherenkov/exponential_air.hpp"

#include <algorithm>
#include <cmath>

#include "curved_lanes.hpp"

namespace cherenkov::corsika {

std::optional<ExponentialAir> ExponentialAir::measured(const double* boundary, const double* per_cm,
                                                       double (*density)(double*)) {
  constexpr int kPairs = 2048;      // of a layer
  constexpr double kMargin = 0.8;   // of kError
  constexpr double kLargest = 16.;  // exponent up to which kError holds
  ExponentialAir air;
  std::copy_n(boundary, kLayers + 1, air.boundary_.begin());
  std::copy_n(per_cm, kLayers, air.per_cm_.begin());
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    const double low = air.boundary_[layer], slope = air.per_cm_[layer];
    if (!(slope > 0.)) return std::nullopt;
    double& high = air.boundary_[layer + 1];
    if (layer + 1 == kLayers) high = std::min(high, kLargest / slope);
    if (!(low < high && high * slope <= kLargest)) return std::nullopt;
    const double reach = std::min(kMaxExponent / slope, high - low);
    for (int i = 0; i < kPairs; ++i) {
      // Pairs that fill the layer evenly: multiples of irrational numbers.
      double from = low + std::fmod(i * 0.7548776662466927, 1.) * (high - low);
      double to = from + (2. * std::fmod(i * 0.5698402909980532, 1.) - 1.) * reach;
      if (to < low || to >= high) continue;
      const double found = density(&to);
      const double expected = density(&from) * std::exp((from - to) * slope);
      if (!(std::fabs(found - expected) <= kMargin * kError * found)) return std::nullopt;
    }
  }
  return air;
}

int ExponentialAir::layer_of(double low, double high) const {
  for (int layer = 0; layer < kLayers; ++layer) {
    const auto k = static_cast<std::size_t>(layer);
    if (low >= boundary_[k] && high < boundary_[k + 1]) return layer;
  }
  return -1;
}

void ExponentialAir::find_indices(const Emission& emission, const Reference& reference, const double* height,
                                  std::size_t n, double* index) const {
  constexpr std::size_t kFewest = 2;  // heights for which this pays
  std::size_t done = 0;
  if (n >= kFewest) {
    const double low = std::min({height[0], height[n - 1], reference.height});
    const double high = std::max({height[0], height[n - 1], reference.height});
    if (const int layer = layer_of(low, high); layer >= 0) {
      const double slope = per_cm_[static_cast<std::size_t>(layer)];
      if ((high - low) * slope <= kMaxExponent) {
        certain_indices(height, n, reference.height, reference.excess, slope, kError, index);
        for (std::size_t k = 0; k < n; ++k)
          if (index[k] == 0.) index[k] = refractive_index(emission, height[k]);
        done = n;
      }
    }
  }
  for (std::size_t k = done; k < n; ++k) index[k] = refractive_index(emission, height[k]);
}

}  // namespace cherenkov::corsika
