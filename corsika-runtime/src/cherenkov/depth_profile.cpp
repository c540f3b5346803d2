// Fills the column of light as CERLDE and LBIN do, operation by operation.

#include "corsika_runtime/cherenkov/event.hpp"

namespace cherenkov::corsika {

// Of a bin: kBinRounding_cm in dense air, in bins of 0.1 g/cm^2.
static constexpr double kDepthRounding = 1e-4;

int DepthProfile::only_bin(const Step::Point& from, const Step::Point& to, int likely) const {
  if (kind == Kind::kSlantSpread) return 0;
  if (kind == Kind::kSlant)
    return only_bin(axis.distance(from.x, from.y, from.z), axis.distance(to.x, to.y, to.z), likely);
  auto [low, high] = std::minmax({from.z, to.z});
  if (!(edge[bins] + kBinRounding_cm <= low)) return 0;
  const double first = depth_of(&high) * bins_per_depth, last = depth_of(&low) * bins_per_depth;
  if (!(first >= 0. && last < bins)) return 0;
  const int bin = static_cast<int>(first);
  return first - bin < kDepthRounding || bin + 1 - last < kDepthRounding ? 0 : bin + 1;
}

int DepthProfile::only_bin(double from, double to, int likely) const {
  const double low = std::min(from, to) - kBinRounding_cm;
  const double high = std::max(from, to) + kBinRounding_cm;
  int bin = likely;
  if (!(likely >= 1 && likely <= bins && edge[likely - 1] <= low && low < edge[likely]))
    bin = static_cast<int>(std::upper_bound(edge, edge + bins + 1, low) - edge);
  if (bin < 1 || bin > bins || !(edge[bin] > high) || !(edge[bin - 1] <= low)) return 0;
  return bin;
}

int DepthProfile::bin_of(double distance) const {
  // CORSIKA looks at one bin after the other; in edges that are in order that is a search. What is in none is
  // in the last, wherever that ends.
  const int last = std::min(bins + 1, max_bins - 2), searched = std::min(bins, last);
  const int bin = static_cast<int>(std::upper_bound(edge + 1, edge + searched + 1, distance) - edge);
  if (bin > searched) return last;
  return edge[bin - 1] <= distance ? bin : 0;
}

void DepthProfile::add(const Step::Point& at, const Step::Point& half, double light,
                       double (*thickness)(double*)) const {
  if (kind == Kind::kHeight) return add_by_height(at, half, light);
  double old_distance = axis.distance(at.x - half.x, at.y - half.y, at.z - half.z);
  if (!(edge[bins] > old_distance)) return;
  double new_distance = axis.distance(at.x + half.x, at.y + half.y, at.z + half.z);
  const int first = bin_of(old_distance);
  const int last = std::min(bin_of(new_distance) - 1, bins + 1);
  if (kind == Kind::kSlant && first == last + 1 && first <= bins) {
    photons[first] += light;
    return;
  }
  const double old_depth = thickness(&old_distance);
  const double new_depth = thickness(&new_distance);
  spread(first, last, old_depth, new_depth, light);
}

double DepthProfile::curved_distance(double x, double y, double z, double radius) const {
  const double cosine = std::cos(std::sqrt(x * x + y * y) / radius);
  const double apparent = (radius + z) * cosine - radius;
  if (cosine == 1.) return axis.distance(x, y, apparent);
  const double azimuth = y != 0. || x != 0. ? std::atan2(y, x) : 0.;
  const double away = std::sqrt((1. - cosine) * (1. + cosine)) * (radius + apparent) / cosine;
  return axis.distance(away * std::cos(azimuth), away * std::sin(azimuth), apparent);
}

// The same within 4e-3 cm, without the azimuth's functions. Near to the detector the cosine must have
// CERLDE's bits.
double DepthProfile::near_curved_distance(const Step::Point& at, double radius) const {
  if (const double series = axis.curved_distance(at.x, at.y, at.z, radius); !std::isnan(series))
    return series;
  const double flat = std::sqrt(at.x * at.x + at.y * at.y);
  const double cosine = std::cos(flat / radius);
  const double apparent = (radius + at.z) * cosine - radius;
  // Where CERLDE takes a point as it is.
  if (cosine == 1.) return axis.distance(at.x, at.y, apparent);
  const double scale = std::sqrt((1. - cosine) * (1. + cosine)) * (radius + apparent) / (cosine * flat);
  return axis.distance(scale * at.x, scale * at.y, apparent);
}

int DepthProfile::only_curved_bin(const Step::Point& from, const Step::Point& to, double slack, double radius,
                                  const std::vector<DistanceRange>& ranges) const {
  if (kind == Kind::kHeight) {
    const auto [low, high] = std::minmax({from.z, to.z});
    return only_bin({0., 0., 0., high + slack, 0.}, {0., 0., 0., low - slack, 0.});
  }
  return only_range(ranges.data(), static_cast<int>(ranges.size()), near_curved_distance(from, radius),
                    near_curved_distance(to, radius), slack);
}

std::vector<DistanceRange> DepthProfile::curved_bins(double (*thickness)(double*)) const {
  std::vector<DistanceRange> ranges;
  for (int bin = 1; bin <= bins; ++bin) {
    const double begin = edge[bin - 1], width = edge[bin] - begin;
    DistanceRange& range = ranges.emplace_back(DistanceRange{begin, -HUGE_VAL});
    // edge[] is where the bins end but for rounding, some of it of THCKSI's interpolation.
    for (const double part : {1e-3, 1e-2, 0.1}) {
      const double margin = kBinRounding_cm + part * width;
      double low = begin + margin, high = edge[bin] - margin;
      if (!(low < high)) break;
      const double first = thickness(&low) * bins_per_depth - (bin - 1);
      const double last = thickness(&high) * bins_per_depth - (bin - 1);
      if (!(first >= kDepthRounding && last <= 1. - kDepthRounding && first <= last)) continue;
      range = {low, high};
      break;
    }
  }
  return ranges;
}

void DepthProfile::add_curved(const Step::Point& at, const Step::Point& half, double light, double radius,
                              double (*thickness)(double*)) const {
  if (kind == Kind::kHeight) return add_by_height(at, half, light);
  double old_distance = curved_distance(at.x - half.x, at.y - half.y, at.z - half.z, radius);
  const double old_depth = thickness(&old_distance);
  const int first = std::min(static_cast<int>(old_depth * bins_per_depth + 1.), bins + 1);
  if (!(edge[bins] > old_distance)) return;
  double new_distance = curved_distance(at.x + half.x, at.y + half.y, at.z + half.z, radius);
  const double new_depth = thickness(&new_distance);
  const int last = std::min(static_cast<int>(new_depth * bins_per_depth), bins);
  add_between(first, last, old_depth, new_depth, light);
}

void DepthProfile::add_by_height(const Step::Point& at, const Step::Point& half, double light) const {
  double upper = at.z - half.z;
  if (!(edge[bins] <= upper)) return;
  if (half.z > -200. * bin_depth) {  // short: all where the middle is
    double middle = at.z;
    const int bin = static_cast<int>(depth_of(&middle) * bins_per_depth);
    if (bin < bins) photons[bin + 1] += light;
    return;
  }
  double lower = at.z + half.z;
  const double old_depth = depth_of(&upper);
  const double new_depth = depth_of(&lower);
  const int first = static_cast<int>(old_depth * bins_per_depth + 1.);
  const int last = std::min(static_cast<int>(new_depth * bins_per_depth), bins);
  add_between(first, last, old_depth, new_depth, light);
}

void DepthProfile::add_between(int first, int last, double old_depth, double new_depth, double light) const {
  if (first == last + 1 && first <= bins)
    photons[first] += light;
  else
    spread(first, last, old_depth, new_depth, light);
}

void DepthProfile::spread(int first, int last, double old_depth, double new_depth, double light) const {
  const double in_bins = (new_depth - old_depth) * bins_per_depth;
  const double each = in_bins > 0. ? light / in_bins : 0.;
  const double in_first = each * (static_cast<double>(first) - old_depth * bins_per_depth);
  const double in_last = each * (new_depth * bins_per_depth - static_cast<double>(std::max(first, last)));
  photons[first] += in_first;
  if (last < bins) photons[last + 1] += in_last;
  for (int bin = first; bin < last; ++bin) photons[bin + 1] += each;
}

}  // namespace cherenkov::corsika
