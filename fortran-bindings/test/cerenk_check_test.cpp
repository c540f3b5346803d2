// The check, programs whose tree is not proven, and steps that are dropped. Death tests run a program of
// their own, which reads the environment at its start.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "entry_fixture.hpp"

extern "C" {
extern void (*ranmar_before_reading)();
}

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using CheckDeathTest = Entry;

// Slow particles just above a jump of the refractive index.
TEST_F(CheckDeathTest, AJumpOfTheIndexDropsNoLight) {
  EXPECT_EXIT(
      {
        index_jump_height = 998350.;  // 22 cm above the begin of a cell of the table of thresholds
        for (int event = 0; event < 20; ++event) {
          new_event();
          for (int i = 0; i < 300; ++i) {
            ChargedStep one = charged_step();
            testch_.cersiz = 20.;
            one.z_begin = index_jump_height + random.uniform(1., 100.);
            one.z_end = one.z_begin - 10.;
            const double excess = 1.002 * Atmosphere::refractivity(one.z_begin);
            one.begin_energy = kElectron / std::sqrt(2. * excess) * random.uniform(0.998, 1.004);
            one.end_energy = one.begin_energy * (1. - random.uniform(0., 1e-3));
            run(one, true);
          }
          expect_equal();
        }
        std::_Exit(HasFailure() || plain.drawn < 1000 ? 1 : 0);
      },
      testing::ExitedWithCode(0), "^$");
}

