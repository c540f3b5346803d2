// CERENK as a patched CORSIKA calls it (cerenk_call.F), with routines of CORSIKA's names faked by the test.
// Death tests run programs of their own, which read the environment at their start.

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "entry_fixture.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using EntryDeathTest = Entry;

// Done one by one, and together; refracted, and straight.
TEST_F(Entry, TheSameBitsAsThePlainLoop) {
  run_events(10, 400, false, 0.);
  EXPECT_LT(own_calls, 1500);
  EXPECT_GT(plain.hits.size(), 500U);
  const int own = own_calls;
  run_events(10 + 60 / kShare, 300);
  EXPECT_GT(own_calls - own, 100);
  EXPECT_GT(plain.hits.size(), 1000U);
  testch_.frefrx = 0;
  testch_.c[24] = 29979245800.;
  testch_.thckob[1] = 880.;
  run_events(10, 300, false, 0.);
  run_events(10, 300);
  EXPECT_GT(plain.hits.size(), 1500U);
}

// Where lines of the log are asked for in the middle of an event, what was recorded before is done first.
TEST_F(Entry, RecordedStepsComeBeforeOneThatIsLogged) {
  run_events(10, 100, true, 20., [](int i) { testlg_.debug = i % 10 == 8 && i < 98 ? 1 : 0; });
}

// What lines of the log are asked for, and many bunches near threshold: CORSIKA's, and the event's map is
// still its own. A vertical particle is the stage's.
TEST_F(Entry, EventsThatBeginWithAStepLeftToCorsika) {
  for (int event = 0; event < 15; ++event) {
    new_event();
    for (int i = 0; i < 100; ++i) {
      ChargedStep one = i < 2 ? good_step() : charged_step();
      if (i < 2) {
        if (event % 5 == 0) one.end_energy = 0.01, testch_.cersiz *= 0.02;
        if (event % 5 == 1) one.u = 0., one.v = 0., one.x_end = one.x_begin, one.w = 1.;
        testlg_.debug = event % 5 == 2 ? 1 : 0;
        testlg_.lcerdb = event % 5 == 3 ? 1 : 0;
        testlg_.fegsdb = event % 5 == 4 ? 1 : 0;
      }
      const bool took = run(one);
      testlg_ = {};
      EXPECT_TRUE(i >= 2 || took == (event % 5 == 1)) << event;
    }
    expect_equal();
  }
  EXPECT_GT(plain.hits.size(), 300U);
}

// Before any light, and before main: what the test would run is never reached.
TEST_F(EntryDeathTest, WhatTheEnvironmentAsksFor) {
  expect_program(
      {{"CHERENKOV_BACKEND", "opencl"}},
      "^cherenkov: error: CHERENKOV_BACKEND cannot be 'opencl'; give off, cpu, gpu, auto, check, "
      "check-gpu or check:N\n$",
      [] {}, 1);
  expect_program(
      {{"CHERENKOV_THREADS", "2"}}, "^cherenkov: error: CHERENKOV_THREADS cannot be '2'; give 0 or 1\n$",
      [] {}, 1);
  for (const char* cpu : {"", "cpu", "auto"})
    expect_program({{"CHERENKOV_BACKEND", cpu}}, "^$", [this] {
      new_event();
      EXPECT_TRUE(taken(good_step()));
      EXPECT_GT(staged.drawn, 10U);
    });
  expect_program({{"CHERENKOV_BACKEND", "off"}}, "^$", [this] {
    new_event();
    for (int i = 0; i < 50; ++i) EXPECT_FALSE(taken(good_step()));
    chrnot_();
    EXPECT_EQ(own_calls, 50);
    EXPECT_EQ(cherenkov_looks_at_bunches, 0);
  });
}

