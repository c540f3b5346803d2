// A CORSIKA that does what the stage expects, and ones that do not: each difference is found and named.
#include "corsika_runtime/cherenkov/step_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "plain_cerenk.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using cherenkov::corsika::Bunch;
using cherenkov::corsika::CheckDifference;
using cherenkov::corsika::StepCheck;

// Numbers that CORSIKA draws from another sequence.
std::uint64_t drawn_elsewhere = 0;

class StepChecks : public testing::Test {
 protected:
  StepChecks() { make(false); }
  void make(bool spot_checks) {
    check.reset();
    check = std::make_unique<StepCheck>(
        corsika::CheckedRoutines{package.routines(),
                                 [] { return static_cast<long>(Package::played()->hits.size()); },
                                 [] { return Package::played()->drawn + drawn_elsewhere; }},
        spot_checks);
    drawn_elsewhere = 0;
  }
  void new_event() {
    shower = random_shower(random, 1.27e5, 0.9);
    package.new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
  }

  // A step of light in CORSIKA, in which `bunch` may change what TELOUT is given; and its check. whole: the
  // stage takes whole steps.
  void step(const std::function<void(Hit&)>& bunch = {}, const std::function<void()>& at_end = {},
            bool whole = true) {
    corsika::Emission emission{0.01, 40., 5., 0.24, true, index_of, density_of};
    const corsika::ChargedStep charged =
        random_charged_step(random, shower, package, emission.yield, emission.bunch_size);
    Step step{};
    const LightKind light = bunches_of(charged, emission, step);
    corsika::ObservationContext context = shower.surroundings();
    context.cut_w = emission.cut_w;
    StepCheck::Emit emit;
    one.set(0, charged);
    if (whole)
      emit = [&](corsika::Stage& stage, const corsika::ObservationContext& copy) {
        if (!recorded)
          return light == LightKind::kNone || (light == LightKind::kLinear && stage.emit(step, copy));
        bool taken = true;
        finder.find(one, 1, emission, indices);
        stage.emit(one, indices, 1, emission, copy, [&taken](int) { taken = false; });
        return taken;
      };
    check->begin(light, step, context, emit);
    const PlainCerenk plain = plain_cerenk(charged, emission);
    if (plain.loop >= 0) loop(plain, context, bunch);
    if (at_end) at_end();
    check->end();
  }
  void steps(int n) {
    for (int i = 0; i < n; ++i) step();
  }

  // The first difference within so many steps.
  std::string difference(const std::function<void(Hit&)>& bunch, const std::function<void()>& at_end = {},
                         int n = 2000, bool whole = true) {
    for (int i = 0; i < n; ++i) {
      if (i % 200 == 0) new_event();
      try {
        step(bunch, at_end, whole);
      } catch (const CheckDifference& e) {
        return e.what();
      }
    }
    return "none";
  }

  bool recorded = false;
  alignas(64) corsika::RecordedSteps one{};
  corsika::IndexFinder finder;
  corsika::StepIndices indices{};
  Random random{83};
  Package package{1.27e5, 5};
  Shower shower;
  std::unique_ptr<StepCheck> check;
  std::uint64_t refracted = 0;  // bunches that CORSIKA had to refract

 private:
  void loop(const PlainCerenk& plain, const corsika::ObservationContext& context,
            const std::function<void(Hit&)>& change) {
    Package::Watch watch{[this](const Hit& before) {
                           refracted += check->refract({before[0], before[2], before[3], before[4], before[5],
                                                        before[8], before[7], before[6]})
                                            ? 0
                                            : 1;
                         },
                         {},
                         [&](Hit light) {
                           if (change) change(light);
                           check->collect(&light[0], &light[1], &light[2], &light[3], &light[4], &light[5],
                                          &light[6], &light[7], &light[8]);
                         }};
    package.watch = &watch;
    plain_step(plain.step, context, package, nullptr, plain.beta_n);
    package.watch = nullptr;
  }
};

TEST_F(StepChecks, EqualStepsAreCounted) {
  for (int event = 0; event < 10; ++event) {
    new_event();
    steps(400);
  }
  const corsika::CheckCounts& counts = check->counts();
  EXPECT_EQ(counts.steps, 4000U);
  EXPECT_GT(counts.bunches, 50000U);
  EXPECT_EQ(counts.hits, package.hits.size());
  EXPECT_GT(counts.hits, 500U);
  EXPECT_GE(counts.candidates, 500U);
  EXPECT_GT(counts.one_bunch, 50U);
  EXPECT_GT(counts.over_100, 50U);
  EXPECT_GT(counts.several_bins, 0U);
  EXPECT_GT(counts.no_light, 20U);
  EXPECT_LT(counts.own_loop, 1500U);
}

