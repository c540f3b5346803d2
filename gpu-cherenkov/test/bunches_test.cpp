// What bunches carry, for every instruction set that this machine can run: the same bits as the scalar
// formulas.
#include "cherenkov/bunches.hpp"

#include "targets.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

class Lanes : public OneTarget {};

TEST_P(Lanes, YieldsHaveTheBitsOfTheRunningSum) {
  Random random(27);
  const Atmosphere air(1.27e5);
  PaddedYields light;
  int different = 0;
  for (int round = 0; round < 20000 / kShare; ++round) {
    const int n = std::min(kMaxBunches, 1 + static_cast<int>(random.logarithmic(1., 100.)));
    Step step = aimed_step(air, any_direction(random, 1.3), random.uniform(1.5e5, 4e6), 0., 0.,
                           random.logarithmic(1., 1e5), n, random.turn(), 40.);
    if (round % 5 == 0) step.beta_n_slope = 0.;
    // so steep that the path's last bits do show
    if (round % 3 == 1)
      step.beta_n = 1.5, step.beta_n_slope = random.uniform(-0.4, 0.4) / (step.between.path * n);
    // as in water; and of a size where a fused multiply-add would round otherwise
    if (round % 11 == 0) step.beta_n = 1.33, step.beta_n_slope = random.uniform(-1e-9, 1e-9);
    if (round % 7 == 0) step.before.path = random.uniform(-1e4, 1e4);
    for (double& photons : light.photons) photons = -1.;
    set_yields(step, n, light);
    double path = step.before.path;
    bool same = true;
    for (int i = 0; i < n; ++i) {
      const PlainLight exact = plain_light(step, path += step.between.path);
      ASSERT_EQ(bits(exact.cosine), bits(light.cos_theta[i])) << "bunch " << i;
      ASSERT_EQ(bits(exact.sine2), bits(light.sin2_theta[i]));
      ASSERT_EQ(bits(exact.photons), bits(light.photons[i]));
      const double product = step.before.path + (i + 1) * step.between.path;
      same = same && step.beta_n + step.beta_n_slope * product == step.beta_n + step.beta_n_slope * path;
    }
    for (int i = n + 7; i < kPaddedBunches; ++i) ASSERT_EQ(light.photons[i], -1.) << "behind " << n;
    different += same ? 0 : 1;
  }
  EXPECT_GT(different, 1000 / kShare);  // products would have other bits
}

// A sum, and the photons of the n bunches of a step, one after the other.
double added_one_by_one(double sum, const YieldAlongStep& line, int n) {
  double path = line.path_before;
  for (int i = 0; i < n; ++i) {
    path += line.path_between;
    const double cosine = 1. / (line.beta_n + line.beta_n_slope * path);
    sum += line.photons_per_sin2 * ((1. - cosine) * (1. + cosine)) * line.weight;
  }
  return sum;
}

// Both sums have the bits of adding bunch by bunch, or stay as they were; and mostly they are added.
TEST_P(Lanes, TryAddPhotonsHasTheBitsOfOneBunchAfterTheOther) {
  Random random(29);
  const Atmosphere air(1.27e5);
  int added = 0, refused = 0;
  for (int round = 0; round < 50000 / kShare; ++round) {
    const int n =
        1 + static_cast<int>(random.logarithmic(round % 4 == 0 ? 64. : 1., round % 50 == 0 ? 3000. : 100.));
    const Step step =
        aimed_step(air, any_direction(random, 1.3), random.uniform(1.5e5, 4e6), 0., 0.,
                   random.logarithmic(1., 1e5), n, random.uniform(0.01, 1.), random.logarithmic(1e-3, 1e3));
    YieldAlongStep line{step.beta_n, step.beta_n_slope, step.photons_per_sin2,
                        step.weight, step.before.path,  step.between.path};
    if (round % 5 == 0) line.beta_n_slope = 0.;
    const bool steep = round % 3 == 1;
    if (steep) line.beta_n = 1.5, line.beta_n_slope = random.uniform(-0.4, 0.4) / (step.between.path * n);
    // so that rounding shows in the sum of products
    const double above = random.logarithmic(1e-6, 1e-1);
    if (round % 4 == 0)
      line.beta_n = 1. + above, line.beta_n_slope = -above * random.turn() / (n * line.path_between);
    // Below threshold light is negative, and leads a sum down across a power of two, where its ulp is finer.
    const bool below = round % 9 == 2;
    double start = round % 100 == 0 ? 0. : random.logarithmic(1e-2, 1e9);
    if (below) line.beta_n = 1. - above, line.beta_n_slope = 0., start = 0x1p10 * (1. + above * above);
    const double other_start = random.logarithmic(1e-2, 1e9);
    const double sum = added_one_by_one(start, line, n), other = added_one_by_one(other_start, line, n);
    double alone = start, found = start, other_found = other_start;
    const bool one = try_add_photons(line, n, alone), two = try_add_photons(line, n, found, &other_found);
    ASSERT_TRUE(one || !two);
    ASSERT_EQ(bits(alone), bits(one ? sum : start)) << n << " bunches from " << start;
    ASSERT_EQ(bits(found), bits(two ? sum : start)) << n << " bunches from " << start;
    ASSERT_EQ(bits(other_found), bits(two ? other : other_start)) << n << " bunches from " << other_start;
    if (!steep && !below) ++(two ? added : refused);
  }
  EXPECT_GT(added, refused);
  EXPECT_GT(refused, 100 / kShare);
}

INSTANTIATE_TEST_SUITE_P(Compiled, Lanes, testing::ValuesIn(targets_here()), target_name);

TEST(Targets, TheBestOneIsUsedUnlessToldOtherwise) {
  const auto targets = targets_here();
  ASSERT_FALSE(targets.empty());
  use(0);
  EXPECT_EQ(hwy::SupportedTargets() & HWY_TARGETS & -(hwy::SupportedTargets() & HWY_TARGETS),
            targets.front().bit);
}

}  // namespace
