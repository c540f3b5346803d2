// What bunches carry, for every instruction set that this machine can run: the same bits as the scalar
// formulas.
#include "cherenkov/bunches.hpp"

#include "targets.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

class Lanes : public OneTarget {};

// Where it says that the path does not matter, the bits are those along the running sum; and mostly it says
// so.
TEST_P(Lanes, TryEmitHasTheBitsOfTheRunningSumOrSaysNo) {
  Random random(27);
  const Atmosphere air(1.27e5);
  PaddedYields light;
  double path[kMaxBunches];
  int emitted = 0, refused = 0, different = 0;
  for (int round = 0; round < 20000 / kShare; ++round) {
    const int n = 1 + static_cast<int>(random.logarithmic(1., 100.));
    const int first = round % 4 == 0 ? kMaxBunches * static_cast<int>(random.uniform(0., 30.)) : 0;
    const int all = std::min(n, kMaxBunches);
    Step step = aimed_step(air, any_direction(random, 1.3), random.uniform(1.5e5, 4e6), 0., 0.,
                           random.logarithmic(1., 1e5), first + all, random.turn(), 40.);
    if (round % 5 == 0) step.beta_n_slope = 0.;
    // so steep that the path's last bits do show
    const bool steep = round % 3 == 1;
    if (steep) step.beta_n_slope = random.uniform(-0.4, 0.4) / (step.between.path * (first + all));
    if (steep) step.beta_n = 1.5;
    // as in water; and of a size where a fused multiply-add would round otherwise
    if (round % 11 == 0) step.beta_n = 1.33, step.beta_n_slope = random.uniform(-1e-9, 1e-9);
    if (round % 7 == 0) step.before.path = random.uniform(-1e4, 1e4);
    double at = step.before.path;
    for (int i = 0; i < first; ++i) at += step.between.path;
    for (int i = 0; i < all; ++i) path[i] = at += step.between.path;
    for (double& photons : light.photons) photons = -1.;
    const bool done = try_emit(step, first, all, light);
    if (!steep) ++(done ? emitted : refused);
    bool same = true;
    for (int i = 0; i < all && done; ++i) {
      const PlainLight exact = plain_light(step, path[i]);
      ASSERT_EQ(bits(exact.cosine), bits(light.cos_theta[i])) << "bunch " << i << " from " << first;
      ASSERT_EQ(bits(exact.sine2), bits(light.sin2_theta[i]));
      ASSERT_EQ(bits(exact.photons), bits(light.photons[i]));
    }
    for (int i = all + 7; i < kPaddedBunches; ++i) ASSERT_EQ(light.photons[i], -1.) << "behind " << all;
    // What a product alone would have made of it: the check is needed.
    for (int i = 0; i < all; ++i) {
      const double product = step.before.path + (first + i + 1) * step.between.path;
      same = same && step.beta_n + step.beta_n_slope * product == step.beta_n + step.beta_n_slope * path[i];
    }
    if (!same) {
      ++different;
      ASSERT_FALSE(done);
    }
  }
  EXPECT_GT(emitted, 8 * refused);
  EXPECT_GT(refused, 0);
  EXPECT_GT(different, 1000 / kShare);
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
    const int n = 1 + static_cast<int>(random.logarithmic(1., round % 50 == 0 ? 3000. : 100.));
    const Step step =
        aimed_step(air, any_direction(random, 1.3), random.uniform(1.5e5, 4e6), 0., 0.,
                   random.logarithmic(1., 1e5), n, random.uniform(0.01, 1.), random.logarithmic(1e-3, 1e3));
    YieldAlongStep line{step.beta_n, step.beta_n_slope, step.photons_per_sin2,
                        step.weight, step.before.path,  step.between.path};
    if (round % 5 == 0) line.beta_n_slope = 0.;
    const bool steep = round % 3 == 1;
    if (steep) line.beta_n = 1.5, line.beta_n_slope = random.uniform(-0.4, 0.4) / (step.between.path * n);
    const double start = round % 100 == 0 ? 0. : random.logarithmic(1e-2, 1e9);
    const double other_start = random.logarithmic(1e-2, 1e9);
    const double sum = added_one_by_one(start, line, n), other = added_one_by_one(other_start, line, n);
    double alone = start, found = start, other_found = other_start;
    const bool one = try_add_photons(line, n, alone), two = try_add_photons(line, n, found, &other_found);
    ASSERT_TRUE(one || !two);
    ASSERT_EQ(bits(alone), bits(one ? sum : start)) << n << " bunches from " << start;
    ASSERT_EQ(bits(found), bits(two ? sum : start)) << n << " bunches from " << start;
    ASSERT_EQ(bits(other_found), bits(two ? other : other_start)) << n << " bunches from " << other_start;
    if (!steep) ++(two ? added : refused);
  }
  EXPECT_GT(added, refused);
  EXPECT_GT(refused, 100 / kShare);
}

TEST_P(Lanes, TryEmitRefusesWhatIsNoNumber) {
  PaddedYields light;
  Step step{};
  step.between.path = 1.;
  step.beta_n = 1.0003;
  EXPECT_TRUE(try_emit(step, 0, 5, light));
  step.beta_n_slope = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(try_emit(step, 0, 5, light));
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
