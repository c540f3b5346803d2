// Compiled with -ffp-contract=off, and not with -ffast-math: it is all about how sums are rounded.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/running_sum.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include "cherenkov/rounded_sum.hpp"
#include "cherenkov/running_sum.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov {
namespace HWY_NAMESPACE {

// power: power_of_sum(start). False where lanes cannot tell; `sum` is meaningless then.
bool SumWithin(double power, double start, const double* HWY_RESTRICT terms, int n, double& sum) {
  RoundedSum<Reals> rounded{power};
  Reals least = 0.;
  for (int i = 0; i < n; i += Reals::count()) {
    const Reals term = Reals::load(terms + i).first(n - i);
    least = lower(least, term);
    rounded.add(term);
  }
  sum = start + rounded.sum.sum();  // not a number where a term is not
  // Terms of the sum's own size, which are rounded to coarser multiples, bring it over the power, too.
  return (rounded.is_certain() & (least >= 0.)).all() && sum < 2. * power;
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov {

HWY_EXPORT(SumWithin);

double running_sum(double start, const double* terms, int n) {
  const double power = power_of_sum(start);
  double sum = 0.;
  if (power != 0. && HWY_DYNAMIC_DISPATCH(SumWithin)(power, start, terms, n, sum)) return sum;
  sum = start;
  for (int i = 0; i < n; ++i) sum += terms[i];
  return sum;
}

}  // namespace cherenkov
#endif
