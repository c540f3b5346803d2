// Compiled with -ffp-contract=off, and not with -ffast-math: it is all about how sums are rounded.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/running_sum.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "cherenkov/running_sum.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// power: the power of two at or below `start`. False where lanes cannot tell; `sum` is meaningless then.
bool SumWithin(double power, double start, const double* HWY_RESTRICT terms, int n, double& sum) {
  const hn::CappedTag<double, 8> d;
  const auto rounder =
      hn::Set(d, power);  // has the ulp of the sum, so that what is added to it is rounded so
  const auto half_ulp = hn::Set(d, power * 0x1p-53);
  const auto zero = hn::Zero(d);
  auto sums = zero;
  auto good = hn::Eq(zero, zero);
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < n; i += lanes) {
    auto term = hn::LoadU(d, terms + i);
    if (n - i < lanes) term = hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(n - i)), term);
    const auto rounded = hn::Sub(hn::Add(term, rounder), rounder);
    const auto lost = hn::Abs(hn::Sub(term, rounded));
    good = hn::And(good, hn::And(hn::Ge(term, zero), hn::Lt(lost, half_ulp)));
    sums = hn::Add(sums, rounded);
  }
  sum = start + hn::GetLane(hn::SumOfLanes(d, sums));
  // Terms of the sum's own size, which are rounded to coarser multiples, bring it over the power, too.
  return hn::AllTrue(d, good) && sum < 2. * power;
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov {

HWY_EXPORT(SumWithin);

double running_sum(double start, const double* terms, int n) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000;
  const auto power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(start) & kExponent);
  double sum = 0.;
  // with room for an ulp below and twice the power above
  if (start > 0x1p-900 && start < 0x1p1000 && HWY_DYNAMIC_DISPATCH(SumWithin)(power, start, terms, n, sum))
    return sum;
  sum = start;
  for (int i = 0; i < n; ++i) sum += terms[i];
  return sum;
}

}  // namespace cherenkov
#endif
