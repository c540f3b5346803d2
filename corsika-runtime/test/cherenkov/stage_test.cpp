// The stage against the plain loop: sums, profile, numbers drawn and every hit, bit for bit.
#include "corsika_runtime/cherenkov/stage.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::Stage;
using corsika::Surroundings;

class Runs : public TwoRuns {
 protected:
  Runs() : TwoRuns(41) {}
  void new_event(double most_zenith, bool fill_profile = true) {
    const double x = random.turn() < 0.3 ? random.uniform(-1e4, 1e4) : 0.,
                 y = x == 0. ? 0. : random.uniform(-1e4, 1e4);
    TwoRuns::new_event(most_zenith, fill_profile, x, y);
  }
  bool run(const ParticleStep& particle, bool ask = true) {
    return TwoRuns::run(stage, particle, ask, ask_each);
  }

  bool ask_each = true;  // bunches of steps that are left to CORSIKA
  Stage stage{staged.routines()};
};

TEST_F(Runs, TheSameBitsAsThePlainLoop) {
  int taken = 0, steps = 0;
  for (int event = 0; event < 60; ++event) {
    new_event(1.05, event % 4 != 3);
    for (int i = 0; i < 400; ++i, ++steps) {
      taken += run(particle()) ? 1 : 0;
      if (i % 50 == 0) expect_equal();
      if (HasFatalFailure()) FAIL() << "event " << event << ", step " << i;
    }
    expect_equal();
    if (HasFatalFailure()) FAIL() << "event " << event;
  }
  EXPECT_EQ(staged.last_sequence, 3);
  EXPECT_EQ(stage.refused(), "");
  EXPECT_EQ(stage.counts().steps, static_cast<std::uint64_t>(taken));
  EXPECT_EQ(stage.counts().stock_steps, static_cast<std::uint64_t>(steps - taken));
  EXPECT_GE(stage.counts().maps, 60U);
  EXPECT_LT(stage.counts().maps, 70U) << "one an event, or two where its first light is left to CORSIKA";
  EXPECT_EQ(stage.counts().chosen, staged.traced);
  EXPECT_GT(taken, steps * 2 / 3);
  EXPECT_GT(plain.hits.size(), 10000U);
  EXPECT_LT(stage.counts().chosen, stage.counts().bunches / 2) << "what is not skipped costs time";
}

// Bunch by bunch, in steps that are not the stage's.
TEST_F(Runs, BunchesOfOtherStepsAreSkippedToo) {
  plain.footprints_only = staged.footprints_only = true;
  std::uint64_t all = 0;
  for (int event = 0; event < 60; ++event) {
    new_event(1.2, event % 2 == 0);
    for (int i = 0; i < 200; ++i) {
      const ParticleStep one = particle();
      all += static_cast<std::uint64_t>(one.step.bunches);
      run(one, false);
    }
    expect_equal();
    if (HasFatalFailure()) FAIL() << "event " << event;
  }
  EXPECT_EQ(stage.counts().steps, 0U);
  EXPECT_GE(stage.counts().maps, 60U);
  EXPECT_GT(stage.counts().skipped, all / 3);
  EXPECT_LT(stage.counts().skipped, all);
  EXPECT_GT(plain.hits.size(), 10000U);
}

// Flat light: shifts of many metres, which is where turned particles' refraction differs from that of unit
// vectors. Counted by footprints alone, and one small array, so that cells are small.
TEST_F(Runs, FlatShowers) {
  plain.footprints_only = staged.footprints_only = true;
  int taken = 0, steps = 0;
  for (int event = 0; event < 60; ++event) {
    new_event(1.05);
    shower.zenith = random.uniform(0.9, 1.25);
    shower.telescopes = {{0., 0., 0., 100.}};
    for (Package* package : {&plain, &staged})
      package->new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
    for (int i = 0; i < 400; ++i, ++steps) taken += run(particle()) ? 1 : 0;
    expect_equal();
    if (HasFatalFailure()) FAIL() << "event " << event;
  }
  EXPECT_GT(taken, steps / 4);
  EXPECT_LT(taken, steps) << "flat light is left to CORSIKA where the bound does not hold";
  EXPECT_GT(plain.hits.size(), 1000U);
}

