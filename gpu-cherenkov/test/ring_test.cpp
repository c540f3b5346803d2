// No step is passed over whose light arrives in a footprint, and most of those that miss by far are.
#include "cherenkov/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "random_step.hpp"
#include "targets.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

class Rings : public OneTarget {};

Step::Point point_of(const Step& step, int bunch) {
  Step::Point at = step.before;
  for (int i = 0; i <= bunch; ++i) at = next_point(at, step.between);
  return at;
}

TEST_P(Rings, NoStepIsPassedOverWhoseLightArrives) {
  Random random(41);
  const Atmosphere air(1.27e5);
  long touched = 0, arrived = 0, passed_over = 0;
  for (int round = 0; round < 100000; ++round) {
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
    const Cone cone = cone_of(step, 0.2);

    // Light of one bunch hits a corner of one footprint exactly; the others are anywhere.
    const double k = random.turn() < 0.5 ? 0. : random.uniform(0., 200.);
    const int bunch = static_cast<int>(random.turn() * n);
    const Step::Point at = point_of(step, bunch);
    const double cosine = 1. / (step.beta_n + step.beta_n_slope * at.path);
    const Landing there = landing(step, at, cosine, (1. - cosine) * (1. + cosine), random.turn(), plane, k);
    const double half_width = round % 4 < 2 ? 0. : random.uniform(0., 1000.);
    const bool aimed = round % 2 == 0;
    std::vector<Footprint> footprints;
    const int count = 1 + round % 9;
    footprints.reserve(static_cast<std::size_t>(count));
    for (int f = 0; f < count; ++f)
      footprints.push_back({random.uniform(-1e5, 1e5), random.uniform(-1e5, 1e5), half_width});
    if (aimed)
      footprints.back() = {static_cast<double>(there.x) + random.sign() * half_width,
                           static_cast<double>(there.y) + random.sign() * half_width, half_width};
    // |(u, v)| / w^3 of all light, at most
    const double most_sin = std::min(1., std::hypot(step.u0, step.v0) + cone.most_tan);
    const double least_w = step.w0 * (2. - cone.most_secant) + step.sw * cone.most_tan;
    if (least_w < 0.2) continue;
    const double slack = k * most_sin / (least_w * least_w * least_w);
    const bool near = Footprints(footprints).touched_by(ring_of(step, plane, cone, slack));
    if (aimed) {
      ++arrived;
      ASSERT_TRUE(near) << "round " << round << ", " << n << " bunches in " << length << " cm, from "
                        << height;
    } else {
      ++(near ? touched : passed_over);
    }
  }
  EXPECT_GT(arrived, 40000);
  EXPECT_GT(passed_over, 5 * touched);
}

TEST_P(Rings, NoFootprintIsTouchedByNothingAndNoNumberByAll) {
  Random random(42);
  const Atmosphere air(0.);
  const Step step = aimed_step(air, direction(0.3, 1.), 1e6, 0., 0., 1000., 40, 0.5, 40.);
  const Plane plane{0., 0., 0., 1., 0., 0., 0.};
  const Ring ring = ring_of(step, plane, cone_of(step, 0.2), 1.);
  EXPECT_FALSE(Footprints().touched_by(ring));
  const Footprint far{1e8, 0., 100.};
  EXPECT_FALSE(Footprints({&far, 1}).touched_by(ring));
  Ring odd = ring;
  odd.tan_theta = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(Footprints({&far, 1}).touched_by(odd));
}

INSTANTIATE_TEST_SUITE_P(Compiled, Rings, testing::ValuesIn(targets_here()), target_name);

}  // namespace
