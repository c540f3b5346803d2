// Compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cherenkov/absorption_lanes.cpp"
#include <hwy/foreach_target.h>
// (after foreach_target)
#include <hwy/highway.h>

#include <cstddef>

#include "absorption_lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov::corsika {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::CappedTag<double, kMostLanes>;

// exp(-t) to a relative error of 1e-8, for t from -20 to 500.
template <class V>
HWY_INLINE V NearExp(V t) {
  const Doubles d;
  const hn::RebindToUnsigned<Doubles> bits;
  // 1.5 2^52: adding it rounds to an integer, which then stands in the last bits.
  const V shift = hn::Set(d, 6755399441055744.);
  const V scaled = hn::Mul(t, hn::Set(d, -1.4426950408889634));
  const V shifted = hn::Add(scaled, shift);
  const V x = hn::Mul(hn::Sub(scaled, hn::Sub(shifted, shift)), hn::Set(d, 0.6931471805599453));
  V sum = hn::Set(d, 1. / 5040.);
  for (const double term : {1. / 720., 1. / 120., 1. / 24., 1. / 6., 0.5, 1., 1.})
    sum = hn::MulAdd(sum, x, hn::Set(d, term));
  const auto power = hn::ShiftLeft<52>(hn::Add(hn::BitCast(bits, shifted), hn::Set(bits, 1023)));
  return hn::Mul(sum, hn::BitCast(d, power));
}

void FindPassages(const double* HWY_RESTRICT random, const double* HWY_RESTRICT extinction,
                  const double* HWY_RESTRICT low_w, const double* HWY_RESTRICT high_w, std::size_t n,
                  double* HWY_RESTRICT passage) {
  constexpr double kMargin = 1e-6;
  const Doubles d;
  const auto zero = hn::Zero(d), passes = hn::Set(d, kPasses), undecided = hn::Set(d, kUndecided);
  for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
    const auto along = hn::LoadU(d, extinction + k);
    const auto one = hn::Div(along, hn::LoadU(d, low_w + k)),
               other = hn::Div(along, hn::LoadU(d, high_w + k));
    const auto most = hn::Max(one, other), least = hn::Min(one, other);
    const auto known = hn::And(hn::Lt(most, hn::Set(d, 500.)), hn::Gt(least, hn::Set(d, -20.)));
    const auto low = hn::Mul(NearExp(hn::IfThenElse(known, most, zero)), hn::Set(d, 1. - kMargin));
    const auto high = hn::Mul(NearExp(hn::IfThenElse(known, least, zero)), hn::Set(d, 1. + kMargin));
    const auto number = hn::LoadU(d, random + k);
    const auto decided =
        hn::IfThenElse(hn::Le(number, low), passes, hn::IfThenElse(hn::Gt(number, high), zero, undecided));
    hn::StoreU(hn::IfThenElse(known, decided, undecided), d, passage + k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov::corsika
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov::corsika {

HWY_EXPORT(FindPassages);

void passages(const double* random, const double* extinction, const double* low_w, const double* high_w,
              std::size_t n, double* passage) {
  HWY_DYNAMIC_DISPATCH(FindPassages)(random, extinction, low_w, high_w, n, passage);
}

}  // namespace cherenkov::corsika
#endif  // HWY_ONCE
