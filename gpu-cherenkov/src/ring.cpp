#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/ring.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

#include "cherenkov/ring.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

bool TouchedBy(const Ring& ring, const double* HWY_RESTRICT xs, const double* HWY_RESTRICT ys,
               const double* HWY_RESTRICT reaches, std::size_t count) {
  const hn::CappedTag<double, 4> d;  // most arrays are small, and roots take as long as lanes are many
  const auto x = hn::Set(d, ring.x);
  const auto y = hn::Set(d, ring.y);
  const auto u = hn::Set(d, ring.u);
  const auto v = hn::Set(d, ring.v);
  const auto down = hn::Set(d, ring.height * ring.w);
  const auto height2 = hn::Set(d, ring.height * ring.height);
  const auto tangent = hn::Set(d, ring.tan_theta);
  const auto secant = hn::Set(d, ring.secant);
  const auto slack = hn::Set(d, ring.slack);
  const auto per_cm = hn::Set(d, ring.slack_per_cm);
  const auto zero = hn::Zero(d);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto dx = hn::Sub(hn::LoadU(d, xs + i), x);
    const auto dy = hn::Sub(hn::LoadU(d, ys + i), y);
    const auto length2 = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, height2));
    const auto along = hn::MulAdd(dx, u, hn::MulAdd(dy, v, down));
    const auto across = hn::Sqrt(hn::Max(zero, hn::NegMulAdd(along, along, length2)));
    const auto distance = hn::Abs(hn::NegMulAdd(along, tangent, across));
    const auto far = hn::Add(hn::Abs(along), across);
    const auto near = hn::Mul(secant, hn::MulAdd(per_cm, far, hn::Add(slack, hn::LoadU(d, reaches + i))));
    // Written so that a value that is no number counts as touched.
    if (!hn::AllTrue(d, hn::Gt(distance, near))) return true;
  }
  return false;
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov {
namespace {

constexpr std::size_t kLanes = 4;
constexpr double kHalfDiagonal = 1.4142135623730952;  // of a square, over its half width, rounded up
constexpr double kRounding = 1.;                      // cm, of the distance

}  // namespace

HWY_EXPORT(TouchedBy);

Footprints::Footprints(std::span<const Footprint> footprints) {
  for (const Footprint& f : footprints) {
    x_.push_back(f.x);
    y_.push_back(f.y);
    reach_.push_back(f.half_width * kHalfDiagonal + kRounding);
  }
  while (x_.size() % kLanes != 0) {
    x_.push_back(0.);
    y_.push_back(0.);
    reach_.push_back(-HUGE_VAL);
  }
}

bool Footprints::touched_by(const Ring& ring) const {
  return HWY_DYNAMIC_DISPATCH(TouchedBy)(ring, x_.data(), y_.data(), reach_.data(), x_.size());
}

}  // namespace cherenkov
#endif
