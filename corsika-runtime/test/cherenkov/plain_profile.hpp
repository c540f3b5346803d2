// The longitudinal distribution of light as it is meant, bin by bin, without the stage's short cuts.
#pragma once

#include <algorithm>

#include "corsika_runtime/cherenkov/depth_profile.hpp"

namespace cherenkov::test {

// Bin that holds a point: from its lower edge on, up to below its upper one. 0 before the first, and the last
// one that is looked at (one after those that are kept) for all beyond.
inline int plain_bin(const corsika::DepthProfile& profile, double distance) {
  const int last = std::min(profile.bins + 1, profile.max_bins - 2);
  if (distance >= profile.edge[last]) return last;
  for (int bin = 1; bin <= last; ++bin)
    if (profile.edge[bin - 1] <= distance && distance < profile.edge[bin]) return bin;
  return 0;
}

// Light of a bunch, from half a spacing before `at` to half a spacing after: all to one bin, or flat in
// depth.
inline void plain_add(const corsika::DepthProfile& profile, const Step::Point& at, const Step::Point& between,
                      double light, double (*thickness)(double*)) {
  const double hx = 0.5 * between.x, hy = 0.5 * between.y, hz = 0.5 * between.z;
  const auto along = [&](double x, double y, double z) {
    return x * profile.along_x + y * profile.along_y - z * profile.along_z + profile.start;
  };
  double begin = along(at.x - hx, at.y - hy, at.z - hz);
  if (begin >= profile.edge[profile.bins]) return;
  double end = along(at.x + hx, at.y + hy, at.z + hz);
  const double begin_depth = thickness(&begin), end_depth = thickness(&end);
  const int first = plain_bin(profile, begin);
  const int before_last = std::min(plain_bin(profile, end) - 1, profile.bins + 1);
  const bool short_cut = profile.kind == corsika::DepthProfile::Kind::kSlant;
  if (short_cut && first == before_last + 1 && first <= profile.bins) {
    profile.photons[first] += light;
    return;
  }
  const double bins = (end_depth - begin_depth) * profile.bins_per_depth;
  const double a_bin = bins > 0. ? light / bins : 0.;
  const double part_of_first = a_bin * (static_cast<double>(first) - begin_depth * profile.bins_per_depth);
  const int full_to = before_last >= first ? before_last : first;
  const double part_of_last = a_bin * (end_depth * profile.bins_per_depth - static_cast<double>(full_to));
  profile.photons[first] += part_of_first;
  if (before_last < profile.bins) profile.photons[before_last + 1] += part_of_last;
  for (int bin = first + 1; bin <= before_last; ++bin) profile.photons[bin] += a_bin;
}

// The same along vertical depth: a short bunch all to the bin of its middle, a long one as above.
inline void plain_add_by_height(const corsika::DepthProfile& profile, const Step::Point& at,
                                const Step::Point& between, double light, double (*depth)(double*)) {
  const double half = 0.5 * between.z;
  double upper = at.z - half, middle = at.z, lower = at.z + half;
  if (profile.edge[profile.bins] > upper) return;
  if (half > -200. * profile.bin_depth) {
    const int bin = static_cast<int>(depth(&middle) * profile.bins_per_depth);
    if (bin < profile.bins) profile.photons[bin + 1] += light;
    return;
  }
  const double begin = depth(&upper), end = depth(&lower);
  const int first = static_cast<int>(begin * profile.bins_per_depth + 1.);
  const int last = std::min(static_cast<int>(end * profile.bins_per_depth), profile.bins);
  if (first == last + 1 && first <= profile.bins) {
    profile.photons[first] += light;
    return;
  }
  const double bins = (end - begin) * profile.bins_per_depth;
  const double a_bin = bins > 0. ? light / bins : 0.;
  profile.photons[first] += a_bin * (static_cast<double>(first) - begin * profile.bins_per_depth);
  if (last < profile.bins)
    profile.photons[last + 1] +=
        a_bin * (end * profile.bins_per_depth - static_cast<double>(last >= first ? last : first));
  for (int bin = first + 1; bin <= last; ++bin) profile.photons[bin] += a_bin;
}

}  // namespace cherenkov::test
