// Refractive indices at the heights of a step's bunches, where the density of the air falls exponentially
// with height within a layer (CORSIKA User's Guide, appendix "Atmospheric parameters"). No side effects.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "corsika_runtime/cherenkov/charged_step.hpp"

namespace cherenkov::corsika {

/// The four exponential layers, for host and device.
struct AirLayers {
  static constexpr int kLayers = 4;
  static constexpr double kMaxExponent = 0.125;  ///< largest |ln| of the ratio of two densities of a step

  double boundary[kLayers + 1];  ///< between which ExponentialAir::kError holds, cm
  double per_cm[kLayers];        ///< 1 over the scale height

  /// per_cm of the layer that holds both heights; 0 where there is none, or they are too far apart.
  [[nodiscard]] CHERENKOV_HOST_DEVICE double per_cm_of(double low, double high) const {
    for (int layer = 0; layer < kLayers; ++layer)
      if (low >= boundary[layer] && high < boundary[layer + 1])
        return (high - low) * per_cm[layer] <= kMaxExponent ? per_cm[layer] : 0.;
    return 0.;
  }
};

/// The four exponential layers of CORSIKA's five. One value of RHOF and a polynomial give the densities of a
/// step to a relative error of kError. An index is taken from them only if it is the same for all densities
/// within that error, and then it has CORSIKA's bits; else RHOF's formula gives the density. RHOF itself is
/// called by measured() alone, so that any thread may find indices.
class ExponentialAir {
 public:
  static constexpr int kLayers = AirLayers::kLayers;
  /// Of a density: CORSIKA rounds its exponent (at most 16) by 9e-16, at this height and at that of the one
  /// call of RHOF, and makes four more roundings (1.1e-16 each); the polynomial adds 3e-16. Together that is
  /// some 2.5e-15; kError is twice that.
  static constexpr double kError = 5e-15;

  /// Made from boundary (lower ends of the five layers, cm: HLAY) and per_cm (1 over the scale height, and
  /// the density of the fifth layer: DATM), and checked against `density` (RHOF), at up to 8192 pairs of
  /// heights, those that lie in one layer. None where density() has not its bits there, or where kError does
  /// not hold for a layer.
  static std::optional<ExponentialAir> measured(const double* boundary, const double* per_cm,
                                                double (*density)(double*));

  /// A height, cm, and the refractive index less 1 there.
  struct Reference {
    double height, excess;
  };

  [[nodiscard]] const AirLayers& layers() const { return layers_; }

  /// RHOF: of the air, g/cm^3, at a height in cm.
  [[nodiscard]] double density(double height) const;

  /// Sets index[k] to refractive_index(emission, height[k]), bit for bit, for n heights that rise or fall
  /// evenly, cm. emission: without tables; of it only index_per_density is used. reference: saves time if it
  /// is in the layer of the heights, and near them. The arrays have 8 elements more, of which index[] may be
  /// set to any value.
  void find_indices(const Emission& emission, const Reference& reference, const double* height, std::size_t n,
                    double* index) const;

 private:
  bool find_scale(std::size_t layer, double (*density)(double*));

  AirLayers layers_{};
  std::array<double, kLayers> top_{}, scale_{};
  double above_ = 0.;  // density of the fifth layer, g/cm^3
};

}  // namespace cherenkov::corsika
