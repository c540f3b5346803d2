// Steps of builds with option CERWLEN: the stage against CERENK's loop, written plainly; and what CERENK
// makes of a step before it.

#include "corsika_runtime/light_options/cerwlen.hpp"
#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::BunchLoop;

corsika::Emission wave_emission() { return {0., 400., 5., 0., true, index_of, nullptr}; }

constexpr PlainBand kBand{200., 700.};

struct GivenLoop : corsika::Wavelengths {
  explicit GivenLoop(const BunchLoop& loop) : Wavelengths({kBand.shortest, kBand.longest}) { loop_ = loop; }
  explicit GivenLoop(const CurvedLoop& loop) : GivenLoop(BunchLoop{}) { set(loop); }
};

// CERENK's loop.
void plain_wavelengths(const BunchLoop& loop, const corsika::ObservationContext& context, Package& package) {
  const Step& step = loop.step;
  PlainNumbers numbers(package, 2 * step.bunches);
  Step::Point at = step.before;
  for (int i = 0; i < step.bunches; ++i) {
    at = next_point(at, step.between);
    const double energy = loop.energy + loop.energy_slope * at.path;
    const double beta = std::sqrt((1. - loop.mass / energy) * (1. + loop.mass / energy));
    const double wavelength = kBand.next(numbers);
    const double beta_n = beta * (1. + (index_of(&at.z) - 1.) * PlainBand::factor(wavelength));
    if (const auto bunch = plain_bunch(step, beta_n, 2, numbers, context))
      plain_emit(step, context, package, at, bunch->light,
                 step.photons_per_sin2 * bunch->sin2_theta * step.weight, wavelength);
  }
}

class WavelengthRuns : public TwoRuns {
 protected:
  WavelengthRuns() : TwoRuns(59) {}

  BunchLoop loop_of(const Step& step) {
    BunchLoop loop{};
    loop.step = step;
    if (loop.step.bunches == 1) loop.step.bunches = 2;
    loop.mass = 5.11e-4;
    std::tie(loop.energy, loop.energy_slope) = random_energy(loop.step, 0.3, 0.93);
    return loop;
  }

  bool run_step(const BunchLoop& loop) { return run_step(emitter, loop); }
  bool run_step(corsika::Emitter& by, const BunchLoop& loop) {
    return run_both(
        loop.step, [&](const auto& context, Package& package) { plain_wavelengths(loop, context, package); },
        [&](const auto& context) { return by.emit(GivenLoop(loop), wave_emission(), context); });
  }

  corsika::Emitter emitter{staged.routines()};
};

TEST_F(WavelengthRuns, OnADetectorGrid) {
  GridCores cores{};
  corsika::Emitter on_grid{grid_routines(staged)};
  run_events(
      40 / kShare, 300,
      [&](int event) {
        new_event(1., random.turn() < 0.8, 0., 0.);
        shower.context.grid = staged_shower.context.grid = random_grid(random, cores);
        shower.context.by_electron = staged_shower.context.by_electron = event % 3 != 0;
      },
      [&](int, int) { return run_step(on_grid, loop_of(particle())); });
  EXPECT_GT(plain.hits.size(), 300U / kShare);
  EXPECT_LT(on_grid.counts().left_to_corsika, on_grid.counts().steps / 10);
}

class CurvedWavelengthRuns : public CurvedRuns {
 protected:
  bool run_curved(const CurvedLoop& loop) {
    return CurvedRuns::run_curved(loop, emission, &kBand, [&](const auto& context) {
      return emitter.emit(GivenLoop(loop), emission, context);
    });
  }

  corsika::Emission emission = curved_emission();
  corsika::Emitter emitter{staged.routines()};
};

// Of tables and of exponential air.
TEST_F(CurvedWavelengthRuns, TheSameBitsAsThePlainLoop) {
  run_nearly_all(
      emitter, 60 / kShare, 300,
      [this](int event) {
        new_curved_event(1.4);
        emission = event % 2 == 0 ? curved_emission() : curved_air_emission();
      },
      [this](int, int) { return run_curved(loop_of(particle())); });
  EXPECT_GT(plain.hits.size(), 700U / kShare);
}

// The plane is where CERENK may end the loop.
TEST_F(CurvedWavelengthRuns, LeavesAStepThatMayEndAtThePlane) {
  new_curved_event(1.);
  for (int i = 0; i < 100; ++i) {
    CurvedLoop loop = loop_of(particle());
    if (!loop.stops_at_plane) continue;
    const double height = shower.context.plane.height, n = loop.step.bunches;
    loop.apparent_before = height + random.uniform(0.5, 1.5) * n;
    loop.apparent_between = -1.;
    EXPECT_EQ(run_curved(loop), loop.apparent_before - n > height + 1.);
    expect_equal();
  }
}