// So many that a bunch is not held against each of their spheres: the map alone decides.
TEST_F(Runs, MoreTelescopesThanAreLookedAt) {
  for (int event = 0; event < 4; ++event) {
    new_event(0.8);
    shower.telescopes.clear();
    for (int row = -9; row < 9; ++row)
      for (int column = -9; column < 9; ++column)
        shower.telescopes.push_back({5e3 * column, 5e3 * row, random.uniform(0., 2000.), 500.});
    for (Package* package : {&plain, &staged})
      package->new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
    for (int i = 0; i < 200; ++i) run(particle());
    expect_equal();
    if (HasFatalFailure()) FAIL() << "event " << event;
  }
  EXPECT_GT(plain.hits.size(), 1000U);
  EXPECT_GT(stage.counts().chosen, plain.hits.size() * 3 / 2) << "spheres were looked at";
}

// Draws are made in chunks: all that is needed up to 100, and 100 at a time beyond.
TEST_F(Runs, DrawsInChunks) {
  new_event(0.3);
  const std::pair<int, std::uint64_t> drawn[] = {{1, 1},     {99, 99},     {100, 100},
                                                 {101, 200}, {200, 200},   {201, 300},
                                                 {250, 300}, {1000, 1000}, {1001, 1100}};
  for (const auto& [n, numbers] : drawn) {
    const std::uint64_t before = staged.drawn;
    Step step = aimed_step(staged.air, direction(0.2, 1.), 9e5, 0., 0., 2e3, n, 0.8, 40.);
    ASSERT_TRUE(run({step, -step.sw})) << n;
    EXPECT_EQ(staged.drawn - before, numbers) << n;
    expect_equal();
  }
}

// A step through kilometres of air has another refraction in each of its stretches.
TEST_F(Runs, LongStepsInStretches) {
  plain.footprints_only = staged.footprints_only = true;
  for (int event = 0; event < 6; ++event) {
    new_event(0.9);
    shower.telescopes.resize(1);
    for (Package* package : {&plain, &staged})
      package->new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
    for (int i = 0; i < 20; ++i) {
      const double height = kObserved + random.uniform(3e6, 5e6);
      const Telescope& aim = shower.telescopes.front();
      const Plane& plane = shower.around.plane;
      const double xt = aim.x + plain.impact[0] + random.uniform(-3e3, 3e3),
                   yt = aim.y + plain.impact[1] + random.uniform(-3e3, 3e3);
      const Direction to = direction(shower.zenith, shower.azimuth);
      const Step step =
          aimed_step(plain.air, to, height, plane.x0 + xt * plane.cos_turn - yt * plane.sin_turn,
                     plane.y0 + yt * plane.cos_turn + xt * plane.sin_turn, 0.95 * (height - kObserved) / to.w,
                     static_cast<int>(random.uniform(20000., 50000.)), 0.5, 40.);
      ASSERT_TRUE(run({step, -step.sw}));
    }
    expect_equal();
    if (HasFatalFailure()) FAIL() << "event " << event;
  }
  EXPECT_GT(plain.hits.size(), 1000U);
}

// Also where the first light of an event, or all light so far, came from steps that the stage was not asked
// for.
TEST_F(Runs, ANewEventHasItsOwnMapWhoeverBeginsIt) {
  for (int event = 0; event < 30; ++event) {
    new_event(0.5);
    // every second event has far more light before the stage is asked than the whole event before it
    const int first = event % 2 == 0 ? event % 3 : 40;
    const int steps = event % 2 == 0 ? 5 : 200;
    for (int i = 0; i < steps; ++i) run(particle(), i >= first);
    expect_equal();
    if (HasFatalFailure()) FAIL() << "event " << event;
  }
  EXPECT_EQ(stage.counts().maps, 30U);
  EXPECT_GT(plain.hits.size(), 1000U);
}

