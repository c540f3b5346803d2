// Compiled with -ffp-contract=off: the interpolation has CORSIKA's bits.
#include "corsika_runtime/depth/slant_depth.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace cherenkov::corsika {

double SlantDepth::operator()(double distance) {
  const double* path = table_.distance - 1;
  const auto& [first, high, middle, low] = indexed_;
  if (*table_.first != first || path[first] != high || path[(first + table_.last) / 2] != middle ||
      path[table_.last] != low) [[unlikely]]
    make_index();
  if (!(distance >= 0. && distance > indexed_.low && distance < indexed_.high && falls_)) [[unlikely]]
    return outside(distance);
  const auto cell = static_cast<int>((distance - indexed_.low) * cells_per_cm_);
  const Interval* interval = &intervals_[begin_[static_cast<std::size_t>(std::min(cell, kCells))]];
  // A cell holds few entries: mostly these two comparisons, which are not mispredicted, end the search.
  interval += interval->near_distance >= distance ? 1 : 0;
  interval += interval->near_distance >= distance ? 1 : 0;
  while (interval->far_distance < distance) --interval;
  while (interval->near_distance >= distance) ++interval;
  return interval->near_depth + interval->slope * (distance - interval->near_distance);
}

double SlantDepth::outside(double distance) const {
  const double* path = table_.distance - 1;  // Fortran's indices
  const double* depth = table_.depth - 1;
  const std::int32_t first = *table_.first;
  if (distance < 0.) return 1.5 * depth[table_.last];
  if (distance >= path[first]) return depth[first];
  if (!(distance < path[first])) return distance;  // not a number
  std::int32_t far = first, near = table_.last;
  do {
    const std::int32_t middle = (far + near) / 2;
    (path[middle] < distance ? near : far) = middle;
  } while (near - far > 1);
  const double slope = (depth[far] - depth[near]) / (path[far] - path[near]);
  return depth[near] + slope * (distance - path[near]);
}

bool SlantDepth::is_as(double (*thcksi)(const double*)) {
  constexpr std::int32_t kIntervals = 1000;
  const double* path = table_.distance - 1;
  const auto agrees = [&](double distance) {
    return std::bit_cast<std::uint64_t>((*this)(distance)) == std::bit_cast<std::uint64_t>(thcksi(&distance));
  };
  const std::int32_t first = *table_.first, stride = std::max(1, (table_.last - first) / kIntervals);
  for (std::int32_t i = first; i < table_.last; i += stride)
    for (const double part : {0., 0.2, 0.5, 0.83})
      if (!agrees(path[i] + part * (path[i + 1] - path[i]))) return false;
  return agrees(-1.) && agrees(0.) && agrees(path[table_.last]) && agrees(2. * path[first]);
}

void SlantDepth::make_index() {
  const double* path = table_.distance - 1;
  const double* depth = table_.depth - 1;
  const std::int32_t first = *table_.first, last = table_.last;
  indexed_ = {first, path[first], path[(first + last) / 2], path[last]};
  falls_ = last > first && std::is_sorted(path + first, path + last + 1, std::greater<>());
  if (!falls_) return;
  intervals_.clear();
  for (std::int32_t far = first; far < last; ++far) {
    const std::int32_t near = far + 1;
    const double length = path[far] - path[near];
    // An interval without length holds no distance.
    const double slope = length > 0. ? (depth[far] - depth[near]) / length : 0.;
    intervals_.push_back({path[far], path[near], depth[near], slope});
  }
  const double range = indexed_.high - indexed_.low;
  cells_per_cm_ = range > 0. ? kCells / range : 0.;
  std::size_t k = intervals_.size() - 1;
  for (std::size_t cell = 0; cell < begin_.size(); ++cell) {
    // Of the cell's far end, so that all of its distances are in this interval or in later ones.
    const double end = indexed_.low + static_cast<double>(cell + 1) * range / kCells;
    while (k > 0 && intervals_[k].far_distance < end) --k;
    begin_[cell] = static_cast<std::uint32_t>(k);
  }
}

}  // namespace cherenkov::corsika
