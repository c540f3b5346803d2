// Compiled with -ffp-contract=off: the interpolation has CORSIKA's bits.
#include "corsika_runtime/depth/slant_depth.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace cherenkov::corsika {

double SlantDepth::operator()(double distance) {
  auto differ = static_cast<std::uint64_t>(*table_.first ^ first_);
  for (const auto& [at, value] : samples_) differ |= std::bit_cast<std::uint64_t>(*at) ^ value;
  if (differ != 0) [[unlikely]]
    return indexed_anew(distance);
  if (!(distance > low_ && distance < high_)) [[unlikely]]
    return outside(distance);
  // At most kCells: a difference that is rounded is no more than the range is, if that is rounded.
  const auto cell = static_cast<int>((distance - low_) * cells_per_cm_);
  const Interval* interval = &intervals_[begin_[static_cast<std::size_t>(cell)]];
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

double SlantDepth::indexed_anew(double distance) {
  const double* path = table_.distance - 1;
  const double* depth = table_.depth - 1;
  const std::int32_t first = *table_.first, last = table_.last;
  const auto at = [path](int i) { return Sample{path + i, std::bit_cast<std::uint64_t>(path[i])}; };
  samples_ = {at(first), at((first + last) / 2), at(last)};
  first_ = first, low_ = high_ = path[first];
  if (!(last > first && std::is_sorted(path + first, path + last + 1, std::greater<>())))
    return outside(distance);
  low_ = std::max(path[last], -0x1p-1074);  // none below 0 is looked for; 0 and -0 are
  intervals_.clear();
  for (std::int32_t far = first; far < last; ++far) {
    const std::int32_t near = far + 1;
    const double length = path[far] - path[near];
    // An interval without length holds no distance.
    const double slope = length > 0. ? (depth[far] - depth[near]) / length : 0.;
    intervals_.push_back({path[far], path[near], depth[near], slope});
  }
  const double range = high_ - low_;
  cells_per_cm_ = range > 0. ? kCells / range : 0.;
  std::size_t k = intervals_.size() - 1;
  for (std::size_t cell = 0; cell < begin_.size(); ++cell) {
    // Of the cell's far end, so that all of its distances are in this interval or in later ones.
    const double end = low_ + static_cast<double>(cell + 1) * range / kCells;
    while (k > 0 && intervals_[k].far_distance < end) --k;
    begin_[cell] = static_cast<std::uint32_t>(k);
  }
  return (*this)(distance);
}

}  // namespace cherenkov::corsika
