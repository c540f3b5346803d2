/// Sums of rounded terms (running_sum.hpp). Formulas over a number type; see real.hpp.
#if defined(CHERENKOV_ROUNDED_SUM_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CHERENKOV_ROUNDED_SUM_HPP
#undef CHERENKOV_ROUNDED_SUM_HPP
#else
#define CHERENKOV_ROUNDED_SUM_HPP
#endif

#include <cmath>

#include "cherenkov/real.hpp"

CHERENKOV_BEGIN_FORMULAS

/// Terms rounded to multiples of the ulp of `power`, and added. Each lane has its own.
template <class Real>
struct RoundedSum {
  Real power;
  Real sum = 0., lost = 0.;  ///< lost: the largest rounding error of a term

  /// uncertain: how far the term may be off, if it may.
  template <class... Uncertain>
  CHERENKOV_FORMULA void add(Real term, Uncertain... uncertain) {
    const Real rounded = (term + power) - power;
    lost = higher(lost, (fabs(term - rounded) + ... + uncertain));
    sum = sum + rounded;
  }
  /// No term was half-way between two multiples; and there is a power.
  [[nodiscard]] CHERENKOV_FORMULA MaskOf<Real> is_certain() const { return lost < power * 0x1p-53; }

  /// Of lanes that share a step. Not a number where it is not certain.
  template <class Lanes>
  [[nodiscard]] CHERENKOV_FORMULA double of_all(const Lanes& lanes) const {
    const double all = lanes.sum(sum);
    return lanes.any(!is_certain()) ? NAN : all;
  }
};

CHERENKOV_END_FORMULAS
#endif
