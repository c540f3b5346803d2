// Distances of spheres from a cone and from a line, four spheres at a time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/spheres.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "cherenkov/spheres.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, 4>;  // most arrays are small, and roots take as long as lanes are many

// The first sphere from `begin` on, or of the lanes that begin with it, that may be touched; `count` if none
// is. begin is a multiple of the lanes.
std::size_t FirstTouched(const Ring& ring, const double* HWY_RESTRICT xs, const double* HWY_RESTRICT ys,
                         const double* HWY_RESTRICT zs, const double* HWY_RESTRICT reaches, std::size_t begin,
                         std::size_t count, unsigned& touched, std::size_t& lanes) {
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
  for (std::size_t i = begin; i < count; i += hn::Lanes(d)) {
    const auto z = hn::LoadU(d, zs + i);
    const auto dx = hn::Sub(hn::LoadU(d, xs + i), x);
    const auto dy = hn::Sub(hn::LoadU(d, ys + i), y);
    const auto dz = hn::Sub(height, z);
    const auto length2 = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz)));
    const auto along = hn::MulAdd(dx, u, hn::MulAdd(dy, v, hn::Mul(dz, w)));
    const auto across = hn::Sqrt(hn::Max(zero, hn::NegMulAdd(along, along, length2)));
    const auto distance = hn::Abs(hn::NegMulAdd(along, tangent, across));
    const auto far = hn::Add(hn::Abs(along), across);
    // Light that passes through a sphere is at most radius/w aside of its centre at the centre's height.
    const auto reach = hn::MulAdd(tilt, hn::Abs(z), hn::MulAdd(scale, hn::LoadU(d, reaches + i), slack));
    const auto near = hn::Mul(secant, hn::MulAdd(per_cm, far, reach));
    // Written so that a value that is not a number counts as touched.
    const auto clear = hn::Gt(distance, near);
    if (hn::AllTrue(d, clear)) continue;
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Not(clear), bits);
    touched = bits[0];
    lanes = hn::Lanes(d);
    return i;
  }
  return count;
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
constexpr double kRounding = 1.;    // cm, of the distance
constexpr double kGroupSpan = 3e4;  // cm, of the centres of a group from its first

}  // namespace

HWY_EXPORT(FirstTouched);
HWY_EXPORT(PassedBy);

void Spheres::Rows::add(const Sphere& s) {
  x.push_back(s.x);
  y.push_back(s.y);
  z.push_back(s.z);
  tested_radius.push_back(s.radius + kRounding);
}

// A sphere twice is that sphere; and a value that nothing reaches would make invalid operations.
void Spheres::Rows::pad() {
  while (x.size() % kLanes != 0) {
    x.push_back(x.back());
    y.push_back(y.back());
    z.push_back(z.back());
    tested_radius.push_back(tested_radius.back());
  }
}

Spheres::Spheres(std::span<const Sphere> spheres) : size_(spheres.size()) {
  for (const Sphere& s : spheres) {
    all_.add(s);
    top_ = std::max(top_, s.z + s.radius);
  }
  all_.pad();
  if (size_ > kLanes) group(spheres);
}

// Telescopes of one array follow one another: a group ends where the next one is far from its first.
void Spheres::group(std::span<const Sphere> spheres) {
  for (std::size_t begin = 0; begin < spheres.size();) {
    std::size_t end = begin;
    Sphere low = spheres[begin], high = low;  // corners of a box around the centres
    for (; end < spheres.size(); ++end) {
      const Sphere& s = spheres[end];
      const double away = std::hypot(s.x - spheres[begin].x, s.y - spheres[begin].y, s.z - spheres[begin].z);
      if (!(away <= kGroupSpan)) break;
      low = {std::min(low.x, s.x), std::min(low.y, s.y), std::min(low.z, s.z), 0.};
      high = {std::max(high.x, s.x), std::max(high.y, s.y), std::max(high.z, s.z), 0.};
    }
    if (end == begin) ++end;  // one that is nowhere
    Sphere around{0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z), 0.};
    first_member_.push_back(members_.x.size());
    for (std::size_t i = begin; i < end; ++i) {
      const Sphere& s = spheres[i];
      const double reach = std::hypot(s.x - around.x, s.y - around.y, s.z - around.z) + s.radius;
      around.radius = reach > around.radius || std::isnan(reach) ? reach : around.radius;
      members_.add(s);
    }
    members_.pad();
    groups_.add(around);
    groups_top_ = std::max(groups_top_, around.z + around.radius);
    begin = end;
  }
  first_member_.push_back(members_.x.size());
  groups_.pad();
}

bool Spheres::touched_by(const Ring& ring) const {
  unsigned touched = 0;
  std::size_t lanes = 0;
  return HWY_DYNAMIC_DISPATCH(FirstTouched)(ring, all_.x.data(), all_.y.data(), all_.z.data(),
                                            all_.tested_radius.data(), 0, all_.x.size(), touched,
                                            lanes) < all_.x.size();
}

bool Spheres::touched_by(const Ring& ring, double bottom) const {
  const std::size_t groups = groups_.x.size();
  if (groups == 0 || 2 * groups > all_.x.size() || !(bottom > groups_top_)) return touched_by(ring);
  for (std::size_t begin = 0; begin < groups;) {
    unsigned touched = 0;
    std::size_t lanes = kLanes;
    begin = HWY_DYNAMIC_DISPATCH(FirstTouched)(ring, groups_.x.data(), groups_.y.data(), groups_.z.data(),
                                               groups_.tested_radius.data(), begin, groups, touched, lanes);
    for (; touched != 0; touched &= touched - 1) {
      const std::size_t group = begin + static_cast<std::size_t>(std::countr_zero(touched));
      if (group + 1 >= first_member_.size()) break;  // padding
      unsigned ignored = 0;
      std::size_t ignored_lanes = 0;
      const std::size_t end = first_member_[group + 1];
      if (HWY_DYNAMIC_DISPATCH(FirstTouched)(ring, members_.x.data(), members_.y.data(), members_.z.data(),
                                             members_.tested_radius.data(), first_member_[group], end,
                                             ignored, ignored_lanes) < end)
        return true;
    }
    begin += lanes;
  }
  return false;
}

bool Spheres::passed_by(const Line& line, const LineUncertainty& uncertainty) const {
  return HWY_DYNAMIC_DISPATCH(PassedBy)(line, uncertainty, all_.x.data(), all_.y.data(), all_.z.data(),
                                        all_.tested_radius.data(), all_.x.size());
}

}  // namespace cherenkov
#endif
