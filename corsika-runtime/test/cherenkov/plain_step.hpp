// CERENK's loop over the bunches of a step, written plainly from what it does.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "package.hpp"
#include "plain_profile.hpp"

namespace cherenkov::test {

// When light that goes straight arrives, ns: by its delay in the air below `at`, whose depth is taken along
// the step where that has more than three bunches.
inline double plain_arrival(const corsika::UnrefractedTiming& air, int bunches, const Step::Point& at,
                            double w, double way) {
  const auto depth_of = [&](double height) { return air.depth_of(&height); };
  double depth = depth_of(at.z);
  if (bunches > 3) {
    const double first = std::max(1e-3, depth_of(air.begin));
    const double per_length = std::log(depth_of(air.end) / first) / air.length;
    depth = first * std::exp(per_length * at.path);
  }
  const double delay = air.index_per_density * (air.depth_at_plane - depth) / w;
  return (at.time + (delay + way) / air.light_speed) * 1e9;
}

// CORSIKA's loop over a step's bunches, one after the other; with a stage that is asked for each before
// RAYBND.
// `beta_n_at`, where there is one, says beta n instead of the step.
inline void plain_step(const Step& step, const corsika::ObservationContext& context, Package& package,
                       corsika::Stage* asked = nullptr,
                       const std::function<double(const Step::Point&)>& beta_n_at = {}) {
  constexpr int kChunk = 100;  // azimuths drawn at a time, as CERENK does; no chunk of recorded steps
  double numbers[kChunk];
  int left = step.bunches, used = 0;
  package.draw(numbers, std::min(left, kChunk));
  Step::Point at = step.before;
  for (int i = 0; i < step.bunches; ++i) {
    at = next_point(at, step.between);
    double beta_n = step.beta_n_slope != 0. ? step.beta_n + step.beta_n_slope * at.path : step.beta_n;
    if (beta_n_at) beta_n = beta_n_at(at);
    const double cos_theta = 1. / beta_n;
    const double sin2_theta = (1. - cos_theta) * (1. + cos_theta);
    if (cos_theta > 1. || sin2_theta <= 0.) {
      --left;
      continue;
    }
    const double photons = step.photons_per_sin2 * sin2_theta;
    if (++used > kChunk) {  // the first draw is not taken off what is left
      if (left > kChunk) {
        package.draw(numbers, kChunk);
        left -= kChunk;
      } else {
        package.draw(numbers, left);
        left = 0;
      }
      used = 1;
    }
    const double phi = numbers[used - 1] * context.two_pi;
    const double sin_theta = std::sqrt(sin2_theta);
    const double a = sin_theta * std::cos(phi), b = sin_theta * std::sin(phi);
    const double u2 = step.cu * a + step.su * b + step.u0 * cos_theta;
    const double v2 = step.cv * a + step.sv * b + step.v0 * cos_theta;
    double w = step.sw * b + step.w0 * cos_theta;
    if (w < context.cut_w) continue;
    w = std::min(1., w);
    const Plane& plane = context.plane;
    const double way = (at.z - plane.height) / w;
    const double x2 = at.x + way * u2 - plane.x0, y2 = at.y + way * v2 - plane.y0;
    if (context.fill_profile)
      plain_add(context.profile, at, step.between, photons, [](double* d) { return Package::thickness(*d); });
    double x = x2 * plane.cos_turn + y2 * plane.sin_turn, y = y2 * plane.cos_turn - x2 * plane.sin_turn;
    double u = u2 * plane.cos_turn + v2 * plane.sin_turn, v = v2 * plane.cos_turn - u2 * plane.sin_turn;
    double time = at.time * 1e9;
    if (asked != nullptr) {
      const corsika::Bunch bunch{photons, x, y, u, v, w, at.z, time};
      if (asked->can_skip(bunch, plane.height)) {
        asked->skip(photons);
        continue;
      }
    }
    const Package::Watch* watch = package.watch;
    if (watch != nullptr && watch->leaves) watch->leaves({photons, 1., x, y, u, v, time, at.z, w});
    if (context.straight)
      time = plain_arrival(*context.straight, step.bunches, at, w, way);
    else if (watch != nullptr && watch->refracts)
      watch->refracts(at.z, u, v, w, x, y, time);
    else
      package.refract(at.z, u, v, w, x, y, time);
    const Hit arrived{photons, 1., x, y, u, v, time, at.z, 0.};
    if (watch != nullptr && watch->arrives)
      watch->arrives(arrived);
    else
      package.collect(arrived);
  }
}

}  // namespace cherenkov::test