TEST_F(EntryDeathTest, OnATreeThatIsNotProvenTheStageIsOff) {
  const auto steps_of_the_stage = [this](int expected) {
    new_event();
    cherenkov_proven[24] = '0';
    int steps = 0;
    for (int i = 0; i < 5; ++i) steps += taken(good_step()) ? 1 : 0;
    EXPECT_EQ(steps, expected);
  };
  expect_program({}, "^cherenkov: the stage is off, [^\n]*overlay prove --cherenkov[^\n]*\n$",
                 [&] { steps_of_the_stage(0); });
  expect_program({{"CHERENKOV_UNPROVEN", "1"}}, "^$", [&] { steps_of_the_stage(5); });
  expect_program({{"CHERENKOV_BACKEND", "check"}}, "^cherenkov: check equal: steps=5 ",
                 [&] { steps_of_the_stage(0); });
}

// In a file beside this program. Each of the programs below runs this test up to itself.
TEST_F(EntryDeathTest, TheTableOfRefractionIsKept) {
  namespace fs = std::filesystem;
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const auto kept = [&] {
    std::vector<fs::path> found;
    if (testing::internal::InDeathTestChild()) return found;  // the files are this program's
    for (const auto& entry : fs::directory_iterator(program.parent_path()))
      if (entry.path().string().starts_with(program.string() + ".refraction-")) found.push_back(entry.path());
    return found;
  };
  const auto forget = [&] {
    for (const fs::path& each : kept()) fs::remove(each);
  };
  const auto makes = [](int expected) {
    inrtab_();
    EXPECT_EQ(played_refraction.made, expected);
    EXPECT_EQ(played_refraction.distance[2], 2 + testch_.etadsn);
    EXPECT_EQ(played_refraction.time[1], 1 - testch_.etadsn + played_refraction.unlike);
  };
  const auto expect_made = [&](int expected, const Environment& environment = {}) {
    expect_program(environment, "^$", [&] { makes(expected); });
  };
  forget();
  expect_made(1);
  expect_made(0);
  expect_made(1, {{"CHERENKOV_BACKEND", "off"}});
  expect_made(1, {{"CHERENKOV_BACKEND", "check"}});
  expect_program(
      {{"CHERENKOV_BACKEND", "check"}}, "^cherenkov: [^\n]*INRTAB[^\n]*delete it\n$",
      [&] {
        played_refraction.unlike = 1.;
        inrtab_();
      },
      1);
  expect_program({{"CHERENKOV_BACKEND", "cpu"}}, "^$", [&] {
    cherenkov_proven[24] = '0';
    makes(1);
  });
  expect_program({}, "^$", [&] {
    testlg_.debug = 1;
    makes(1);
  });
  EXPECT_TRUE(testing::internal::InDeathTestChild() || kept().size() == 1);
  for (double* each : {&testch_.etadsn, &testch_.obslev[0], &testch_.c[0]}) {
    const double before = std::exchange(*each, *each + 1.);
    expect_made(1);
    expect_made(0);
    *each = before;
  }
  for (const fs::path& each : kept()) std::fstream(each, std::ios::in | std::ios::out).put('x');
  expect_made(1);
  expect_made(0);
  for (const fs::path& each : kept()) fs::resize_file(each, 9);
  expect_made(1);
  forget();
}

// One line, however many steps there are.
TEST_F(EntryDeathTest, ABuildThatIsNotCoveredSaysSo) {
  const auto steps = [] {
    for (int i = 0; i < 5; ++i) chrnot_();
  };
  expect_program({}, "^cherenkov: the stage does not cover the options of this build[^\n]*\n$", steps);
  expect_program({{"CHERENKOV_BACKEND", "check"}},
                 "^cherenkov: error: the stage does not cover[^\n]*check\n$", steps, 1);
}

// CERENK does every step, and the stage skips bunches of it.
TEST_F(EntryDeathTest, BunchByBunch) {
  expect_program(
      {{"CHERENKOV_SUMMARY", "1"}},
      "^cherenkov: CORSIKA's own loop goes on[^\n]*bunch by bunch[^\n]*CEFFIC\n"
      "cherenkov: backend=cpu steps=0 left_to_corsika=0 [^\n]* skipped=[0-9][0-9]+ maps=3\n"
      "cherenkov: note: stage took 0 of [1-9][0-9]+ steps with light: with option CEFFIC [^\n]*\n$",
      [this] {
        build = chrin2_;
        run_events(3, 200, false, 0.);
        EXPECT_EQ(own_calls, 600);
        EXPECT_GE(plain.hits.size(), 50U);
      });
}

