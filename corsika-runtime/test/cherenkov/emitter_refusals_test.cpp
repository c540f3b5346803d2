// What the stage leaves to CORSIKA, with nothing drawn or counted.

#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::Emitter;
using corsika::ObservationContext;

class Refusals : public Runs {
 protected:
  void SetUp() override {
    new_event(0.3);
    step = aimed_step(staged.air, direction(0.4, 1.), 1e6, 0., 0., 2e3, 20, 0.8, 40.);
    context = staged_shower.surroundings();
  }
  void expect_refused() {
    const double photons = staged.photons, bunches = staged.bunches;
    const auto drawn = staged.drawn, left = emitter.counts().left_to_corsika;
    const auto profile = staged_shower.profile;
    EXPECT_FALSE(emitter.emit(step, context));
    EXPECT_EQ(staged.photons, photons);
    EXPECT_EQ(staged.bunches, bunches);
    EXPECT_EQ(staged.drawn, drawn);
    EXPECT_EQ(staged.traced, 0U);
    EXPECT_EQ(emitter.counts().left_to_corsika, left + 1);
    EXPECT_TRUE(same_bits(profile, staged_shower.profile));
  }
  void aim(double zenith, double height, double length) {
    step = aimed_step(staged.air, direction(zenith, 1.), height, 0., 0., length, 20, 0.8, 40.);
  }
  Step step{};
  ObservationContext context{};
};

TEST_F(Refusals, NotTheStepThatTheOthersAreMadeFrom) { EXPECT_TRUE(emitter.emit(step, context)); }

TEST_F(Refusals, StepsThatAreCorsikas) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Step good = step;
  const ObservationContext good_context = context;
  const struct {
    const char* what;
    std::function<void()> change;
  } kCases[] = {
      {"below threshold at its end",
       [&] {
         step.beta_n = 1. + 1e-5;
         step.beta_n_slope = -1.1e-5 / (step.bunches * step.between.path);
       }},
      {"below threshold", [&] { step.beta_n_slope = 0., step.beta_n = 0.999; }},
      {"flat", [&] { aim(1.37, kObserved + 1e4, 1e3); }},
      {"flatter", [&] { aim(1.45, kObserved + 1e4, 1e3); }},
      {"almost level", [&] { aim(1.55, kObserved + 1e4, 1e3); }},
      {"upward", [&] { step.w0 = -step.w0, step.between.z = -step.between.z; }},
      {"light that the zenith cut may drop", [&] { context.cut_w = step.w0 - 0.001; }},
      {"ends below the detection plane", [&] { step.before.z = kObserved + 500.; }},  // 1842 cm down
      {"below the detection plane", [&] { step.before.z = kObserved - 5000.; }},
      {"above the air", [&] { step.before.z = 1.1281e7; }},
      // Flat light from high up: refraction by many metres, known to a percent.
      {"refraction that is not known well enough", [&] { aim(1.33, 6e6, 1e3); }},
      {"a direction longer than one", [&] { step.u0 *= 1.001, step.v0 *= 1.001, step.w0 *= 1.001; }},
      {"a place that rounding blurs", [&] { step.before.x = 1e14; }},
  };
  for (const auto& one : kCases) {
    SCOPED_TRACE(one.what);
    step = good, context = good_context;
    one.change();
    expect_refused();
  }
  context = good_context;
  const auto expect_nan_refused = [&](double& number) {
    number = nan;
    expect_refused();
    step = good;
  };
  step = good;
  for (double Step::*member : {&Step::beta_n, &Step::beta_n_slope, &Step::u0, &Step::v0, &Step::w0})
    expect_nan_refused(step.*member);
  for (double Step::Point::*member : {&Step::Point::x, &Step::Point::y, &Step::Point::z})
    for (Step::Point* point : {&step.before, &step.between}) expect_nan_refused(point->*member);
  context.cut_w = step.w0 - 0.2;
  EXPECT_TRUE(emitter.emit(step, context));
}

TEST_F(Refusals, TelescopesThatCannotBeTold) {
  staged.no_telescopes = true;
  expect_refused();
  EXPECT_NE(emitter.event().why_not(), "");
  staged.no_telescopes = false;
  expect_refused();  // for good
}

TEST_F(Refusals, ProfilesOutOfOrder) {
  std::swap(staged_shower.edges[3], staged_shower.edges[4]);
  expect_refused();
  EXPECT_NE(emitter.event().why_not(), "");
}

// A parametrised atmosphere ends before the next edge; or all bins are in use, and another variable of the
// COMMON block stands there.
TEST_F(Refusals, NotForWhatStandsBehindTheEdges) {
  const int bins = context.profile.bins;
  staged_shower.edges.resize(static_cast<std::size_t>(bins) + 2);
  staged_shower.edges.back() = -1.;
  context.profile.edge = staged_shower.edges.data();
  for (const int max_bins : {bins + 1, bins}) {
    context.profile.max_bins = max_bins;
    EXPECT_TRUE(emitter.emit(step, context)) << emitter.event().why_not();
  }
}

TEST_F(Refusals, RefractionOfAnotherKind) {
  corsika::Routines routines = staged.routines();
  routines.refract = [](double* height, double* u, double* v, double* w, double* x, double* y, double*) {
    *x -= 1e-5 * *height * *u / *w;  // one cosine, not three
    *y -= 1e-5 * *height * *v / *w;
  };
  Emitter other(routines);
  EXPECT_FALSE(other.emit(step, context));
  EXPECT_NE(other.event().why_not().find("formula"), std::string::npos) << other.event().why_not();
  EXPECT_EQ(staged.drawn, 0U);
}

}  // namespace
