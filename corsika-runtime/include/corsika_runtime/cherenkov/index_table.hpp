// The refractive index of air from the IACT package's tables, with REFIDX's bits, for a device. Host and
// device code.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "cherenkov/step_judge.hpp"
#include "corsika_runtime/cherenkov/charged_step.hpp"

namespace cherenkov::corsika {

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
