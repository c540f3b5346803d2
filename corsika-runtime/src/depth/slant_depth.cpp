// Compiled with -ffp-contract=off: the interpolation has CORSIKA's bits.
#include "corsika_runtime/depth/slant_depth.hpp"

#include <algorithm>

namespace corsika {

double SlantDepth::operator()(double distance) {
  const double* path = table_.distance - 1;  // Fortran's indices
  const double* depth = table_.depth - 1;
  const std::int32_t first = *table_.first;
  const std::int32_t last = table_.last;
  if (distance < 0.) return 1.5 * depth[last];
  if (distance >= path[first]) return depth[first];
  if (!(distance < path[first])) return distance;  // not a number

  // As CORSIKA's bisection of [first, last], which ends with the last two entries where the distance is below
  // both.
  const double cell = std::clamp((distance - low_) * cells_per_cm_, 0., static_cast<double>(kCells));
  std::int32_t k = std::clamp(begin_[static_cast<std::size_t>(cell)], first, last - 1);
  const std::int32_t begin = k;
  // A cell holds few entries: mostly these two comparisons, which are not mispredicted, end the search.
  k += k < last - 1 && path[k + 1] >= distance ? 1 : 0;
  k += k < last - 1 && path[k + 1] >= distance ? 1 : 0;
  while (k > first && path[k] < distance) --k;
  while (k < last - 1 && path[k + 1] >= distance) ++k;
  if ((k < begin - kFarWalk || k > begin + kFarWalk) && indexed_ != sample()) make_index();
  const double slope = (depth[k] - depth[k + 1]) / (path[k] - path[k + 1]);
  return depth[k + 1] + slope * (distance - path[k + 1]);
}

SlantDepth::Sample SlantDepth::sample() const {
  const double* path = table_.distance - 1;
  const std::int32_t first = *table_.first;
  return {first, path[first], path[(first + table_.last) / 2], path[table_.last]};
}

void SlantDepth::make_index() {
  const double* path = table_.distance - 1;
  indexed_ = sample();
  low_ = indexed_.low;
  const double range = indexed_.high - indexed_.low;
  cells_per_cm_ = range > 0. ? kCells / range : 0.;
  std::int32_t k = table_.last - 1;
  for (int cell = 0; cell <= kCells; ++cell) {
    // Of the cell's far end, so that all of its distances are at this entry or behind.
    const double end = low_ + (cell + 1) * range / kCells;
    while (k > indexed_.first && path[k] < end) --k;
    begin_[static_cast<std::size_t>(cell)] = k;
  }
}

}  // namespace corsika