// Nothing was drawn or counted: CORSIKA's own code takes this step and all later ones.
TEST_F(EntryDeathTest, AFailureBeforeAnythingIsDrawnHandsOver) {
  const std::string handed_over = "^cherenkov: [^\n]*it fails; CORSIKA's own code goes on\n";
  const auto fail = [this](Fails what) {
    new_event();
    fails = what;
    EXPECT_FALSE(taken(good_step()));
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(taken(good_step()));
    cherenkov_end_of_event();
    EXPECT_EQ(own_calls, 3);
  };
  expect_program({}, handed_over + "$", [&] { fail(Fails::kCounters); });
  expect_program({}, handed_over + "cherenkov: note: stage took 1 of 3 steps with light: [^\n]*it fails\n$",
                 [&] {
                   build = chrin4_;  // no step is recorded
                   testch_.llongi = 0;
                   new_event();
                   EXPECT_TRUE(taken(good_step()));
                   fail(Fails::kIndices);
                 });
  // Bunches of CORSIKA's own loop.
  expect_program({}, "played: it fails; CORSIKA's own code goes on\n$", [&] {
    build = chrin2_;
    fail(Fails::kCounters);
  });
}

// Numbers were drawn: nobody can make up for them. What CORSIKA has written so far is on the disk.
TEST_F(EntryDeathTest, AFailureAfterThatEndsTheProgramWithItsOutputWritten) {
  const char* given = std::getenv("CERENK_ENTRY_TEST_FILE");  // in the program that is started
  const std::string file = given != nullptr ? given
                                            : std::filesystem::temp_directory_path() /
                                                  ("cerenk-entry-test-" + std::to_string(getpid()));
  expect_program(
      {{"CERENK_ENTRY_TEST_FILE", file.c_str()}}, "^cherenkov: error: played: it fails\n$",
      [&] {
        new_event();
        std::fputs("of the shower\n", std::fopen(file.c_str(), "w"));
        fails = Fails::kDraws;
        taken(good_step());
      },
      1);
  std::ifstream in(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "of the shower\n");
  std::filesystem::remove(file);
  expect_program(
      {{"CHERENKOV_THREADS", "1"}}, "^cherenkov: error: played: it fails\n$",
      [&] { run_events(1, 200, true, 20., [](int i) { fails = i == 199 ? Fails::kCollect : fails; }); }, 1);
}

// The last act of the program, when all else is gone but the stage, its helper thread and its device.
TEST_F(EntryDeathTest, Summaries) {
  const auto counts = [](const char* backend, const char* left, const char* more) {
    return std::string("^cherenkov: backend=") + backend + " steps=[0-9]+ left_to_corsika=" + left +
           " bunches=[0-9]+ near_telescopes=[0-9]+ traced=[0-9]+ skipped=[0-9]+ maps=[0-9]+" + more + "\n$";
  };
  const char* const threads = " threads=1 helper_s=[0-9.]+";
  expect_program({{"CHERENKOV_SUMMARY", "1"}}, counts("cpu", "1", ""), [this] {
    new_event();
    taken(good_step());
    taken(own_step());
  });
  // Steps of many bunches near threshold are CORSIKA's.
  expect_program({{"CHERENKOV_SUMMARY", "1"}, {"CHERENKOV_THREADS", "1"}},
                 counts("cpu", "[1-9][0-9]*", threads), [this] {
                   run_events(3, 6000, true, 20., [this](int i) {
                     if (i < 0) run(own_step());  // alone: all done together have bunches of one size
                   });
                   EXPECT_GE(own_calls, 3);
                 });
  expect_program({{"CHERENKOV_SUMMARY", "1"}, {"CHERENKOV_THREADS", "1"}}, counts("cpu", "[0-9]+", threads),
                 [this] {
                   new_event();
                   testch_.llongi = 0;
                   for (int i = 0; i < 6000; ++i) run(charged_step(), true);
                   cherenkov_end_of_event();
                 });
  expect_program({{"CHERENKOV_SUMMARY", "1"}, {"CHERENKOV_BACKEND", "gpu"}},
                 counts("gpu", "[0-9]+",
                        " batches=[1-9][0-9]* wait_s=[0-9.]+ start_s=[0-9.]+ threads=1 helper_s=[0-9.]+"),
                 [this] { run_events(1, 12000); });
}

