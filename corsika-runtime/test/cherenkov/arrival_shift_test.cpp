// The bound of a step's refraction against rays of its light.
#include "arrival_shift.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "package.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::ArrivalShift;
using corsika::StepRefraction;

constexpr double kObserved = 1.27e5, kTop = 1.128e7;  // cm

RefractionModel measured(const Atmosphere& air) {
  return RefractionModel::measured(
      kObserved, kTop, [&](double height, double u, double /*w*/) { return air.arrival(height, u); });
}

// Every ray that leaves between two heights, no flatter than the least w, arrives within the error of where
// choose() looks: also of directions shorter than 1, whose light is refracted by u and v alone.
TEST(ArrivalShift, HoldsForAllLightOfAStep) {
  Random random(61);
  const Atmosphere air(kObserved);
  const RefractionModel model = measured(air);
  for (int round = 0; round < 2000; ++round) {
    const double min_w = random.uniform(0.25, 1.), low = kObserved + random.logarithmic(1e2, 5e6),
                 high = low + random.logarithmic(1e2, 5e5);
    const double short_of_unit = round % 3 == 0 ? 0. : random.logarithmic(1e-9, 1e-3);
    const ConeBounds cone{min_w, 0.01, 0.02, 1.0003, short_of_unit};
    const double max_sin = std::min(1., std::sqrt(1. - min_w * min_w) + 1e-9);
    const ArrivalShift shift = StepRefraction(model, cone, 1. / min_w, max_sin).between(low, high);
    for (int ray = 0; ray < 20; ++ray) {
      const double height = random.uniform(low, high), w = random.uniform(min_w, 1.);
      // of a direction (u, 0, w) whose squared length is 1 - short_of_unit, or more
      const double u = std::sqrt(std::max(0., 1. - random.uniform(0., 1.) * short_of_unit - w * w));
      const double error = std::fabs(air.shift(height, u) + shift.refraction_k * u / (w * w * w));
      ASSERT_LE(error, shift.error + 1e-3) << "w " << w << " of " << min_w << " at " << height;
    }
  }
}

TEST(ArrivalShift, NoneWhereLightGoesStraight) {
  const RefractionModel none = RefractionModel::none(kObserved, kTop);
  const StepRefraction straight(none, {0.5, 0.01, 0.02, 1.0003, 0.}, 2., 0.9);
  EXPECT_EQ(straight.between(2e5, 9e5).refraction_k, 0.);
  EXPECT_EQ(straight.between(2e5, 9e5).error, 0.);
}

// Slopes change by refraction no more than the tilt.
TEST(ArrivalShift, TiltHoldsForAllLightOfAStep) {
  Random random(62);
  const Atmosphere air(kObserved);
  const RefractionModel model = measured(air);
  for (int round = 0; round < 2000; ++round) {
    const double min_w = random.uniform(0.25, 1.);
    const double max_sin = std::sqrt(1. - min_w * min_w);
    const StepRefraction refraction(model, {min_w, 0.01, 0.02, 1.0003, 0.}, 1. / min_w, max_sin);
    const double u = max_sin * random.turn(), w = std::sqrt(1. - u * u);
    const double arrived = Atmosphere(kObserved).arriving(random.uniform(kObserved, 5e6), u);
    ASSERT_LE(std::fabs(arrived / std::sqrt(1. - arrived * arrived) - u / w), refraction.tilt());
  }
}

TEST(Rounding, GrowsWithLengthsAndBunches) {
  Step step{};
  step.bunches = 100;
  step.before.z = 1e6;
  step.between.z = -10.;
  const Plane plane{1e5, 0., 0., 1., 0., 0., 0.};
  const double one = rounding(step, plane, 1.);
  EXPECT_NEAR(one, 264. * 0x1p-53 * (1e6 + 1000. + 1e5), 1e-15);
  EXPECT_EQ(rounding(step, plane, 2.), 4. * one);
  step.before.x = 1e14;
  EXPECT_GT(rounding(step, plane, 1.), 1.);
}

}  // namespace
