// Compiled with -ffp-contract=off: the interpolation has CORSIKA's bits.
#include "corsika_runtime/depth/slant_depth.hpp"

#include <algorithm>
#include <functional>

namespace corsika {

double SlantDepth::operator()(double distance) {
  const double* path = table_.distance - 1;  // Fortran's indices
  const double* depth = table_.depth - 1;
  const std::int32_t first = *table_.first;
  const std::int32_t last = table_.last;
  if (distance < 0.) return 1.5 * depth[last];
  if (distance >= path[first]) return depth[first];
  if (!(distance < path[first])) return distance;  // not a number

  if (indexed_ != sample()) [[unlikely]]
    make_index();
  if (!falls_) [[unlikely]]
    return interpolated(by_bisection(distance), distance);

  // As CORSIKA's bisection of [first, last], which ends with the last two entries where the distance is below
  // both.
  const double cell = std::clamp((distance - low_) * cells_per_cm_, 0., static_cast<double>(kCells));
  std::int32_t k = std::clamp(begin_[static_cast<std::size_t>(cell)], first, last - 1);
  // A cell holds few entries: mostly these two comparisons, which are not mispredicted, end the search.
  k += k < last - 1 && path[k + 1] >= distance ? 1 : 0;
  k += k < last - 1 && path[k + 1] >= distance ? 1 : 0;
  while (k > first && path[k] < distance) --k;
  while (k < last - 1 && path[k + 1] >= distance) ++k;
  return interpolated({k, k + 1}, distance);
}

double SlantDepth::interpolated(Interval interval, double distance) const {
  const double* path = table_.distance - 1;
  const double* depth = table_.depth - 1;
  const auto [far, near] = interval;
  const double slope = (depth[far] - depth[near]) / (path[far] - path[near]);
  return depth[near] + slope * (distance - path[near]);
}

SlantDepth::Interval SlantDepth::by_bisection(double distance) const {
  const double* path = table_.distance - 1;
  Interval interval{*table_.first, table_.last};
  do {
    const std::int32_t middle = (interval.far + interval.near) / 2;
    (path[middle] < distance ? interval.near : interval.far) = middle;
  } while (interval.near - interval.far > 1);
  return interval;
}

SlantDepth::Sample SlantDepth::sample() const {
  const double* path = table_.distance - 1;
  const std::int32_t first = *table_.first;
  return {first, path[first], path[(first + table_.last) / 2], path[table_.last]};
}

void SlantDepth::make_index() {
  const double* path = table_.distance - 1;
  indexed_ = sample();
  falls_ = std::is_sorted(path + indexed_.first, path + table_.last + 1, std::greater<>());
  if (!falls_) return;
  low_ = indexed_.low;
  const double range = indexed_.high - indexed_.low;
  cells_per_cm_ = range > 0. ? kCells / range : 0.;
  std::int32_t k = table_.last - 1;
  for (int cell = 0; cell <= kCells; ++cell) {
    // Of the cell's far end, so that all of its distances are at this entry or after it.
    const double end = low_ + (cell + 1) * range / kCells;
    while (k > indexed_.first && path[k] < end) --k;
    begin_[static_cast<std::size_t>(cell)] = k;
  }
}

}  // namespace corsika
