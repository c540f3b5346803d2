// Steps of the curved geometry: the stage against CERENK's loop, written plainly; and what CERENK makes of a
// step before it.

#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

class EmitterCurved : public CurvedRuns {
 protected:
  bool run_curved(const CurvedLoop& loop) {
    return CurvedRuns::run_curved(loop, curved_emission(), nullptr, [&](const auto& context) {
      return emitter.emit(loop, curved_emission(), context);
    });
  }

  corsika::Emitter emitter{staged.routines()};
};

TEST_F(EmitterCurved, TheSameBitsAsThePlainLoop) {
  run_nearly_all(
      emitter, 80 / kShare, 300, [this](int) { new_curved_event(1.4); },
      [this](int, int) { return run_curved(loop_of(particle())); });
  EXPECT_GT(plain.hits.size(), 1000U / kShare);
}

TEST(CurvedLoop, InTheDetectorsFrameItIsTheFlatLoopOfFullDetail) {
  const corsika::ChargedStep before = kSlantedStep;
  corsika::ChargedStep step = before;
  CurvedLoop loop{};
  corsika::LastIndex last;
  const corsika::CurvedFrame frame{kEarth_cm, RayTable::kPlane_cm, 1., true};
  ASSERT_EQ(corsika::curved_loop_of(step, frame, curved_emission(), last, loop), LightKind::kWhole);
  EXPECT_EQ(step.x_begin, before.x_begin);
  EXPECT_EQ(step.z_end, before.z_end);
  const auto flat = corsika::bunch_loop_of(
      before, {index_of(&step.z_begin), 1. + 2e-4, index_of(&step.z_end)}, curved_emission(), 100000);
  ASSERT_TRUE(flat);
  EXPECT_EQ(loop.step.bunches, flat->step.bunches);
  EXPECT_EQ(loop.step.before.z, flat->step.before.z);
  EXPECT_EQ(loop.step.between.x, flat->step.between.x);
  EXPECT_EQ(loop.step.su, flat->step.su);
  EXPECT_EQ(loop.apparent_before, loop.step.before.z);
  EXPECT_FALSE(loop.stops_at_plane);
  // beta n, which the check's counts use, is that of the ends.
  const double begin = std::sqrt(1. - std::pow(before.mass / before.begin_energy, 2)) *
                       (1. + Atmosphere::refractivity(before.z_begin)),
               end = std::sqrt(1. - std::pow(before.mass / before.end_energy, 2)) *
                     (1. + Atmosphere::refractivity(before.z_end));
  EXPECT_NEAR(loop.step.beta_n, begin, 1e-9);
  EXPECT_NEAR(loop.step.beta_n + loop.step.beta_n_slope * before.length, end, 1e-9);
}

TEST(CurvedLoop, EndsOfTheStepAreChangedAsCerenkChangesThem) {
  const corsika::ChargedStep given{3e4,   0.8,     0.1,    0.59,          1.,   0.9,  -6e6,    3e5,
                                   1.2e6, -5.97e6, 3.03e5, 1.2e6 - 1.7e4, 1e-6, 2e-6, 5.11e-4, -1.};
  const double earth = std::cos(std::hypot(given.x_begin, given.y_begin) / kEarth_cm);
  CurvedLoop loop{};
  corsika::LastIndex last;
  auto step = given;
  ASSERT_EQ(corsika::curved_loop_of(step, {kEarth_cm, RayTable::kPlane_cm, earth, false}, curved_emission(),
                                    last, loop),
            LightKind::kWhole);
  // Apparent heights are lower, by the Earth's curvature; arcs become lengths on the plane.
  EXPECT_NEAR(loop.apparent_before, given.z_begin - 6e6 * 6e6 / (2. * kEarth_cm), 3e3);
  EXPECT_NEAR(step.x_begin, given.x_begin, 3e4);
  EXPECT_NE(step.x_begin, given.x_begin);
  // Where CERENK returns before, nothing is changed.
  step = given;
  EXPECT_EQ(corsika::curved_loop_of(step, {kEarth_cm, RayTable::kPlane_cm, 0.5, false}, curved_emission(),
                                    last, loop),
            LightKind::kNone);
  EXPECT_EQ(step.x_begin, given.x_begin);
  step.w = -0.1;
  EXPECT_EQ(corsika::curved_loop_of(step, {kEarth_cm, RayTable::kPlane_cm, earth, false}, curved_emission(),
                                    last, loop),
            LightKind::kNone);
}

}  // namespace