// Footprints alone, so that a shift that is computed for another plane shows at their rims.
TEST_F(Runs, AnotherHeightOfThePlaneHasItsOwnRefraction) {
  plain.footprints_only = staged.footprints_only = true;
  for (const double observed : {kObserved, 4e5, 4e5, 1e3, kObserved}) {
    plain.air = staged.air = Atmosphere(observed);
    for (int event = 0; event < 8; ++event) {
      shower = random_shower(random, observed, 1.05);
      staged_shower = shower;
      show_telescopes();
      // also light that CORSIKA's own loop asks about, and also before the stage took a step
      for (int i = 0; i < 200; ++i) run(particle(), event % 2 == 0 ? i % 4 != 0 : i > 100);
      expect_equal();
      if (HasFatalFailure()) FAIL() << "plane at " << observed << ", event " << event;
    }
  }
  EXPECT_GT(plain.hits.size(), 5000U);
}

// A program that traps floating-point errors must not be stopped by the stage, and one that reports their
// flags at its end must not report others than CORSIKA's: steps from high up to below the tops of one to five
// telescopes.
TEST_F(Runs, NoFloatingPointExceptions) {
  constexpr int kErrors = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW;
  int low = 0;
  for (int event = 0; event < 60; ++event) {
    new_event(1.05, event % 4 != 3);
    shower.telescopes.resize(std::min<std::size_t>(shower.telescopes.size(), 1 + event % 5));
    staged_shower = shower;
    show_telescopes();
    for (int i = 0; i < 100; ++i) {
      ParticleStep one = particle();
      if (i % 3 == 0) {  // straight down to 5 m above the plane
        const double height = kObserved + random.logarithmic(2e3, 1e6);
        const Direction to = direction(shower.zenith, shower.azimuth);
        const Telescope& at = shower.telescopes.front();
        one.step = aimed_step(plain.air, to, height, at.x, at.y, (height - kObserved - 500.) / to.w,
                              1 + static_cast<int>(300. * random.turn()), 0.8, 40.);
        one.sin_particle = -one.step.sw;
        ++low;
      }
      ParticleStep other = one;
      std::feclearexcept(FE_ALL_EXCEPT);
      Surroundings around = shower.surroundings(), staged_around = staged_shower.surroundings();
      around.sin_particle = staged_around.sin_particle = one.sin_particle;
      plain_step(one.step, around, plain);
      const int of_plain = std::fetestexcept(kErrors);
      std::feclearexcept(FE_ALL_EXCEPT);
      feenableexcept(FE_INVALID | FE_DIVBYZERO);
      const bool taken = stage.emit(other.step, staged_around);
      if (!taken) plain_step(other.step, staged_around, staged, &stage);
      fedisableexcept(FE_ALL_EXCEPT);
      ASSERT_EQ(std::fetestexcept(kErrors) & ~of_plain, 0) << "event " << event << ", step " << i;
    }
    expect_equal();
    if (HasFatalFailure()) FAIL() << "event " << event;
  }
  EXPECT_GT(low, 1000);
  EXPECT_GT(stage.counts().rings, 500U);
}

// Measuring refraction is the stage's own; whatever the package does then is none of CORSIKA's errors.
TEST_F(Runs, FlagsOfWhatIsMeasuredAreNotSeen) {
  corsika::Routines routines = staged.routines();
  static void (*own)(double*, double*, double*, double*, double*, double*, double*) = nullptr;
  own = routines.bend;
  routines.bend = [](double* height, double* u, double* v, double* w, double* x, double* y, double* t) {
    volatile double zero = *x == 0. && *y == 0. && *t == 0. ? 0. : 1.;
    zero = 1. / zero;
    own(height, u, v, w, x, y, t);
  };
  Stage other(routines);
  new_event(0.5);
  Step step = aimed_step(staged.air, direction(0.4, 1.), 1e6, 0., 0., 2e3, 20, 0.8, 40.);
  Surroundings around = staged_shower.surroundings();
  around.sin_particle = -step.sw;
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INVALID | FE_DIVBYZERO);
  EXPECT_TRUE(other.emit(step, around));
  EXPECT_EQ(fegetexcept(), FE_INVALID | FE_DIVBYZERO);
  fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_DIVBYZERO), 0);
}

