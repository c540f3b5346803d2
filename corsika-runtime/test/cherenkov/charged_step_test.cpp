#include "corsika_runtime/cherenkov/charged_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>

#include "corsika_runtime/cherenkov/step_plan.hpp"
#include "plain_step.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using cherenkov::corsika::ChargedStep;
using cherenkov::corsika::Emission;
using cherenkov::corsika::light_of;

bool same_step(const Step& a, const Step& b) {
  constexpr std::size_t kNumbers = offsetof(Step, before);  // all that follows are doubles
  return a.bunches == b.bunches && std::memcmp(&a.before, &b.before, sizeof(Step) - kNumbers) == 0;
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
    const LightKind light = light_of(c, emission, step);
    if (plain.loop < 0) {
      ASSERT_EQ(light, LightKind::kNone) << i;
      ++none;
    } else if (plain.loop > 1) {
      ASSERT_EQ(light, LightKind::kOther) << i;
      ++own;
    } else {
      ASSERT_EQ(light, LightKind::kWhole) << i;
      ASSERT_TRUE(same_step(step, plain.step)) << i;
      ++(plain.loop == 0 ? one : linear);
    }
  }
  EXPECT_GT(linear, 5000);
  EXPECT_GT(one, 200);
  EXPECT_GT(own, 50);
  EXPECT_GT(none, 200);
}

// Where CERENK returns there is no light. What CORSIKA's integers do not hold, what is not a number, and a
// vertical particle are CORSIKA's.
TEST_F(ChargedSteps, WithoutLightAndCorsikas) {
  ChargedStep c = random_charged_step(random, shower, package, emission.yield, emission.bunch_size);
  c.begin_energy = c.end_energy = 10.;
  const Emission given = emission;
  const struct {
    const char* what;
    LightKind light;
    std::function<void(ChargedStep&)> change;
  } kCases[] = {{"as it is", LightKind::kWhole, [](ChargedStep&) {}},
                {"flat", LightKind::kNone, [](ChargedStep& s) { s.w = 0.0999; }},
                {"no length", LightKind::kNone, [](ChargedStep& s) { s.length = 0.; }},
                {"slow", LightKind::kNone, [](ChargedStep& s) { s.begin_energy = s.end_energy = 0.002; }},
                {"too many bunches", LightKind::kOther, [&](ChargedStep&) { emission.bunch_size = 1e-300; }},
                {"below its mass", LightKind::kOther, [](ChargedStep& s) { s.begin_energy = 1e-4; }},
                {"vertical", LightKind::kOther, [](ChargedStep& s) { s.u = 1e-6, s.v = 0., s.w = 1.; }},
                {"no energy", LightKind::kOther, [](ChargedStep& s) { s.begin_energy = NAN; }}};
  for (const auto& one : kCases) {
    emission = given;
    ChargedStep changed = c;
    one.change(changed);
    Step step{};
    EXPECT_EQ(light_of(changed, emission, step), one.light) << one.what;
  }
}

// In lanes as one by one, whatever else is planned with it.
TEST_F(ChargedSteps, PlansInLanesHaveTheBitsOfOneStepAtATime) {
  corsika::RecordedSteps steps{};
  corsika::StepPlans plans{};
  emission.bunch_size = 20.;
  int linear = 0, dark = 0, own = 0, bounded = 0;
  for (int batch = 0; batch < 300; ++batch) {
    const int count = 1 + static_cast<int>(random.turn() * corsika::kChunkSteps);
    corsika::ChargedStep charged[corsika::kChunkSteps];
    for (int i = 0; i < count; ++i) {
      double ignored = 0.;
      charged[i] = random_charged_step(random, shower, package, emission.yield, ignored);
      if (random.turn() < 0.02) charged[i].u = charged[i].v = 0.;
      if (random.turn() < 0.02) charged[i].length = 0.;
      if (random.turn() < 0.02) charged[i].begin_energy = 1e-4;
      steps.set(i, charged[i]);
      double begin = charged[i].z_begin, end = charged[i].z_end, middle = 0.5 * (begin + end);
      steps.index_begin[i] = index_of(&begin), steps.index_middle[i] = index_of(&middle);
      steps.index_end[i] = index_of(&end);
    }
    const PlanSettings settings{
        emission.cut_w, emission.yield, emission.bunch_size, shower.context.plane, 0.1, 0.2, 0.9, 1e7};
    plan_steps(steps, count, settings, plans);
    for (int i = 0; i < count; ++i) {
      Step step{};
      const LightKind light = light_of(charged[i], emission, step);
      const StepPlan<double> plan = plan_of(plans, i);
      ASSERT_EQ(plan.kind, static_cast<double>(static_cast<int>(light))) << batch << " " << i;
      linear += light == LightKind::kWhole ? 1 : 0;
      dark += light == LightKind::kNone ? 1 : 0;
      own += light == LightKind::kOther ? 1 : 0;
      if (light != LightKind::kWhole) continue;
      ASSERT_TRUE(same_step(plan.step(), step)) << batch << " " << i;
      if (plan.bounded == 0.) continue;
      ++bounded;
      // The ring is that of ring_of(), to rounding.
      const double n = step.bunches;
      EXPECT_NEAR(plan.ring.height, step.before.z + 0.5 * (n + 1.) * step.between.z - settings.plane.height,
                  1e-3);
      const double from_z = step.before.z + 0.5 * step.between.z, to_z = from_z + n * step.between.z;
      EXPECT_NEAR(plan.top, from_z, 1e-3);
      EXPECT_NEAR(plan.bottom, to_z, 1e-3);
      EXPECT_GE(plan.max_shift_per_k, 0.);
    }
  }
  EXPECT_GT(linear, 3000);
  EXPECT_GT(bounded, 2000);
  EXPECT_GT(dark, 200);
  EXPECT_GT(own, 100);
}

}  // namespace
