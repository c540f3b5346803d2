#include "corsika_runtime/cherenkov/step_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plain_cerenk.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::kChunkSteps;
using corsika::LightKind;

class StepPlanTest : public testing::Test {
 protected:
  StepPlanTest() {
    shower = random_shower(random, 1.27e5, 0.9);
    package.new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
  }

  void record(int i, const corsika::ChargedStep& c) {
    steps.length[i] = c.length;
    steps.u[i] = c.u, steps.v[i] = c.v, steps.w[i] = c.w;
    steps.begin_energy[i] = c.begin_energy, steps.end_energy[i] = c.end_energy;
    steps.x_begin[i] = c.x_begin, steps.y_begin[i] = c.y_begin, steps.z_begin[i] = c.z_begin;
    steps.x_end[i] = c.x_end, steps.y_end[i] = c.y_end, steps.z_end[i] = c.z_end;
    steps.begin_time[i] = c.begin_time, steps.end_time[i] = c.end_time;
    steps.mass[i] = c.mass, steps.charge[i] = c.charge;
    double middle = 0.5 * (c.z_begin + c.z_end), begin = c.z_begin, end = c.z_end;
    indices.begin[i] = index_of(&begin), indices.middle[i] = index_of(&middle),
    indices.end[i] = index_of(&end);
  }

  Random random{91};
  Package package{1.27e5, 5};
  Shower shower;
  alignas(64) corsika::RecordedSteps steps{};
  corsika::StepIndices indices{};
  corsika::StepPlans plans{};
};

bool same_bits(const Step& a, const Step& b) {
  const auto point = [](const Step::Point& p, const Step::Point& q) {
    return bits(p.path) == bits(q.path) && bits(p.x) == bits(q.x) && bits(p.y) == bits(q.y) &&
           bits(p.z) == bits(q.z) && bits(p.time) == bits(q.time);
  };
  return a.bunches == b.bunches && point(a.before, b.before) && point(a.between, b.between) &&
         bits(a.beta_n) == bits(b.beta_n) && bits(a.beta_n_slope) == bits(b.beta_n_slope) &&
         bits(a.photons_per_sin2) == bits(b.photons_per_sin2) && bits(a.cu) == bits(b.cu) &&
         bits(a.su) == bits(b.su) && bits(a.cv) == bits(b.cv) && bits(a.sv) == bits(b.sv) &&
         bits(a.sw) == bits(b.sw) && bits(a.u0) == bits(b.u0) && bits(a.v0) == bits(b.v0) &&
         bits(a.w0) == bits(b.w0);
}

// In lanes as one by one, whatever else is planned with it.
TEST_F(StepPlanTest, TheBitsOfOneStepAtATime) {
  int linear = 0, dark = 0, own = 0, bounded = 0;
  for (int batch = 0; batch < 300; ++batch) {
    corsika::Emission emission{0.1, 400., 20., 0.24, true, index_of, density_of};
    const int count = 1 + static_cast<int>(random.turn() * kChunkSteps);
    corsika::ChargedStep charged[kChunkSteps];
    for (int i = 0; i < count; ++i) {
      double ignored = 0.;
      charged[i] = random_charged_step(random, shower, package, emission.yield, ignored);
      if (random.turn() < 0.02) charged[i].u = charged[i].v = 0.;
      if (random.turn() < 0.02) charged[i].length = 0.;
      if (random.turn() < 0.02) charged[i].begin_energy = 1e-4;
      record(i, charged[i]);
    }
    const PlanSettings settings{
        emission.cut_w, emission.yield, emission.bunch_size, shower.context.plane, 0.1, 0.2, 0.9, 1e7};
    plan_steps(steps, count, indices, settings, plans);
    for (int i = 0; i < count; ++i) {
      Step step{};
      const LightKind light = bunches_of(charged[i], emission, step);
      ASSERT_EQ(plans.kind[i], static_cast<double>(static_cast<int>(light))) << batch << " " << i;
      linear += light == LightKind::kLinear ? 1 : 0;
      dark += light == LightKind::kNone ? 1 : 0;
      own += light == LightKind::kOther ? 1 : 0;
      if (light != LightKind::kLinear) continue;
      ASSERT_TRUE(same_bits(plans.step(steps, i), step)) << batch << " " << i;
      if (plans.bounded[i] == 0.) continue;
      ++bounded;
      // The ring is that of ring_of(), to rounding.
      const double n = step.bunches;
      EXPECT_NEAR(plans.ring_height[i],
                  step.before.z + 0.5 * (n + 1.) * step.between.z - settings.plane.height, 1e-3);
      const double from_z = step.before.z + 0.5 * step.between.z, to_z = from_z + n * step.between.z;
      EXPECT_NEAR(plans.begin_height[i], from_z, 1e-3);
      EXPECT_NEAR(plans.end_height[i], to_z, 1e-3);
      EXPECT_GE(plans.max_shift_per_k[i], 0.);
    }
  }
  EXPECT_GT(linear, 3000);
  EXPECT_GT(bounded, 2000);
  EXPECT_GT(dark, 200);
  EXPECT_GT(own, 100);
}

}  // namespace
