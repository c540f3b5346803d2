// The light of random steps, and spheres that it touches or that are anywhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "cherenkov/spheres.hpp"
#include "random_step.hpp"

namespace cherenkov::test {

inline Step::Point point_of(const Step& step, int bunch) {
  Step::Point at = step.before;
  for (int i = 0; i <= bunch; ++i) at = next_point(at, step.between);
  return at;
}

// A sphere of that radius that the line touches, somewhere around where it is at height z.
inline Sphere touched_by(const Line& line, double z, double radius, Random& random) {
  const double length2 = 1. + line.slope_x * line.slope_x + line.slope_y * line.slope_y;
  // any direction, less what of it goes along the line
  double a[3] = {random.uniform(-1., 1.), random.uniform(-1., 1.), random.uniform(-1., 1.)};
  const double along = (-a[0] * line.slope_x - a[1] * line.slope_y + a[2]) / length2;
  a[0] += along * line.slope_x, a[1] += along * line.slope_y, a[2] -= along;
  const double scale = radius / std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  return {line.x - z * line.slope_x + scale * a[0], line.y - z * line.slope_y + scale * a[1],
          z + scale * a[2], radius};
}

// A step's light, and spheres. is_aimed: light of one bunch, at `azimuth` (over 2 pi), touches the last one.
struct RandomRing {
  Ring ring;
  std::vector<Sphere> spheres;
  double lowest;  // of the step's points of emission, above the detection plane
  bool is_aimed;
  double azimuth;
};

// Every second one is aimed. Empty where light may be too far from the vertical.
inline std::optional<RandomRing> random_ring(Random& random, const Atmosphere& air, int round) {
  const double zenith = random.uniform(0.01, 1.), azimuth = random.uniform(0., 2. * std::numbers::pi);
  Direction to = direction(zenith, azimuth);
  if (round % 3 == 0) to = mean(to, direction(zenith + random.uniform(-0.3, 0.3), azimuth + 0.1));
  const double height = air.observed() + random.logarithmic(1e3, 2e6);
  const double length = std::min(random.logarithmic(1., 3e5), 0.9 * (height - air.observed()) / to.w);
  const int n = 1 + static_cast<int>(random.logarithmic(1., 300.));
  const double turn = random.uniform(-3., 3.);
  const Plane plane{air.observed(), random.uniform(-1e4, 1e4), random.uniform(-1e4, 1e4), std::cos(turn),
                    std::sin(turn), random.uniform(-3e4, 3e4), random.uniform(-3e4, 3e4)};
  Step step = aimed_step(air, to, height, random.uniform(-1e4, 1e4), random.uniform(-1e4, 1e4), length, n,
                         random.uniform(0.01, 1.), 40.);
  // Whatever CORSIKA may make of it: beta n that changes much, and a way that is not along the direction.
  if (round % 4 == 0 && n > 1)
    step.beta_n_slope = random.uniform(-0.9, 0.9) * (step.beta_n - 1.) / ((n + 1) * step.between.path);
  if (round % 5 == 0) step.between.x += random.uniform(-0.1, 0.1) * step.between.path;
  const ConeBounds cone = cone_of(step, 0.2);

  // Light of one bunch touches one sphere exactly; the others are anywhere.
  const double k = random.turn() < 0.5 ? 0. : random.uniform(0., 200.);
  const int bunch = static_cast<int>(random.turn() * n);
  const Step::Point at = point_of(step, bunch);
  const double cosine = 1. / (step.beta_n + step.beta_n_slope * at.path);
  const double around = random.turn();
  const Landing there = landing(step, at, cosine, (1. - cosine) * (1. + cosine), around, plane, k);
  const double lowest =
      std::min(step.before.z + 0.5 * step.between.z, step.before.z + (n + 0.5) * step.between.z) -
      air.observed();
  const double min_height = std::min(step.before.z, point_of(step, n - 1).z) - air.observed();
  const double radius = round % 4 < 2 ? 0. : random.uniform(0., std::min(1e3, 0.3 * min_height));
  const double z = random.turn() < 0.5 ? 0. : random.uniform(0., std::min(3e3, 0.5 * min_height));
  const double tilt = round % 3 == 0 ? 0. : random.uniform(0., 0.05);
  const bool aimed = round % 2 == 0;
  std::vector<Sphere> spheres;
  // Copies of an array, whose spheres are grouped; or anywhere.
  const bool arrays = round % 5 < 3;
  const int count = arrays ? 12 : 1 + round % 9;
  double x = 0., y = 0.;
  for (int f = 0; f < count; ++f) {
    if (!arrays || f % 4 == 0) x = random.uniform(-1e5, 1e5), y = random.uniform(-1e5, 1e5);
    const double spread = arrays ? 1e4 : 0.;
    spheres.push_back({x + random.uniform(-spread, spread), y + random.uniform(-spread, spread), z, radius});
  }
  if (aimed) {
    // The line of that light, turned a little.
    const double q = random.uniform(0., 2. * std::numbers::pi);
    spheres.back() = touched_by({static_cast<double>(there.x), static_cast<double>(there.y),
                                 static_cast<double>(there.slope_x) + tilt * std::cos(q),
                                 static_cast<double>(there.slope_y) + tilt * std::sin(q)},
                                z, radius, random);
  }
  // |(u, v)| / w^3 of all light, at most
  const double max_sin = std::min(1., std::hypot(step.u0, step.v0) + cone.max_tan);
  const double min_w = step.w0 * (2. - cone.max_secant) + step.sw * cone.max_tan;
  if (min_w < 0.2) return std::nullopt;
  const double slack = k * max_sin / (min_w * min_w * min_w);
  if (arrays && aimed)  // its neighbours are those of the sphere that is touched
    for (int f = 8; f < 11; ++f)
      spheres[static_cast<std::size_t>(f)] = {spheres.back().x + random.uniform(-1e4, 1e4),
                                              spheres.back().y + random.uniform(-1e4, 1e4), z, radius};
  return RandomRing{ring_of(step, plane, cone, slack, tilt), std::move(spheres), lowest, aimed, around};
}

}  // namespace cherenkov::test