// Before anything was drawn or counted CORSIKA's own code can go on; afterwards it cannot.
TEST_F(Runs, FailuresTellWhetherCorsikaCanGoOn) {
  new_event(0.3);
  Step step = aimed_step(staged.air, direction(0.2, 1.), 9e5, 0., 0., 2e3, 20, 0.8, 40.);
  Surroundings around = staged_shower.surroundings();
  around.sin_particle = -step.sw;
  const corsika::Routines good = staged.routines();
  corsika::Routines early = good;
  early.counters = [](double**, double**) { throw std::runtime_error("played: early"); };
  Stage before(early);
  EXPECT_THROW(before.emit(step, around), std::runtime_error);
  EXPECT_TRUE(before.can_hand_over());
  corsika::Routines late = good;
  late.draw = [](double*, int*, int*) { throw std::runtime_error("played: late"); };
  late.step_over = nullptr;
  Stage after(late);
  EXPECT_THROW(after.emit(step, around), std::runtime_error);
  EXPECT_FALSE(after.can_hand_over());
}

TEST_F(Runs, AnEventWithoutTelescopes) {
  new_event(0.5);
  const ParticleStep one = particle();
  for (Package* package : {&plain, &staged}) package->new_event({}, 0., 0., 0., 0.);
  ASSERT_TRUE(run(one));
  expect_equal();
  EXPECT_EQ(staged.traced, 0U);
}

// --- what is left to CORSIKA, with nothing done

class Refusals : public Runs {
 protected:
  void SetUp() override {
    new_event(0.3);
    step = aimed_step(staged.air, direction(0.4, 1.), 1e6, 0., 0., 2e3, 20, 0.8, 40.);
    around = staged_shower.surroundings();
    around.sin_particle = -step.sw;
  }
  void expect_refused() {
    const double photons = staged.photons, bunches = staged.bunches;
    const auto drawn = staged.drawn, left = stage.counts().stock_steps;
    const auto profile = staged_shower.profile;
    EXPECT_FALSE(stage.emit(step, around));
    EXPECT_EQ(staged.photons, photons);
    EXPECT_EQ(staged.bunches, bunches);
    EXPECT_EQ(staged.drawn, drawn);
    EXPECT_EQ(staged.traced, 0U);
    EXPECT_EQ(stage.counts().stock_steps, left + 1);
    EXPECT_TRUE(same_bits(profile, staged_shower.profile));
  }
  void aim(double zenith, double height, double length) {
    step = aimed_step(staged.air, direction(zenith, 1.), height, 0., 0., length, 20, 0.8, 40.);
    around.sin_particle = -step.sw;
  }
  Step step{};
  Surroundings around{};
};

TEST_F(Refusals, NotTheStepThatTheOthersAreMadeFrom) { EXPECT_TRUE(stage.emit(step, around)); }

TEST_F(Refusals, BelowThresholdSomewhere) {
  step.beta_n = 1. + 1e-5;
  step.beta_n_slope = -1.1e-5 / (step.bunches * step.between.path);
  expect_refused();
  step.beta_n_slope = 0.;
  step.beta_n = 0.999;
  expect_refused();
}

TEST_F(Refusals, FlatOrUpwardLight) {
  for (const double zenith : {1.37, 1.45, 1.55}) {
    aim(zenith, kObserved + 1e4, 1e3);
    expect_refused();
  }
  aim(0.4, 1e6, 2e3);
  step.w0 = -step.w0;
  step.between.z = -step.between.z;
  expect_refused();
}

