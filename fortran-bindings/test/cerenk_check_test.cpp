// The check of light, and steps that are dropped. Each test runs programs of its own, which read the
// environment at their start.

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
  expect_program({}, "^$", [this] {
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
    EXPECT_GE(plain.drawn, 1000U);
  });
}

TEST_F(CheckDeathTest, ACheckLeavesCorsikaAsItIsAndCounts) {
  expect_program({{"CHERENKOV_BACKEND", "check"}},
                 "^cherenkov: check equal: steps=900 bunches=[0-9]+ hits=[0-9]+ candidates=[0-9]+ "
                 "skipped=[0-9]+ own_loop=[0-9]+ each_bunch=[1-9][0-9]* no_light=[0-9]+ one_bunch=[0-9]+ "
                 "over_100=[0-9]+ several_bins=[0-9]+ near_threshold=[0-9]+ every=1 recorded=1 threads=0 "
                 "device=0\n$",
                 [this] {
                   run_events(3, 300, false, 0.);
                   EXPECT_EQ(own_calls, 900);
                 });
}

// Of steps that are done later every tenth full record is checked, also where that is not the first of its
// event; the others are the stage's, and the outputs are CORSIKA's.
TEST_F(CheckDeathTest, EverySoManySteps) {
  const Environment tenth{{"CHERENKOV_BACKEND", "check:10"}};
  expect_program(tenth, "^cherenkov: check equal: steps=1[0-9][0-9] [^\n]*every=10 ",
                 [this] { run_events(5, 300); });
  expect_program(tenth, "^cherenkov: check equal: steps=10 [^\n]*every=10 ", [this] {
    new_event();
    for (int i = 0; i < 100; ++i) run(good_step());
    expect_equal();
    EXPECT_EQ(own_calls, 10);
  });
  // Bunch by bunch, and with wavelengths.
  expect_program(tenth,
                 "check equal: steps=30 [^\n]* skipped=[1-9][0-9]+ own_loop=30 [^\n]*every=10 recorded=0 ",
                 [this] {
                   build = chrin2_;
                   run_events(1, 300, false, 0.);
                 });
}

// Recorded steps are checked as they are run: many together, with a helper thread, with a device, and where
// CORSIKA must do some of them.
class RecordedCheckDeathTest : public Entry {
 protected:
  // Of many steps; `between` may change what CORSIKA has after each.
  void steps(const std::function<void(int)>& between = {}, double bunch_size = 20., int count = 6000,
             int events = kShare > 1 ? 1 : 3) {
    run_events(events, count, true, bunch_size, [&](int i) {
      if (i < 0) return static_cast<void>(run(own_step()));
      if (between) between(i);
      if (i % 2000 == 1000) run(own_step(), true);
    });
  }
  void expect_difference(const std::function<void(int)>& between, const char* what) {
    for (const char* number : {"0", "1"})
      expect_program(
          {{"CHERENKOV_BACKEND", "check"}, {"CHERENKOV_THREADS", number}},
          std::string("^cherenkov: error: check: step [0-9]+( to [0-9]+)?: ") + what,
          [&] { steps(between, 20., 6000, 3); }, 1);
  }
};

TEST_F(RecordedCheckDeathTest, AsStepsAreRun) {
  const auto some = [this] { steps(); };
  expect_program({{"CHERENKOV_BACKEND", "check"}}, "check equal: [^\n]*recorded=1 threads=0 device=0\n$",
                 some);
  expect_program({{"CHERENKOV_BACKEND", "check"}, {"CHERENKOV_THREADS", "1"}},
                 "check equal: [^\n]* own_loop=[1-9][^\n]*recorded=1 threads=1 device=0\n$", some);
  expect_program({{"CHERENKOV_BACKEND", "check-gpu"}}, "check equal: [^\n]*recorded=1 threads=1 device=1\n$",
                 some);
}

// Each step is done with the settings that it was recorded with; and what CORSIKA's library draws, so that
// the stage is told, comes behind what was recorded before.
TEST_F(RecordedCheckDeathTest, WhatComesBetweenStepsInAnEvent) {
  const auto draw = [this](int i) {
    if (i % 100 != 7) return;
    double number = 0.;
    ranmar_before_reading();
    staged.draw(&number, 1);
    plain.draw(&number, 1);
  };
  for (const char* threads : {"0", "1"})
    for (const auto& [backend, says] :
         {std::pair("check", "check equal: [^\n]*recorded=1"), std::pair("cpu", "^$")}) {
      const Environment environment{{"CHERENKOV_BACKEND", backend}, {"CHERENKOV_THREADS", threads}};
      expect_program(environment, says, [&] { steps({}, 0., 500); });
      expect_program(environment, says, [&] { steps(draw); });
    }
}

TEST_F(RecordedCheckDeathTest, DifferencesAreFound) {
  expect_difference(
      [this](int i) {
        double number = 0.;
        if (i == 4000) staged.draw(&number, 1);
      },
      "numbers drawn for light between two steps: CORSIKA [0-9]+ ");
  expect_difference([this](int i) { staged.photons += i == 300 ? 1. : 0.; }, "photons of the event: ");
  expect_difference([](int i) { testch_.plong9[2] += i == 300 ? 1. : 0.; },
                    "bin 2 of the longitudinal distribution of light between two steps: ");
  expect_difference([this](int) { staged.spheres_cut = 150.; },
                    "bunch [0-9]+ (hits a telescope and is not followed|of CORSIKA's own loop hits)");
  expect_difference([this](int i) { staged.answer = i > 100 ? 1 : 0; },
                    "bunch [0-9]+: answer of TELOUT: CORSIKA 1 \\([0-9a-f]{16}\\), "
                    "stage 0 \\([0-9a-f]{16}\\)\n$");
  // Steps that were dropped must emit no light.
  expect_difference(
      [](int) {
        for (double& least : corsika::recorded.threshold) least = 1e9;
      },
      "bunches of the event: ");
}

// A failure in the check ends the run, as a difference does: it is no reason to go on.
TEST_F(CheckDeathTest, AFailureEndsTheRun) {
  new_event();
  expect_program(
      {{"CHERENKOV_BACKEND", "check"}}, "^cherenkov: error: played: it fails\n$",
      [this] {
        fails = Fails::kCollect;
        run(good_step());
      },
      1);
}

}  // namespace
