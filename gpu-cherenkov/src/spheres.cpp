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
#include "cherenkov/spheres_view.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov {
namespace HWY_NAMESPACE {
using Some = LanesOf<4>;  // most arrays are small, and roots take as long as lanes are many

// The first sphere from `begin` on, or of the lanes that begin with it, that may be touched; `count` if none
// is. begin is a multiple of the lanes.
std::size_t FirstTouched(const Ring& ring, const SphereRows& rows, std::size_t begin, std::size_t count,
                         unsigned& touched, std::size_t& lanes) {
  lanes = static_cast<std::size_t>(Some::count());
  for (std::size_t i = begin; i < count; i += lanes) {
    const auto clear =
        cone_distance(Some::load(rows.x.data() + i), Some::load(rows.y.data() + i),
                      Some::load(rows.z.data() + i), Some::load(rows.tested_radius.data() + i), ring)
            .is_clear();
    if (clear.all()) continue;
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(Some::Tag(), hn::Not(clear.m), bits);
    touched = bits[0];
    return i;
  }
  return count;
}

// The distance of a centre from the line is that of (ax, ay), at the centre's height, times the sine of its
// angle with the line: |(ax, ay, 0) x (-sx, -sy, 1)| / |(-sx, -sy, 1)|.
bool PassedBy(const Line& line, const LineUncertainty& uncertainty, const SphereRows& rows) {
  const double length2 = 1. + line.slope_x * line.slope_x + line.slope_y * line.slope_y;
  for (std::size_t i = 0; i < rows.x.size(); i += static_cast<std::size_t>(Some::count())) {
    const Some z = Some::load(rows.z.data() + i), sx = line.slope_x, sy = line.slope_y;
    const Some ax = nfma(sx, z, Some(line.x)) - Some::load(rows.x.data() + i);
    const Some ay = nfma(sy, z, Some(line.y)) - Some::load(rows.y.data() + i);
    const Some turned = ax * sy - ay * sx;
    const Some distance2 = fma(turned, turned, fma(ax, ax, ay * ay));
    // A slope that differs moves the line at the centre's height, and turns it about where it is there.
    const Some aside = fabs(z) + (fabs(ax) + fabs(ay));
    const Some reach =
        fma(Some(uncertainty.slope), aside, uncertainty.position + Some::load(rows.tested_radius.data() + i));
    // Written so that a value that is not a number counts as passed.
    if (!(distance2 > reach * reach * length2).all()) return true;
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

void SphereRows::add(const Sphere& s) {
  x.push_back(s.x);
  y.push_back(s.y);
  z.push_back(s.z);
  tested_radius.push_back(s.radius + kRounding);
}

// A sphere twice is that sphere; and a value that nothing reaches would make invalid operations.
void SphereRows::pad() {
  const std::size_t padded = (x.size() + kLanes - 1) / kLanes * kLanes;
  if (padded == 0) return;
  for (auto* row : {&x, &y, &z, &tested_radius}) row->resize(padded, row->back());
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
  const std::size_t all = all_.x.size();
  return HWY_DYNAMIC_DISPATCH(FirstTouched)(ring, all_, 0, all, touched, lanes) < all;
}

bool Spheres::touched_by(const Ring& ring, double bottom) const {
  const std::size_t groups = groups_.x.size();
  if (groups == 0 || 2 * groups > all_.x.size() || !(bottom > groups_top_)) return touched_by(ring);
  std::size_t lanes = 0;
  for (std::size_t begin = 0; begin < groups; begin += lanes) {
    unsigned touched = 0;
    begin = HWY_DYNAMIC_DISPATCH(FirstTouched)(ring, groups_, begin, groups, touched, lanes);
    for (; touched != 0; touched &= touched - 1) {
      const std::size_t group = begin + static_cast<std::size_t>(std::countr_zero(touched));
      if (group + 1 >= first_member_.size()) break;  // padding
      unsigned ignored = 0;
      const std::size_t end = first_member_[group + 1];
      if (HWY_DYNAMIC_DISPATCH(FirstTouched)(ring, members_, first_member_[group], end, ignored, lanes) < end)
        return true;
    }
  }
  return false;
}

bool Spheres::passed_by(const Line& line, const LineUncertainty& uncertainty) const {
  return HWY_DYNAMIC_DISPATCH(PassedBy)(line, uncertainty, all_);
}

}  // namespace cherenkov
#endif
