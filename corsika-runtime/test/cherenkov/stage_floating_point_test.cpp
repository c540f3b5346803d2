// The stage's floating-point exceptions: none that CORSIKA's own loop does not make.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>

#include "corsika_runtime/cherenkov/stage.hpp"
#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::ObservationContext;
using corsika::Stage;

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
        ++low;
      }
      ParticleStep other = one;
      std::feclearexcept(FE_ALL_EXCEPT);
      ObservationContext context = shower.surroundings(), staged_around = staged_shower.surroundings();
      plain_step(one.step, context, plain);
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
  EXPECT_GT(stage.counts().near_telescopes, 500U);
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
  Stage other(routines);
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
