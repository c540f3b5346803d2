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

// Whether `found` is true for spheres of `rows` from `begin` to before `end` that may be touched: called with
// the number of a vector's first one, and the vector's bits.
template <class Found>
HWY_INLINE bool FindTouched(const Ring& ring, const SphereRows& rows, std::size_t begin, std::size_t end,
                            const Found& found) {
  for (std::size_t i = begin; i < end; i += static_cast<std::size_t>(Some::count())) {
    const auto clear =
        cone_distance(Some::load(rows.x.data() + i), Some::load(rows.y.data() + i),
                      Some::load(rows.z.data() + i), Some::load(rows.tested_radius.data() + i), ring)
            .is_clear();
    if (clear.all()) continue;
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(Some::Tag(), hn::Not(clear.m), bits);
    if (found(i, unsigned{bits[0]})) return true;
  }
  return false;
}

// Of a sphere with members one of these must be touched, too.
bool Touched(const Ring& ring, const SphereRows& rows, const SphereRows& members) {
  const auto& first_member = rows.first_member;
  return FindTouched(ring, rows, 0, rows.x.size(), [&](std::size_t first, unsigned touched) {
    if (first_member.empty()) return true;
    for (; touched != 0; touched &= touched - 1) {
      const std::size_t group = first + static_cast<std::size_t>(std::countr_zero(touched));
      if (group + 1 >= first_member.size()) break;  // padding
      if (FindTouched(ring, members, first_member[group], first_member[group + 1],
                      [](std::size_t, unsigned) { return true; }))
        return true;
    }
    return false;
  });
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

HWY_EXPORT(Touched);
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
  // Telescopes of one array follow one another: a group ends where the next one is far from its first.
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
    groups_.first_member.push_back(members_.x.size());
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
  groups_.first_member.push_back(members_.x.size());
  groups_.pad();
  if (2 * groups_.x.size() > all_.x.size()) groups_top_ = HUGE_VAL;
}

bool Spheres::touched_by(const Ring& ring, double bottom) const {
  return HWY_DYNAMIC_DISPATCH(Touched)(ring, bottom > groups_top_ ? groups_ : all_, members_);
}

bool Spheres::passed_by(const Line& line, const LineUncertainty& uncertainty) const {
  return HWY_DYNAMIC_DISPATCH(PassedBy)(line, uncertainty, all_);
}

}  // namespace cherenkov
#endif
