// The stage against the plain loop: sums, profile, numbers drawn and every hit, bit for bit.

#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::Emitter;
using corsika::ObservationContext;

TEST_F(Runs, TheSameBitsAsThePlainLoop) {
  const int events = 60 / kShare, steps = events * 400, taken = run_events(events, 400, 1.05);
  EXPECT_EQ(staged.last_sequence, 3);
  EXPECT_EQ(emitter.event().why_not(), "");
  EXPECT_EQ(emitter.counts().steps, static_cast<std::uint64_t>(taken));
  EXPECT_EQ(emitter.counts().left_to_corsika, static_cast<std::uint64_t>(steps - taken));
  EXPECT_GE(emitter.counts().maps, 60U / kShare);
  EXPECT_LT(emitter.counts().maps, 70U / kShare)
      << "one an event, or two where its first light is left to CORSIKA";
  EXPECT_EQ(emitter.counts().traced, staged.traced);
  EXPECT_GT(taken, steps * 2 / 3);
  EXPECT_GT(plain.hits.size(), 10000U / kShare);
  EXPECT_LT(emitter.counts().traced, emitter.counts().bunches / 2) << "what is not skipped costs time";
}

// Bunch by bunch, in steps that are not the stage's.
TEST_F(Runs, BunchesOfOtherStepsAreSkippedToo) {
  plain.footprints_only = staged.footprints_only = true;
  run_events(60 / kShare, 200, 1.2, {}, 200);
  EXPECT_EQ(emitter.counts().steps, 0U);
  EXPECT_GE(emitter.counts().maps, 60U / kShare);
  EXPECT_GT(emitter.counts().skipped, plain.bunches);
  EXPECT_GT(plain.hits.size(), 10000U / kShare);
}

// Flat light: shifts of many metres, which is where turned particles' refraction differs from that of unit
// vectors. Counted by footprints alone, and one small array, so that cells are small.
TEST_F(Runs, FlatShowers) {
  plain.footprints_only = staged.footprints_only = true;
  const int events = 60 / kShare, taken = run_events(events, 400, 1.05, [this](int) {
                                    shower.zenith = random.uniform(0.9, 1.25);
                                    put_telescopes({{0., 0., 0., 100.}});
                                  });
  EXPECT_GT(taken, events * 400 / 4);
  EXPECT_LT(taken, events * 400) << "flat light is left to CORSIKA where the bound does not hold";
  EXPECT_GT(plain.hits.size(), 1000U / kShare);
}

// So many that a bunch is not held against each of their spheres: the map alone decides.
TEST_F(Runs, MoreTelescopesThanAreLookedAt) {
  run_events(4, 200, 0.8, [this](int) {
    std::vector<Telescope> many;
    for (int i = 0; i < 18 * 18; ++i)
      many.push_back({5e3 * (i % 18 - 9), 5e3 * (i / 18 - 9), random.uniform(0., 2000.), 500.});
    put_telescopes(many);
  });
  EXPECT_GT(plain.hits.size(), 1000U);
  EXPECT_GT(emitter.counts().traced, plain.hits.size() * 3 / 2) << "spheres were looked at";
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
    ASSERT_NO_FATAL_FAILURE(expect_equal()) << "event " << event;
  }
  EXPECT_EQ(emitter.counts().maps, 30U);
  EXPECT_GT(plain.hits.size(), 1000U);
}

// Of an event whose light is all absorbed CORSIKA asks for bunches, and counts none.
TEST_F(Runs, AnEventBehindOneWithoutLightHasItsOwnMap) {
  for (int event = 0; event < 10; ++event) {
    new_event(0.5);
    emitter.event().can_skip({1., 0., 0., 0., 0., 1., 1e6, 0.}, shower.context.plane.height);
    run_events(1, 100, 0.5);
  }
  EXPECT_GE(emitter.counts().maps, 20U);
  EXPECT_GT(plain.hits.size(), 100U);
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
      ASSERT_NO_FATAL_FAILURE(expect_equal()) << "plane at " << observed << ", event " << event;
    }
  }
  EXPECT_GT(plain.hits.size(), 5000U);
}

