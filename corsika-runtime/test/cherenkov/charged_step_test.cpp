
#include <gtest/gtest.h>

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
  RefractionModel refraction = package.air.measured();
  Emission emission{0.1, 400., 5., 0.24, true, index_of, density_of};
};

// One by one, and planned in lanes, whatever else is planned with it.
TEST_F(ChargedSteps, TheBitsOfAPlainCerenk) {
  corsika::RecordedSteps steps{};
  corsika::StepPlans plans{};
  emission.bunch_size = 20.;
  int kinds[4] = {}, bounded = 0;  // by LOOPFL of CERENK; the first: none
  for (int batch = 0; batch < 800; ++batch) {
    emission.tables = batch % 3 != 0;
    const int count = 1 + static_cast<int>(random.turn() * corsika::kChunkSteps);
    for (int i = 0; i < count; ++i) {
      double ignored = 0.;
      ChargedStep c = random_charged_step(random, shower, package, emission.yield, ignored);
      if (random.turn() < 0.02) c.u = c.v = 0.;
      if (random.turn() < 0.02) c.length = 0.;
      steps.set(i, c);
    }
    corsika::IndexFinder().find(steps, count, emission);
    const PlanSettings settings{
        emission.cut_w, emission.yield, emission.bunch_size, shower.context.plane, {0.1, 0.2, 0.9, 1e7}};
    plan_steps(steps, count, settings, plans);
    for (int i = 0; i < count; ++i) {
      const PlainCerenk plain = plain_cerenk(steps.step(i), emission);
      const bool vertical = plain.loop >= 0 && plain.step.u0 == 0. && plain.step.v0 == 0.;
      const LightKind expected = plain.loop < 0               ? LightKind::kNone
                                 : plain.loop > 1 || vertical ? LightKind::kOther
                                                              : LightKind::kWhole;
      Step step{};
      ASSERT_EQ(light_of(steps.step(i), emission, step), expected) << batch << " " << i;
      ASSERT_EQ(plans.kind(i), expected) << batch << " " << i;
      ++kinds[std::clamp(plain.loop + 1, 0, 3)];
      if (expected != LightKind::kWhole) continue;
      ASSERT_TRUE(same_step(step, plain.step)) << batch << " " << i;
      ASSERT_TRUE(same_step(step_of(plans, i), plain.step)) << batch << " " << i;
      if (member(plans, i, offsetof(StepPlan<double>, bounded)) == 0.) continue;
      ++bounded;
      // The ring is that of ring_of(), to rounding.
      const StepBound bound = bound_of(plans, i, refraction);
      const double n = step.bunches, from_z = step.before.z + 0.5 * step.between.z;
      EXPECT_NEAR(bound.ring.height, from_z + 0.5 * n * step.between.z - settings.plane.height, 1e-3);
      EXPECT_NEAR(bound.lowest, std::min(from_z, from_z + n * step.between.z), 1e-3);
    }
  }
  EXPECT_GT(kinds[0], 200);   // none
  EXPECT_GT(kinds[1], 200);   // one bunch
  EXPECT_GT(kinds[2], 5000);  // linear
  EXPECT_GT(kinds[3], 50);    // CORSIKA's
  EXPECT_GT(bounded, 2000);
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

}  // namespace
