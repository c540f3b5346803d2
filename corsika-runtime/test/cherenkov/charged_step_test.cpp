#include "corsika_runtime/cherenkov/charged_step.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "plain_cerenk.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using cherenkov::corsika::bunches_of;
using cherenkov::corsika::ChargedStep;
using cherenkov::corsika::Emission;
using cherenkov::corsika::LightKind;

bool same_step(const Step& a, const Step& b) {
  const auto same = [](double x, double y) { return bits(x) == bits(y); };
  const auto same_point = [&](const Step::Point& p, const Step::Point& q) {
    return same(p.path, q.path) && same(p.x, q.x) && same(p.y, q.y) && same(p.z, q.z) && same(p.time, q.time);
  };
  return a.bunches == b.bunches && same_point(a.before, b.before) && same_point(a.between, b.between) &&
         same(a.beta_n, b.beta_n) && same(a.beta_n_slope, b.beta_n_slope) &&
         same(a.photons_per_sin2, b.photons_per_sin2) && same(a.cu, b.cu) && same(a.su, b.su) &&
         same(a.u0, b.u0) && same(a.cv, b.cv) && same(a.sv, b.sv) && same(a.v0, b.v0) && same(a.sw, b.sw) &&
         same(a.w0, b.w0);
}

class ChargedSteps : public testing::Test {
 protected:
  ChargedSteps() { shower = random_shower(random, 1.27e5, 0.9); }
  void SetUp() override { package.new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.); }

  Random random{77};
  Package package{1.27e5, 5};
  Shower shower;
  Emission emission{0.1, 400., 5., 0.24, true, index_of, density_of};
};

TEST_F(ChargedSteps, TheBitsOfAPlainCerenk) {
  int linear = 0, one = 0, own = 0, none = 0;
  for (int i = 0; i < 20000; ++i) {
    const ChargedStep c = random_charged_step(random, shower, package, emission.yield, emission.bunch_size);
    emission.tables = i % 3 != 0;
    const PlainCerenk plain = plain_cerenk(c, emission);
    Step step{};
    const LightKind light = bunches_of(c, emission, step);
    if (plain.loop < 0) {
      ASSERT_EQ(light, LightKind::kNone) << i;
      ++none;
    } else if (plain.loop > 1) {
      ASSERT_EQ(light, LightKind::kOther) << i;
      ++own;
    } else {
      ASSERT_EQ(light, LightKind::kLinear) << i;
      ASSERT_TRUE(same_step(step, plain.step)) << i;
      ++(plain.loop == 0 ? one : linear);
    }
  }
  EXPECT_GT(linear, 5000);
  EXPECT_GT(one, 200);
  EXPECT_GT(own, 50);
  EXPECT_GT(none, 200);
}

TEST_F(ChargedSteps, NoLightWhereCerenkReturns) {
  ChargedStep c = random_charged_step(random, shower, package, emission.yield, emission.bunch_size);
  c.begin_energy = c.end_energy = 10.;
  Step step{};
  ASSERT_EQ(bunches_of(c, emission, step), LightKind::kLinear);
  ChargedStep flat = c;
  flat.w = 0.0999;
  EXPECT_EQ(bunches_of(flat, emission, step), LightKind::kNone);
  ChargedStep still = c;
  still.length = 0.;
  EXPECT_EQ(bunches_of(still, emission, step), LightKind::kNone);
  ChargedStep slow = c;
  slow.begin_energy = slow.end_energy = 0.002;
  EXPECT_EQ(bunches_of(slow, emission, step), LightKind::kNone);
}

// What CORSIKA's integers do not hold, what is not a number, and a vertical particle are CORSIKA's.
TEST_F(ChargedSteps, CorsikaDoesTheRest) {
  ChargedStep c = random_charged_step(random, shower, package, emission.yield, emission.bunch_size);
  c.begin_energy = c.end_energy = 10.;
  Step step{};
  Emission tiny = emission;
  tiny.bunch_size = 1e-300;
  EXPECT_EQ(bunches_of(c, tiny, step), LightKind::kOther);
  ChargedStep unphysical = c;
  unphysical.begin_energy = 1e-4;  // below its mass
  EXPECT_EQ(bunches_of(unphysical, emission, step), LightKind::kOther);
  ChargedStep vertical = c;
  vertical.u = 1e-6, vertical.v = 0., vertical.w = 1.;
  EXPECT_EQ(bunches_of(vertical, emission, step), LightKind::kOther);
  unphysical.begin_energy = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(bunches_of(unphysical, emission, step), LightKind::kOther);
}

}  // namespace