TEST_F(WavelengthRuns, TheSameBitsAsThePlainLoop) {
  run_nearly_all(
      emitter, 80 / kShare, 300,
      [this](int event) {
        new_event(1., random.turn() < 0.8, 0., 0.);
        if (event % 3 == 0) go_straight();
      },
      [this](int, int) { return run_step(loop_of(particle())); });
  EXPECT_GT(plain.hits.size(), 1000U / kShare);
}

// Long steps near the threshold: more than 100 bunches emit nothing, so that CERENK draws less than it uses,
// even less than nothing.
TEST_F(WavelengthRuns, MoreNumbersUsedThanDrawn) {
  new_event(0.6, true, 0., 0.);
  bool fewer = false;
  for (int i = 0; i < 400; ++i) {
    Step step = particle();
    step.bunches = 100 + static_cast<int>(random.uniform(0., 700.));
    step.between.path = 1.;
    step.between.z = -1.;
    BunchLoop loop = loop_of(step);
    loop.energy = threshold(step.before.z) * random.uniform(0.93, 1.02);
    loop.energy_slope = 0.;
    const std::uint64_t before = plain.drawn;
    run_step(loop);
    fewer = fewer || plain.drawn - before < static_cast<std::uint64_t>(loop.step.bunches);
    ASSERT_NO_FATAL_FAILURE(expect_equal()) << "step " << i;
  }
  EXPECT_TRUE(fewer);
}

TEST_F(WavelengthRuns, LeavesToCorsika) {
  new_event(0.6, true, 0., 0.);
  const BunchLoop loop = loop_of(particle());
  const std::uint64_t drawn = staged.drawn;
  const auto context = staged_shower.surroundings();
  BunchLoop single = loop, odd = loop, slow = loop;
  single.step.bunches = 1;
  odd.step.between.x = NAN;
  slow.energy = 0.5 * slow.mass;
  for (const BunchLoop& left : {single, odd, slow})
    EXPECT_FALSE(emitter.emit(GivenLoop(left), wave_emission(), context));
  EXPECT_EQ(staged.drawn, drawn);
  EXPECT_EQ(emitter.counts().left_to_corsika, 3U);
}

TEST(Wavelengths, TheChangeOfEnergyIsThatOfTheLastStepOfOneBunch) {
  const corsika::ChargedStep& many = kSlantedStep;
  corsika::ChargedStep one = many;
  one.length = 1.;
  one.end_energy = 0.998;
  corsika::Wavelengths steps({kBand.shortest, kBand.longest});
  const BunchLoop& loop = steps.loop();
  ASSERT_EQ(steps.look_at(many, wave_emission()), LightKind::kWhole);
  EXPECT_GT(loop.step.bunches, 1);
  EXPECT_EQ(loop.energy_slope, 0.);
  ASSERT_EQ(steps.look_at(one, wave_emission()), LightKind::kWhole);
  EXPECT_EQ(loop.step.bunches, 1);
  EXPECT_EQ(loop.energy_slope, one.end_energy - one.begin_energy);
  ASSERT_EQ(steps.look_at(many, wave_emission()), LightKind::kWhole);
  EXPECT_EQ(loop.energy_slope, one.end_energy - one.begin_energy);
  // The light is that of the shortest wavelength.
  const double begin = std::sqrt(1. - std::pow(many.mass / many.begin_energy, 2)) *
                       (1. + Atmosphere::refractivity(many.z_begin) * (0.967 + 0.033 * std::pow(2., 2.5)));
  EXPECT_NEAR(loop.step.beta_n, begin, 1e-9);
  corsika::ChargedStep same = many;
  corsika::LastIndex last;
  CurvedLoop curved{};
  curved_loop_of(same, {kEarth_cm, kObserved, 1., true}, wave_emission(), last, curved,
                 steps.dispersion_of_steps());
  EXPECT_EQ(curved.step.beta_n, loop.step.beta_n);
  // What CERENK does with an energy below the mass is not known.
  corsika::ChargedStep odd = many;
  odd.begin_energy = 0.5 * odd.mass;
  EXPECT_EQ(steps.look_at(odd, wave_emission()), LightKind::kOther);
  ASSERT_EQ(steps.look_at(many, wave_emission()), LightKind::kWhole);
  EXPECT_TRUE(std::isnan(loop.energy_slope));
  odd = many;
  odd.w = -0.5;
  EXPECT_EQ(steps.look_at(odd, wave_emission()), LightKind::kNone);
}

}  // namespace
