#include "depth_profile.hpp"

#include <algorithm>

namespace cherenkov::corsika {
namespace {

// Emission points are sums of up to some thousand terms of 1e8 cm at most: good to 1e-4 cm.
constexpr double kRounding = 1e-2;

}  // namespace

int DepthProfile::only_bin(const Step::Point& from, const Step::Point& to) const {
  const double one = distance(from.x, from.y, from.z);
  const double other = distance(to.x, to.y, to.z);
  const double low = std::min(one, other) - kRounding;
  const double high = std::max(one, other) + kRounding;
  const double* end = edge + bins + 1;
  const int bin = static_cast<int>(std::upper_bound(edge, end, low) - edge);
  if (bin < 1 || bin > bins || !(edge[bin] > high) || !(edge[bin - 1] <= low)) return 0;
  return bin;
}

int DepthProfile::bin_of(double distance, int from) const {
  const int last = std::min(bins + 1, most_bins - 2);
  for (int start = std::max(from, 1);;) {
    if (start <= 0) return 0;
    int bin = start;
    while (bin <= last && !(edge[bin] > distance)) ++bin;
    if (bin > last) return last;
    if (edge[bin - 1] <= distance) return bin;
    --start;
  }
}

void DepthProfile::add(const Step::Point& at, const Step::Point& half, double light,
                       double (*thickness)(double*)) const {
  double old_distance = distance(at.x - half.x, at.y - half.y, at.z - half.z);
  if (!(edge[bins] > old_distance)) return;
  double new_distance = distance(at.x + half.x, at.y + half.y, at.z + half.z);
  const int first = bin_of(old_distance, 1);
  const int last = std::min(bin_of(new_distance, first) - 1, bins + 1);
  if (first == last + 1 && first <= bins) {
    photons[first] += light;
    return;
  }
  const double old_depth = thickness(&old_distance);
  const double new_depth = thickness(&new_distance);
  const double in_bins = (new_depth - old_depth) * bins_per_depth;
  const double each = in_bins > 0. ? light / in_bins : 0.;
  const double in_first = each * (static_cast<double>(first) - old_depth * bins_per_depth);
  const double in_last = each * (new_depth * bins_per_depth - static_cast<double>(std::max(first, last)));
  photons[first] += in_first;
  if (last < bins) photons[last + 1] += in_last;
  for (int bin = first; bin < last; ++bin) photons[bin + 1] += each;
}

}  // namespace cherenkov::corsika