// One line says why there is no helper thread and no device, and the CPU goes on.
TEST_F(EntryDeathTest, NoHelperThread) {
  const std::string cpu = "cherenkov: backend=cpu steps=[0-9]+ [^\n]* maps=[12]\n";
  const auto bunches = [this] {
    build = chrin2_;
    run_events(1, 200, false, 0.);
  };
  expect_program(
      {{"CHERENKOV_THREADS", "1"}, {"CHERENKOV_BACKEND", "check:10"}},
      "^cherenkov: no helper thread, because only some steps are checked\ncherenkov: check equal: ", [this] {
        run_events(1, 10);
      });
  expect_program({{"CHERENKOV_THREADS", "1"}, {"CHERENKOV_SUMMARY", "1"}},
                 "^cherenkov: no helper thread: it cannot start: Resource temporarily unavailable; the stage "
                 "goes on alone[^\n]*\n" +
                     cpu + "$",
                 [this] {
                   no_more_threads = true;
                   run_events(1, 300);
                 });
  const Environment gpu{{"CHERENKOV_SUMMARY", "1"}, {"CHERENKOV_BACKEND", "gpu"}};
  expect_program(
      gpu,
      "^cherenkov: no device, because this program cannot record steps; going on on the CPU\n" + cpu + "$",
      [this] {
        build = chrin4_;
        testch_.llongi = 0;
        new_event();
        EXPECT_TRUE(taken(good_step()));
      });
  expect_program(gpu,
                 "^cherenkov: CORSIKA's own loop goes on[^\n]*\n"
                 "cherenkov: no device, because the stage works bunch by bunch; going on on the CPU\n" +
                     cpu + "cherenkov: note: stage took 0 of [^\n]*\n$",
                 bunches);
}

// For a horizontal particle CERENK of UPWARD takes what it computed for a step before: the first ones are
// CORSIKA's.
TEST_F(EntryDeathTest, Upward) {
  expect_program(
      {}, "^cherenkov: error: a particle flies exactly horizontally[^\n]*\n$",
      [this] {
        build = [](corsika::Variables* variables) {
          chrin1_(variables);
          variables->upward = 1;
        };
        new_event();
        testch_.c[28] = -1.;
        const ChargedStep good = good_step();
        ChargedStep level = good, up = good;
        level.w = 0.;
        up.w = -1e-300;
        EXPECT_FALSE(taken(level));
        EXPECT_TRUE(taken(up));
        EXPECT_EQ(corsika::surroundings().cut_w, std::numeric_limits<double>::denorm_min());
        const auto drawn = staged.drawn;
        EXPECT_TRUE(taken(up));
        EXPECT_EQ(staged.drawn, drawn);
        EXPECT_TRUE(taken(good));
        if (HasFailure()) std::exit(0);
        taken(level);
      },
      1);
}

// Steps without light are not counted, and nothing is said where the stage takes half of those with light.
TEST_F(EntryDeathTest, TellsWhyItTookFewSteps) {
  for (const int debugged : {1, 2})
    expect_program({},
                   debugged == 1
                       ? "^$"
                       : "^cherenkov: note: stage took 1 of 3 steps with light: debugging is on; [^\n]*\n$",
                   [&] {
                     new_event();
                     ChargedStep slow = good_step();
                     slow.begin_energy = slow.end_energy = 1.1 * slow.mass;
                     for (int i = 0; i < 3; ++i) {
                       testlg_.debug = i < debugged ? 1 : 0;
                       run(good_step());
                       run(slow);
                     }
                     expect_equal();
                   });
}

}  // namespace
