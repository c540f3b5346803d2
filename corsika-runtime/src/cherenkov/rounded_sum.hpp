// Sums of rounded terms, as SumTerms has them; host and device code.
#pragma once

#include <cmath>

#include "cherenkov/step.hpp"

namespace cherenkov::corsika {

// Terms rounded to multiples of the ulp of `power`, and added; see SumTerms. Each lane has its own.
struct RoundedSum {
  double power;
  double sum = 0., lost = 0.;  // lost: the largest rounding error of a term

  // uncertain: how far the term may be off.
  CHERENKOV_HOST_DEVICE void add(double term, double uncertain = 0.) {
    const double rounded = (term + power) - power;
    const double off = fabs(term - rounded) + uncertain;
    lost = off > lost ? off : lost;
    sum += rounded;
  }
  // Not a number where a term was half-way between two multiples, or there is no power.
  template <class Lanes>
  CHERENKOV_HOST_DEVICE double of_all(const Lanes& lanes) const {
    const double all = lanes.sum(sum);
    return lanes.any(!(lost < power * 0x1p-53)) ? NAN : all;
  }
};

}  // namespace cherenkov::corsika