// Each step's light arrives on that step's own plane.
TEST_F(Runs, ThePlaneMovesWithinAnEvent) {
  new_event(0.5);
  for (int i = 0; i < 400; ++i) {
    for (Shower* each : {&shower, &staged_shower}) {
      Plane& plane = each->context.plane;
      const double turn = 0.1 * (i / 50 % 3);
      plane.x0 = i / 50 % 2 * 2e3;
      plane.y0 = i / 100 % 2 * -1e3;
      plane.cos_turn = std::cos(turn);
      plane.sin_turn = std::sin(turn);
    }
    run(particle(), i % 50 > 2);
  }
  expect_equal();
  EXPECT_GT(plain.hits.size(), 100U);
}

// It steps over no numbers.
TEST_F(Runs, WithAGeneratorOfCorsikasOwn) {
  corsika::Routines routines = staged.routines();
  routines.step_over = nullptr;
  emitter = Emitter(routines);
  run_events(10, 400, 1.05);
  EXPECT_GT(plain.hits.size(), 1000U);
}

// In a footprint of negative width TELOUT stores nothing.
TEST_F(Runs, AnEventWithoutTelescopes) {
  for (const auto& telescopes : {std::vector<Telescope>{}, {{0., 0., 0., -700.}}}) {
    new_event(0.5);
    const Step one = particle();
    put_telescopes(telescopes);
    ASSERT_TRUE(run(one));
    expect_equal();
  }
  EXPECT_EQ(staged.traced, 0U);
}

// The stage's floating-point exceptions: none that CORSIKA's own loop does not make.

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
      Step one = particle();
      if (i % 3 == 0) {  // straight down to 5 m above the plane
        const double height = kObserved + random.logarithmic(2e3, 1e6);
        const Direction to = direction(shower.zenith, shower.azimuth);
        const Telescope& at = shower.telescopes.front();
        one = aimed_step(plain.air, to, height, at.x, at.y, (height - kObserved - 500.) / to.w,
                         1 + static_cast<int>(300. * random.turn()), 0.8, 40.);
        ++low;
      }
      std::feclearexcept(FE_ALL_EXCEPT);
      ObservationContext context = shower.surroundings(), staged_around = staged_shower.surroundings();
      plain_step(one, context, plain);
      const int of_plain = std::fetestexcept(kErrors);
      std::feclearexcept(FE_ALL_EXCEPT);
      feenableexcept(FE_INVALID | FE_DIVBYZERO);
      const bool taken = emitter.emit(one, staged_around);
      if (!taken) plain_step(one, staged_around, staged, &emitter);
      fedisableexcept(FE_ALL_EXCEPT);
      ASSERT_EQ(std::fetestexcept(kErrors) & ~of_plain, 0) << "event " << event << ", step " << i;
    }
    ASSERT_NO_FATAL_FAILURE(expect_equal()) << "event " << event;
  }
  EXPECT_GT(low, 1000);
  EXPECT_GT(emitter.counts().near_telescopes, 500U);
}

// Measuring refraction is the stage's own; whatever the package does then is none of CORSIKA's errors.
TEST_F(Runs, FlagsOfWhatIsMeasuredAreNotSeen) {
  corsika::Routines routines = staged.routines();
  static void (*own)(double*, double*, double*, double*, double*, double*, double*) = nullptr;
  own = routines.refract;
  routines.refract = [](double* height, double* u, double* v, double* w, double* x, double* y, double* t) {
    volatile double zero = *x == 0. && *y == 0. && *t == 0. ? 0. : 1.;
    zero = 1. / zero;
    own(height, u, v, w, x, y, t);
  };
  Emitter other(routines);
  new_event(0.5);
  Step step = aimed_step(staged.air, direction(0.4, 1.), 1e6, 0., 0., 2e3, 20, 0.8, 40.);
  ObservationContext context = staged_shower.surroundings();
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INVALID | FE_DIVBYZERO);
  EXPECT_TRUE(other.emit(step, context));
  EXPECT_EQ(fegetexcept(), FE_INVALID | FE_DIVBYZERO);
  fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_DIVBYZERO), 0);
}

}  // namespace
