// The refractive index of air with REFIDX's bits: IndexTable, from the IACT package's tables, for a device;
// ExponentialAir, in CORSIKA's layers of air.
#pragma once

#include <array>

#include "cherenkov/curved_judge.hpp"
#include "corsika_runtime/cherenkov/charged_step.hpp"

namespace cherenkov::corsika {

/// The table, made by asking the package's routines. It is verified at three heights of each cell.
class IndexTable {
 public:
  /// Empty where in more than 1% of the cells between the 40,000 heights of the package's own table REFIDX
  /// is neither linear nor exponential, or where emission.excess is null. Calls emission.index and
  /// emission.excess up to 500,000 times, which takes some 10 ms.
  static std::optional<IndexTable> of(const Emission& emission);

  [[nodiscard]] IndexTableView view() const {
    return {excess_.data(),
            change_.data(),
            is_exponential_,
            is_exponential_ ? kExponentialError : kLinearError,
            static_cast<int>(change_.size()),
            low_,
            width_};
  }

 private:
  // Linear: in 18 atmospheres, at 4e6 heights of each, the largest error was 0.31 of this. holds() verifies
  // half of it at three heights of each cell. Where n - 1 is below 4e-6, kAbsoluteError is more than
  // kLinearError's part. Where REFIDX computes exp(x), -32 < x < -8, x is rounded to a multiple of 2^-48 or
  // finer, here and at the table's heights.
  static constexpr double kLinearError = 2e-15, kExponentialError = 1.2e-14;

  IndexTable() = default;
  bool holds(const Emission& emission);

  std::vector<double> excess_, change_;
  bool is_exponential_ = false;
  double low_ = 0., width_ = 0.;
};

// Refractive indices at the heights of a step's bunches, where the density of the air falls exponentially
// with height within a layer (CORSIKA User's Guide, appendix "Atmospheric parameters"). No side effects.

/// The four exponential layers of CORSIKA's five. One value of RHOF and a polynomial give the densities of a
/// step to a relative error of kError. An index is taken from them only if it is the same for all densities
/// within that error, and then it has CORSIKA's bits; else RHOF's formula gives the density. RHOF itself is
/// called by measured() alone, so that any thread may find indices.
class ExponentialAir {
 public:
  static constexpr int kLayers = AirLayers::kLayers;
  static constexpr double kError = AirLayers::kError;

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
