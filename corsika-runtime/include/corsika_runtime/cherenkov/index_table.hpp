// The refractive index of air from the IACT package's tables, with REFIDX's bits, for a device. Host and
// device code.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "cherenkov/step.hpp"
#include "corsika_runtime/cherenkov/charged_step.hpp"

namespace cherenkov::corsika {

/// The table as plain pointers. Between neighbouring heights n - 1 is linear or exponential.
struct IndexTableView {
  const double* excess;  ///< n - 1 at low + i * width
  /// Of cell i: excess[i + 1] - excess[i], or ln(excess[i + 1] / excess[i]). NaN where n is not known.
  const double* change;
  bool is_exponential;
  /// How far n - 1 may be from REFIDX's, relative.
  double error;
  int cells;          ///< 0: no table
  double low, width;  ///< cm

  struct Index {
    double n;
    bool is_certain;  ///< n has REFIDX's bits; else it is off by its last bit at most, or not known: NaN
  };

  /// At a height above sea level, cm. n - 1 is 3e-4 at most, and the last bit of n is 2^-52. So n is certain
  /// but for 2 * error * 3e-4 / 2^-52 of the heights: 1.4% where n - 1 is linear, 3.3% where it is
  /// exponential, and less higher up.
  [[nodiscard]] CHERENKOV_HOST_DEVICE Index at(double height) const {
    const double place = (height - low) / width;
    if (!(place >= 0. && place < cells)) return {NAN, false};
    const int cell = static_cast<int>(place);
    const double excess_here = excess_in(cell, (height - (low + cell * width)) / width);
    const double n = 1. + excess_here * (1. - error);
    return {n, n == 1. + excess_here * (1. + error)};
  }

  /// n - 1 at a fraction, 0 to 1, of a cell.
  [[nodiscard]] CHERENKOV_HOST_DEVICE double excess_in(int cell, double fraction) const {
    const double changed = fraction * change[cell];
    return is_exponential ? excess[cell] * exp(changed) : excess[cell] + changed;
  }
};

/// The table, made by asking the package's routines. It is verified at three heights of each cell.
class IndexTable {
 public:
  /// Empty where REFIDX is neither linear nor exponential between the 40,000 heights of the package's own
  /// table, or where emission.excess is null. Calls emission.index and emission.excess up to 500,000 times,
  /// which takes some 10 ms.
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
  // Where REFIDX computes exp(x), -32 < x < -8, x is rounded to a multiple of 2^-48 or finer, here and at the
  // table's heights. All else is some roundings of doubles.
  static constexpr double kLinearError = 5e-15, kExponentialError = 1.2e-14;

  IndexTable() = default;
  bool holds(const Emission& emission);

  std::vector<double> excess_, change_;
  bool is_exponential_ = false;
  double low_ = 0., width_ = 0.;
};

}  // namespace cherenkov::corsika
