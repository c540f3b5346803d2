// Distances of spheres from a cone and from a line, four spheres at a time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/spheres.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "cherenkov/spheres.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, 4>;  // most arrays are small, and roots take as long as lanes are many

bool TouchedBy(const Ring& ring, const double* HWY_RESTRICT xs, const double* HWY_RESTRICT ys,
               const double* HWY_RESTRICT zs, const double* HWY_RESTRICT reaches, std::size_t count) {
  const Lanes d;
  const auto x = hn::Set(d, ring.x);
  const auto y = hn::Set(d, ring.y);
  const auto height = hn::Set(d, ring.height);
  const auto u = hn::Set(d, ring.u);
  const auto v = hn::Set(d, ring.v);
  const auto w = hn::Set(d, ring.w);
  const auto tangent = hn::Set(d, ring.tan_theta);
  const auto secant = hn::Set(d, ring.secant);
  const auto slack = hn::Set(d, ring.slack);
  const auto per_cm = hn::Set(d, ring.slack_per_cm);
  const auto tilt = hn::Set(d, ring.tilt);
  const auto scale = hn::Set(d, ring.radius_scale);
  const auto zero = hn::Zero(d);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto z = hn::LoadU(d, zs + i);
    const auto dx = hn::Sub(hn::LoadU(d, xs + i), x);
    const auto dy = hn::Sub(hn::LoadU(d, ys + i), y);
    const auto dz = hn::Sub(height, z);
    const auto length2 = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz)));
    const auto along = hn::MulAdd(dx, u, hn::MulAdd(dy, v, hn::Mul(dz, w)));
    const auto across = hn::Sqrt(hn::Max(zero, hn::NegMulAdd(along, along, length2)));
    const auto distance = hn::Abs(hn::NegMulAdd(along, tangent, across));
    const auto far = hn::Add(hn::Abs(along), across);
    // Light that passes a sphere is at most radius/w aside of its centre at the centre's height.
    const auto reach = hn::MulAdd(tilt, hn::Abs(z), hn::MulAdd(scale, hn::LoadU(d, reaches + i), slack));
    const auto near = hn::Mul(secant, hn::MulAdd(per_cm, far, reach));
    // Written so that a value that is not a number counts as touched.
    if (!hn::AllTrue(d, hn::Gt(distance, near))) return true;
  }
  return false;
}

// The distance of a centre from the line is that of (ax, ay), at the centre's height, times the sine of its
// angle with the line: |(ax, ay, 0) x (-sx, -sy, 1)| / |(-sx, -sy, 1)|.
bool PassedBy(const Line& line, const LineUncertainty& uncertainty, const double* HWY_RESTRICT xs,
              const double* HWY_RESTRICT ys, const double* HWY_RESTRICT zs,
              const double* HWY_RESTRICT reaches, std::size_t count) {
  const Lanes d;
  const auto x = hn::Set(d, line.x);
  const auto y = hn::Set(d, line.y);
  const auto sx = hn::Set(d, line.slope_x);
  const auto sy = hn::Set(d, line.slope_y);
  const auto length2 = hn::Set(d, 1. + line.slope_x * line.slope_x + line.slope_y * line.slope_y);
  const auto position = hn::Set(d, uncertainty.position);
  const auto slope = hn::Set(d, uncertainty.slope);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto z = hn::LoadU(d, zs + i);
    const auto ax = hn::Sub(hn::NegMulAdd(sx, z, x), hn::LoadU(d, xs + i));
    const auto ay = hn::Sub(hn::NegMulAdd(sy, z, y), hn::LoadU(d, ys + i));
    const auto turned = hn::Sub(hn::Mul(ax, sy), hn::Mul(ay, sx));
    const auto distance2 = hn::MulAdd(turned, turned, hn::MulAdd(ax, ax, hn::Mul(ay, ay)));
    // A slope that differs moves the line at the centre's height, and turns it about where it is there.
    const auto aside = hn::Add(hn::Abs(z), hn::Add(hn::Abs(ax), hn::Abs(ay)));
    const auto reach = hn::MulAdd(slope, aside, hn::Add(position, hn::LoadU(d, reaches + i)));
    const auto near2 = hn::Mul(hn::Mul(reach, reach), length2);
    // Written so that a value that is not a number counts as passed.
    if (!hn::AllTrue(d, hn::Gt(distance2, near2))) return true;
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
constexpr double kRounding = 1.;  // cm, of the distance

}  // namespace

HWY_EXPORT(TouchedBy);
HWY_EXPORT(PassedBy);

Spheres::Spheres(std::span<const Sphere> spheres) : size_(spheres.size()) {
  for (const Sphere& s : spheres) {
    x_.push_back(s.x);
    y_.push_back(s.y);
    z_.push_back(s.z);
    reach_.push_back(s.radius + kRounding);
    top_ = std::max(top_, s.z + s.radius);
  }
  // A sphere twice is that sphere; and a value that nothing reaches would make invalid operations.
  while (x_.size() % kLanes != 0) {
    x_.push_back(x_.back());
    y_.push_back(y_.back());
    z_.push_back(z_.back());
    reach_.push_back(reach_.back());
  }
}

bool Spheres::touched_by(const Ring& ring) const {
  return HWY_DYNAMIC_DISPATCH(TouchedBy)(ring, x_.data(), y_.data(), z_.data(), reach_.data(), x_.size());
}

bool Spheres::passed_by(const Line& line, const LineUncertainty& uncertainty) const {
  return HWY_DYNAMIC_DISPATCH(PassedBy)(line, uncertainty, x_.data(), y_.data(), z_.data(), reach_.data(),
                                        x_.size());
}

}  // namespace cherenkov
#endif