TEST_F(Refusals, LightThatTheZenithCutMayDrop) {
  around.least_w = step.w0 - 0.001;
  expect_refused();
  around.least_w = step.w0 - 0.2;
  EXPECT_TRUE(stage.emit(step, around));
}

TEST_F(Refusals, BelowTheDetectionPlaneOrAboveTheAir) {
  step.before.z = kObserved + 500.;  // 1842 cm down from there
  expect_refused();
  step.before.z = kObserved - 5000.;
  expect_refused();
  step.before.z = 1.1281e7;
  expect_refused();
}

// A short stretch of flat light from high up: refraction by many metres, known to a percent.
TEST_F(Refusals, RefractionThatIsNotKnownWellEnough) {
  aim(1.33, 6e6, 1e3);
  expect_refused();
}

TEST_F(Refusals, DirectionsLongerThanOne) {
  step.u0 *= 1.001, step.v0 *= 1.001, step.w0 *= 1.001;
  expect_refused();
}

TEST_F(Refusals, PlacesThatRoundingBlurs) {
  step.before.x = 1e14;
  expect_refused();
}

TEST_F(Refusals, WhatIsNotANumber) {
  const Step good = step;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double Step::*member : {&Step::beta_n, &Step::beta_n_slope, &Step::u0, &Step::v0, &Step::w0}) {
    step = good;
    step.*member = nan;
    expect_refused();
  }
  for (double Step::Point::*member : {&Step::Point::x, &Step::Point::y, &Step::Point::z}) {
    step = good;
    step.before.*member = nan;
    expect_refused();
    step = good;
    step.between.*member = nan;
    expect_refused();
  }
}

TEST_F(Refusals, TelescopesThatCannotBeTold) {
  staged.no_telescopes = true;
  expect_refused();
  EXPECT_NE(stage.refused(), "");
  staged.no_telescopes = false;
  expect_refused();  // for good
}

TEST_F(Refusals, ProfilesOutOfOrder) {
  std::swap(staged_shower.edges[3], staged_shower.edges[4]);
  expect_refused();
  EXPECT_NE(stage.refused(), "");
}

TEST_F(Refusals, RefractionOfAnotherKind) {
  corsika::Routines routines = staged.routines();
  routines.bend = [](double* height, double* u, double* v, double* w, double* x, double* y, double*) {
    *x -= 1e-5 * *height * *u / *w;  // one cosine, not three
    *y -= 1e-5 * *height * *v / *w;
  };
  Stage other(routines);
  EXPECT_FALSE(other.emit(step, around));
  EXPECT_NE(other.refused().find("formula"), std::string::npos) << other.refused();
  EXPECT_EQ(staged.drawn, 0U);
}

// That these comparisons can fail: told of footprints, spheres or a refraction that are not so, it misses
// hits.
TEST_F(Runs, MissesHitsWhereItIsToldWrong) {
  for (const char* by : {"bend", "footprints", "spheres"}) {
    const std::string_view told(by);
    plain = Package(kObserved, 7), staged = Package(kObserved, 7);
    Stage misled(staged.routines());
    if (told == "bend") staged.measured_bend = 0.;
    if (told == "footprints") staged.footprints_cut = 150.;
    if (told == "spheres") staged.spheres_cut = 20.;
    for (int event = 0; event < 60; ++event) {
      new_event(1.05);
      for (int i = 0; i < 300; ++i) {
        const ParticleStep one = particle();
        Surroundings around = shower.surroundings(), staged_around = staged_shower.surroundings();
        around.sin_particle = staged_around.sin_particle = one.sin_particle;
        plain_step(one.step, around, plain);
        if (!misled.emit(one.step, staged_around)) plain_step(one.step, staged_around, staged);
      }
    }
    EXPECT_LT(staged.hits.size(), plain.hits.size()) << by;
    EXPECT_EQ(staged.photons, plain.photons);
  }
}

}  // namespace