// As the stage does steps that were recorded.
TEST_F(StepChecks, RecordedSteps) {
  recorded = true;
  EXPECT_EQ(difference({}, {}, 4000), "none");
  EXPECT_EQ(check->counts().steps, 4000U);
  EXPECT_GT(check->counts().candidates, 500U);
  EXPECT_GT(check->counts().no_light, 20U);
  EXPECT_GT(check->counts().each_bunch, 50U);
  EXPECT_LT(check->counts().own_loop, 200U);
  EXPECT_EQ(refracted, check->counts().bunches);
  EXPECT_NE(difference({}, [&] { shower.profile[3] += 1e-3; }).find("bin 3"), std::string::npos);
}

// All bunches are counted, all that the stage follows are followed, and some of the others.
TEST_F(StepChecks, SpotChecksFollowFewBunches) {
  make(true);
  recorded = true;
  EXPECT_EQ(difference({}, {}, 4000), "none");
  EXPECT_GT(check->counts().candidates, 500U);
  EXPECT_GT(refracted, check->counts().candidates + check->counts().bunches / 20);
  EXPECT_LT(refracted, check->counts().bunches / 4);
}

TEST_F(StepChecks, SpotChecksFindAHitThatTheStageDoesNotFollow) {
  make(true);
  package.footprints_cut = 300.;
  EXPECT_NE(difference({}).find("hits a telescope and is not followed by the stage"), std::string::npos);
}

TEST_F(StepChecks, SpotChecksFindABunchThatIsCountedTwice) {
  make(true);
  EXPECT_NE(difference({}, [&] { package.bunches += 1.; }).find("bunches of the event"), std::string::npos);
}

// Where the loop is CORSIKA's, bunches are classified one by one.
TEST_F(StepChecks, BunchByBunch) {
  EXPECT_EQ(difference({}, {}, 1000, false), "none");
  EXPECT_EQ(check->counts().own_loop + check->counts().no_light, 1000U);
  EXPECT_GT(check->counts().skipped, 5000U);
  package.footprints_cut = 300.;
  EXPECT_NE(difference({}, {}, 4000, false).find("of CORSIKA's own loop, telescopes hit: CORSIKA 1"),
            std::string::npos);
}

TEST_F(StepChecks, AHitThatTheStageDoesNotFollow) {
  package.footprints_cut = 300.;
  EXPECT_NE(difference({}).find("hits a telescope and is not followed by the stage"), std::string::npos);
}

TEST_F(StepChecks, OtherLightFromABunch) {
  EXPECT_NE(difference([](Hit& light) { light[0] = std::nextafter(light[0], 2.); }).find("photons"),
            std::string::npos);
}

TEST_F(StepChecks, AnotherTimeOfArrival) {
  EXPECT_NE(difference([](Hit& light) { light[6] = std::nextafter(light[6], 0.); }).find("its time: CORSIKA"),
            std::string::npos);
}

TEST_F(StepChecks, OneNumberMoreOfTheSequence) {
  const std::string found = difference({}, [&] {
    double number = 0.;
    package.draw(&number, 1);
  });
  EXPECT_NE(found.find("step 1: numbers drawn for light: CORSIKA"), std::string::npos) << found;
}

// The counters are right, and the words are those of the next number.
TEST_F(StepChecks, AnotherStateOfTheSequence) {
  const auto lose_one = [&] {
    double number = 0.;
    package.draw(&number, 1);
    --package.drawn;
  };
  const std::string found = difference({}, lose_one, 1);
  EXPECT_NE(found.find("step 1: state of the generator's sequence"), std::string::npos) << found;
}

TEST_F(StepChecks, NumbersOfAnotherSequence) {
  const std::string found = difference({}, [] { ++drawn_elsewhere; });
  EXPECT_NE(found.find("numbers drawn from all sequences: CORSIKA"), std::string::npos) << found;
}

TEST_F(StepChecks, AnotherBinOfTheDistribution) {
  const std::string found = difference({}, [&] { shower.profile[3] += 1e-3; });
  EXPECT_NE(found.find("step 1: bin 3 of the longitudinal distribution of light"), std::string::npos)
      << found;
}

TEST_F(StepChecks, ABunchThatIsCountedTwice) {
  const std::string found = difference({}, [&] { package.bunches += 1.; });
  EXPECT_NE(found.find("step 1: bunches of the event: CORSIKA"), std::string::npos) << found;
}

TEST_F(StepChecks, AnAnswerOfTelout) {
  package.answer = 2;
  EXPECT_NE(difference({}).find("answer of TELOUT: CORSIKA 2"), std::string::npos);
}

// A bunch that is hit for the stage, and that CORSIKA does not give to TELOUT.
TEST_F(StepChecks, ABunchThatCorsikaLeavesOut) {
  const std::string found = difference([](Hit& light) { light[2] += 1e9; });
  EXPECT_NE(found.find("bunch that the stage follows, not CORSIKA"), std::string::npos) << found;
}

}  // namespace