// With option CURVED CERENK drops slow steps by the same table: none that it drops has light.
TEST_F(CheckDeathTest, SlowStepsAreDroppedInTheCurvedGeometry) {
  std::int32_t in_detector_frame = 1;
  const double cos_earth = 1.;
  const auto done = [&](ChargedStep one) {
    std::int32_t result = 0;
    chrcrv_(&result, &one.length, &one.u, &one.v, &one.w, &one.begin_energy, &one.end_energy, &one.x_begin,
            &one.y_begin, &one.z_begin, &one.x_end, &one.y_end, &one.z_end, &one.begin_time, &one.end_time,
            &one.mass, &one.charge, &cos_earth);
    return result;
  };
  const auto drops = [&](const ChargedStep& one) {
    const double cell = (one.z_end - chrste_.low) * chrste_.cells_per_cm;
    return chrste_.defers != 0 && cell >= 0. && cell < kThresholdCells &&
           one.begin_energy < one.mass * chrste_.threshold[static_cast<int>(cell)];
  };
  EXPECT_EXIT(
      {
        chrgeo_(&kEndsRead, &in_detector_frame, nullptr, nullptr);
        new_event();
        // With several levels the stage does nothing.
        EXPECT_EQ(done(good_step()), 0);
        testch_.nobslv = 1;
        testch_.obslev[0] = testch_.obslev[1];
        ChargedStep slow = good_step();
        slow.begin_energy = 1.001 * slow.mass;
        slow.end_energy = 1.0005 * slow.mass;
        EXPECT_EQ(done(slow), 1);  // the first one starts the stage
        EXPECT_TRUE(drops(slow));
        int dropped = 0;
        for (int i = 0; i < 10000; ++i) {
          ChargedStep one = good_step();
          one.z_begin = random.uniform(1.3e5, 6e6);
          one.z_end = one.z_begin - one.length * one.w;
          const double excess = Atmosphere::refractivity(one.z_end);
          one.begin_energy = one.mass / std::sqrt(2. * excess) * random.uniform(0.98, 1.02);
          one.end_energy = 0.9999 * one.begin_energy;
          if (!drops(one)) continue;
          ++dropped;
          EXPECT_EQ(done(one), 1);
        }
        EXPECT_EQ(staged().bunches, 0.);
        EXPECT_EQ(staged().drawn, 0);
        EXPECT_GT(dropped, 2000);
        std::_Exit(HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "^$");
}

TEST_F(CheckDeathTest, OnATreeThatIsNotProvenTheStageIsOff) {
  new_event();
  const auto steps_of_the_stage = [&] {
    cherenkov_proven_ = 0;
    int steps = 0;
    for (int i = 0; i < 5; ++i) steps += taken(good_step()) ? 1 : 0;
    return steps;
  };
  EXPECT_EXIT(std::_Exit(steps_of_the_stage()), testing::ExitedWithCode(0),
              "^cherenkov: the stage is off, [^\n]*overlay prove --cherenkov[^\n]*\n$");
  {
    const Variable unproven("CHERENKOV_UNPROVEN", "1");
    EXPECT_EXIT(std::_Exit(steps_of_the_stage()), testing::ExitedWithCode(5), "^$");
  }
  const Variable backend("CHERENKOV_BACKEND", "check");
  EXPECT_EXIT(std::exit(steps_of_the_stage()), testing::ExitedWithCode(0),
              "^cherenkov: check equal: steps=5 ");
}

TEST_F(CheckDeathTest, ACheckLeavesCorsikaAsItIsAndCounts) {
  const Variable backend("CHERENKOV_BACKEND", "check");
  EXPECT_EXIT(
      {
        bool any = false;
        for (int event = 0; event < 3; ++event) {
          new_event();
          for (int i = 0; i < 300; ++i) any = run(charged_step()) || any;
          expect_equal();
        }
        std::exit(any || HasFailure() || own_calls != 900 ? 1 : 0);
      },
      testing::ExitedWithCode(0),
      "^cherenkov: check equal: steps=900 bunches=[0-9]+ hits=[0-9]+ candidates=[0-9]+ skipped=[0-9]+ "
      "own_loop=[0-9]+ each_bunch=[1-9][0-9]* no_light=[0-9]+ one_bunch=[0-9]+ over_100=[0-9]+ "
      "several_bins=[0-9]+ "
      "near_threshold=[0-9]+ every=1 recorded=1 threads=0 device=0\n$");
}

// With a helper thread: the same light. Steps of many bunches near threshold are CORSIKA's.
TEST_F(CheckDeathTest, AHelperThread) {
  const Variable threads("CHERENKOV_THREADS", "1");
  const Variable summary("CHERENKOV_SUMMARY", "1");
  EXPECT_EXIT(
      {
        for (int event = 0; event < 3; ++event) {
          new_event();
          run(own_step());  // alone: all steps that are done together have bunches of one size
          for (int i = 0; i < 6000; ++i) {
            const ChargedStep one = charged_step();
            testch_.cersiz = 20.;
            run(one, true);
          }
          expect_equal();
        }
        std::exit(HasFailure() || own_calls < 3 ? 1 : 0);
      },
      testing::ExitedWithCode(0),
      "^cherenkov: backend=cpu steps=[0-9]+ left_to_corsika=[1-9][0-9]* [^\n]* threads=1 "
      "helper_s=[0-9.]+\n$");
}

TEST_F(CheckDeathTest, NoHelperThreadWhereStepsAreChecked) {
  const Variable threads("CHERENKOV_THREADS", "1");
  const Variable backend("CHERENKOV_BACKEND", "check:10");
  new_event();
  EXPECT_EXIT(
      {
        run(good_step());
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^cherenkov: no helper thread, because only some steps are checked\n$");
}

TEST_F(CheckDeathTest, AnotherNumberOfHelperThreads) {
  const Variable threads("CHERENKOV_THREADS", "2");
  EXPECT_EXIT(std::_Exit(0), testing::ExitedWithCode(1),
              "^cherenkov: error: CHERENKOV_THREADS cannot be '2'; give 0 or 1\n$");
}

// The check asks the stage for recorded steps, and so sees one that is dropped and emits light.
TEST_F(CheckDeathTest, AStepThatIsDroppedAndEmitsLight) {
  const Variable backend("CHERENKOV_BACKEND", "check");
  new_event();
  EXPECT_EXIT(
      {
        run(good_step());
        for (double& least : chrste_.threshold) least = 1e9;
        run(good_step());
        std::_Exit(0);
      },
      testing::ExitedWithCode(1),
      "^cherenkov: error: check: step 2: bunches of the event: CORSIKA [^\n]*\n$");
}

// Of steps that are done later every tenth full record is checked, also where that is not the first of its
// event; and the outputs are CORSIKA's.
TEST_F(CheckDeathTest, EverySoManyRecordedSteps) {
  const Variable backend("CHERENKOV_BACKEND", "check:10");
  EXPECT_EXIT(
      {
        for (int event = 0; event < 5; ++event) {
          new_event();
          for (int i = 0; i < 300; ++i) {
            const ChargedStep one = charged_step();
            testch_.cersiz = 20.;  // the same for all steps that are done together
            run(one, true);
          }
          expect_equal();
        }
        std::exit(HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "^cherenkov: check equal: steps=1[0-9][0-9] [^\n]*every=10 ");
}

// The others are the stage's.
TEST_F(CheckDeathTest, EverySoManySteps) {
  const Variable backend("CHERENKOV_BACKEND", "check:10");
  new_event();
  EXPECT_EXIT(
      {
        for (int i = 0; i < 100; ++i) run(good_step());
        expect_equal();
        std::exit(HasFailure() || own_calls != 10 ? 1 : 0);
      },
      testing::ExitedWithCode(0), "^cherenkov: check equal: steps=10 [^\n]*every=10 ");
}

TEST_F(CheckDeathTest, TheFirstDifferenceEndsTheRun) {
  const Variable backend("CHERENKOV_BACKEND", "check");
  new_event();
  EXPECT_EXIT(
      {
        staged().answer = 1;
        run(good_step());
        std::_Exit(0);
      },
      testing::ExitedWithCode(1),
      "^cherenkov: error: check: step 1: bunch 1: answer of TELOUT: CORSIKA 1 \\([0-9a-f]{16}\\), stage 0 "
      "\\([0-9a-f]{16}\\)\n$");
}

// Recorded steps are checked as they are run: many together, with a helper thread, with a device, and where
// CORSIKA must do some of them.
class RecordedCheckDeathTest : public Entry {
 protected:
  // Of many steps; `between` may change what CORSIKA has after each.
  void steps(const std::function<void(int)>& between = {}, double bunch_size = 20., int count = 6000) {
    for (int event = 0; event < 3; ++event) {
      new_event();
      run(own_step());
      for (int i = 0; i < count; ++i) {
        const ChargedStep one = charged_step();
        if (bunch_size != 0.) testch_.cersiz = bunch_size;
        run(one, true);
        if (between) between(i);
        if (i % 2000 == 1000) run(own_step(), true);
      }
      expect_equal();
    }
    std::exit(HasFailure() ? 1 : 0);
  }
  void expect_difference(const std::function<void(int)>& between, const char* what) {
    for (const char* number : {"0", "1"}) {
      const Variable threads("CHERENKOV_THREADS", number);
      EXPECT_EXIT(steps(between), testing::ExitedWithCode(1),
                  std::string("^cherenkov: error: check: step [0-9]+( to [0-9]+)?: ") + what);
    }
  }
  Variable backend{"CHERENKOV_BACKEND", "check"};
};

TEST_F(RecordedCheckDeathTest, AsStepsAreRun) {
  EXPECT_EXIT(steps(), testing::ExitedWithCode(0), "check equal: [^\n]*recorded=1 threads=0 device=0\n$");
  const Variable threads("CHERENKOV_THREADS", "1");
  EXPECT_EXIT(steps(), testing::ExitedWithCode(0),
              "check equal: [^\n]* own_loop=[1-9][^\n]*recorded=1 threads=1 device=0\n$");
  const Variable device("CHERENKOV_BACKEND", "check-gpu");
  EXPECT_EXIT(steps(), testing::ExitedWithCode(0), "check equal: [^\n]*recorded=1 threads=1 device=1\n$");
}

// Each step is done with the settings that it was recorded with.
TEST_F(RecordedCheckDeathTest, SettingsThatChangeWithinAnEvent) {
  EXPECT_EXIT(steps({}, 0., 500), testing::ExitedWithCode(0), "check equal: [^\n]*recorded=1");
  const Variable none("CHERENKOV_BACKEND", "cpu");
  EXPECT_EXIT(steps({}, 0., 500), testing::ExitedWithCode(0), "^$");
}

TEST_F(RecordedCheckDeathTest, ANumberDrawnBetweenTwoSteps) {
  expect_difference(
      [](int i) {
        double number = 0.;
        if (i == 4000) staged().draw(&number, 1);
      },
      "numbers drawn for light between two steps: CORSIKA [0-9]+ ");
}

// CORSIKA's library draws it so that the stage knows: what was recorded is done before.
TEST_F(RecordedCheckDeathTest, ANumberDrawnWhereTheStageIsTold) {
  const auto draw = [&](int i) {
    if (i % 100 != 7) return;
    double number = 0.;
    ranmar_before_reading();
    staged().draw(&number, 1);
    plain.draw(&number, 1);
  };
  EXPECT_EXIT(steps(draw), testing::ExitedWithCode(0), "check equal: [^\n]*recorded=1");
  const Variable none("CHERENKOV_BACKEND", "cpu");
  EXPECT_EXIT(steps(draw), testing::ExitedWithCode(0), "^$");
}

TEST_F(RecordedCheckDeathTest, SumsThatChangeBetweenTwoSteps) {
  expect_difference([](int i) { staged().photons += i == 300 ? 1. : 0.; }, "photons of the event: ");
  expect_difference([](int i) { testch_.plong9[2] += i == 300 ? 1. : 0.; },
                    "bin 2 of the longitudinal distribution of light between two steps: ");
}

TEST_F(RecordedCheckDeathTest, HitsThatTheStageMisses) {
  expect_difference([](int) { staged().spheres_cut = 150.; },
                    "bunch [0-9]+ (hits a telescope and is not followed|of CORSIKA's own loop hits)");
}

TEST_F(RecordedCheckDeathTest, AnAnswerOfTelout) {
  expect_difference([](int i) { staged().answer = i > 100 ? 1 : 0; },
                    "bunch [0-9]+: answer of TELOUT: CORSIKA 1 ");
}

// Steps that were dropped must emit no light.
TEST_F(RecordedCheckDeathTest, ADroppedStepWithLight) {
  expect_difference(
      [](int) {
        for (double& least : chrste_.threshold) least = 1e9;
      },
      "bunches of the event: ");
}

// A failure in the check is no reason to go on.
TEST_F(CheckDeathTest, AFailureInTheCheckEndsTheRun) {
  const Variable backend("CHERENKOV_BACKEND", "check");
  new_event();
  EXPECT_EXIT(
      {
        fails = Fails::kCollect;
        run(good_step());
        std::_Exit(0);
      },
      testing::ExitedWithCode(1), "^cherenkov: error: played: it fails\n$");
}

}  // namespace
