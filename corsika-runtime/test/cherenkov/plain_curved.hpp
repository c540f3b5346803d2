// CERENK's loop over the bunches of a step with option CURVED, written plainly from what it does.
#pragma once

#include <algorithm>
#include <cmath>

#include "package.hpp"

namespace cherenkov::test {

// CERLDE of option CURVED, for light from half a spacing before a bunch to half a spacing behind.
// earth_radius: C(1), cm.
inline void plain_curved_add(const corsika::DepthProfile& profile, const Step::Point& at,
                             const Step::Point& half, double light, double earth_radius) {
  const auto along = [&](double x, double y, double z) {
    const double cosine = std::cos(std::sqrt(x * x + y * y) / earth_radius);
    const double apparent = (earth_radius + z) * cosine - earth_radius;
    if (cosine != 1.) {
      const double azimuth = x != 0. || y != 0. ? std::atan2(y, x) : 0.;
      const double away = std::sqrt((1. - cosine) * (1. + cosine)) * (earth_radius + apparent) / cosine;
      x = away * std::cos(azimuth);
      y = away * std::sin(azimuth);
    }
    return x * profile.along_x + y * profile.along_y - apparent * profile.along_z + profile.start;
  };
  const double begin = along(at.x - half.x, at.y - half.y, at.z - half.z);
  if (!(profile.edge[profile.bins] > begin)) return;
  const double end = along(at.x + half.x, at.y + half.y, at.z + half.z);
  const double from = Package::thickness(begin) * profile.bins_per_depth;
  const double to = Package::thickness(end) * profile.bins_per_depth;
  const int first = std::min(static_cast<int>(from + 1.), profile.bins + 1);
  const int last = std::min(static_cast<int>(to), profile.bins);
  if (first == last + 1 && first <= profile.bins) {
    profile.photons[first] += light;
    return;
  }
  const double bins = (Package::thickness(end) - Package::thickness(begin)) * profile.bins_per_depth;
  const double each = bins > 0. ? light / bins : 0.;
  const double in_first = each * (static_cast<double>(first) - from);
  const double in_last = each * (to - static_cast<double>(std::max(first, last)));
  profile.photons[first] += in_first;
  if (last < profile.bins) profile.photons[last + 1] += in_last;
  for (int bin = first; bin < last; ++bin) profile.photons[bin + 1] += each;
}

// CERENK's loop over the bunches of a step. light, emission: what it takes distances, times and refractive
// indices from.
inline void plain_curved_step(const CurvedLoop& loop, const corsika::CurvedLight& light,
                              const corsika::Emission& emission, const corsika::ObservationContext& context,
                              Package& package) {
  constexpr int kChunk = 100;
  const Step& step = loop.step;
  const Plane& plane = context.plane;
  double numbers[kChunk];
  int left = step.bunches, used = 0;
  package.draw(numbers, std::min(left, kChunk));
  Step::Point at = step.before;
  double apparent = loop.apparent_before;
  for (int i = 0; i < step.bunches; ++i) {
    at = next_point(at, step.between);
    apparent += loop.apparent_between;
    if (loop.stops_at_plane && apparent <= plane.height) return;
    const double ratio = loop.mass / (loop.energy + loop.energy_slope * at.path);
    const double cos_theta = 1. / (std::sqrt((1. - ratio) * (1. + ratio)) * refractive_index(emission, at.z));
    const double sin2_theta = (1. - cos_theta) * (1. + cos_theta);
    if (cos_theta > 1. || sin2_theta <= 0.) {
      --left;
      continue;
    }
    if (++used > kChunk) {
      const int count = left > kChunk ? kChunk : left;
      package.draw(numbers, count);
      left = left > kChunk ? left - kChunk : 0;
      used = 1;
    }
    const double phi = numbers[used - 1] * context.two_pi, sin_theta = std::sqrt(sin2_theta);
    const double a = sin_theta * std::cos(phi), b = sin_theta * std::sin(phi);
    const double u = step.cu * a + step.su * b + step.u0 * cos_theta;
    const double v = step.cv * a + step.sv * b + step.v0 * cos_theta;
    double w = step.sw * b + step.w0 * cos_theta;
    if (w < context.cut_w) continue;
    w = std::min(1., w);
    double height = loop.stops_at_plane ? apparent : at.z;
    const double across = std::sqrt(u * u + v * v), away = light.distance(&w, &height);
    const double x = across > 0. ? at.x + away / across * u : at.x;
    const double y = across > 0. ? at.y + away / across * v : at.y;
    const double photons = step.photons_per_sin2 * sin2_theta;
    if (context.fill_profile)
      plain_curved_add(context.profile, {0., at.x, at.y, height, 0.},
                       {0., 0.5 * step.between.x, 0.5 * step.between.y, loop.half_z, 0.}, photons,
                       light.earth_radius);
    package.collect({photons, 1., x * plane.cos_turn + y * plane.sin_turn,
                     y * plane.cos_turn - x * plane.sin_turn, u * plane.cos_turn + v * plane.sin_turn,
                     v * plane.cos_turn - u * plane.sin_turn, at.time * 1e9 + light.time(&w, &height), height,
                     0.});
  }
}

}  // namespace cherenkov::test
