// CERENK as a patched CORSIKA calls it (cerenk_call.F), with routines of CORSIKA's names faked by the test.
// Death tests run a program of their own, which reads the environment at its start.
#include "cerenk_entry.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "entry_fixture.hpp"
#include "telescope_efficiency_entry.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using EntryDeathTest = Entry;

TEST_F(Entry, TheSameBitsAsThePlainLoop) {
  int taken = 0;
  for (int event = 0; event < 10; ++event) {
    new_event();
    for (int i = 0; i < 400; ++i) taken += run(charged_step()) ? 1 : 0;
    expect_equal();
  }
  EXPECT_GT(taken, 2500);
  EXPECT_GT(plain.hits.size(), 500U);
}

TEST_F(Entry, TheSameBitsWhereStepsAreDoneTogether) {
  const int own = own_calls;
  for (int event = 0; event < 40; ++event) {
    new_event();
    for (int i = 0; i < 300; ++i) {
      const ChargedStep one = charged_step();
      testch_.cersiz = 20.;  // the same for all steps that are done together
      run(one, true);
    }
    expect_equal();
  }
  EXPECT_GT(own_calls - own, 100);
  EXPECT_GT(plain.hits.size(), 500U);
}

// Done one by one, and together.
TEST_F(Entry, LightThatGoesStraight) {
  testch_.frefrx = 0;
  testch_.c[24] = 29979245800.;
  testch_.thckob[1] = 880.;
  for (int event = 0; event < 20; ++event) {
    new_event();
    for (int i = 0; i < 300; ++i) {
      const ChargedStep one = charged_step();
      if (event % 2 == 0) testch_.cersiz = 20.;
      run(one, event % 2 == 0);
    }
    expect_equal();
  }
  EXPECT_GT(plain.hits.size(), 500U);
}

// Where lines of the log are asked for in the middle of an event, what was recorded before is done first.
TEST_F(Entry, RecordedStepsComeBeforeOneThatIsLogged) {
  for (int event = 0; event < 10; ++event) {
    new_event();
    for (int i = 0; i < 100; ++i) {
      const ChargedStep one = charged_step();
      testch_.cersiz = 20.;
      testlg_.debug = i % 10 == 9 ? 1 : 0;
      run(one, true);
    }
    testlg_.debug = 0;
    expect_equal();
  }
}

TEST_F(Entry, AStepForgetsLostPhotonsOfTheOneBefore) {
  new_event();
  chrefc_.lost = 3, chrefc_.active = 0;
  testlg_.lcerdb = 1;  // done at once
  run(good_step());
  EXPECT_EQ(chrefc_.lost, 0);
  EXPECT_EQ(chrefc_.active, 1);
}

// Of a step of one bunch that is exactly at threshold CORSIKA counts no bunch.
TEST_F(Entry, ABunchWithoutPhotonsIsNone) {
  for (int event = 0; event < 5; ++event) {
    new_event();
    for (int i = 0; i < 10; ++i) {
      const ChargedStep some = charged_step();
      testch_.cersiz = 20.;
      run(some, true);
    }
    ChargedStep one = good_step();
    testch_.cersiz = 20.;
    one.z_end = one.z_begin;
    const double n = index_of(&one.z_begin);
    const auto beta_n = [&](double energy) {
      const double ratio = one.mass * 2. / (energy + energy);
      return std::sqrt(1. - ratio * ratio) * n;
    };
    double low = one.mass, high = 1., energy = 0.5;
    for (; beta_n(energy) != 1. && low < high; energy = 0.5 * (low + high))
      (beta_n(energy) < 1. ? low : high) = energy;
    ASSERT_EQ(beta_n(energy), 1.);
    one.begin_energy = energy + 0x1p-10, one.end_energy = energy - 0x1p-10;
    run(one, true);
    expect_equal();
  }
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
TEST_F(EntryDeathTest, UnknownBackendsEndTheProgramAtItsStart) {
  const Variable backend("CHERENKOV_BACKEND", "opencl");
  EXPECT_EXIT(std::_Exit(0), testing::ExitedWithCode(1),
              "^cherenkov: error: CHERENKOV_BACKEND cannot be 'opencl'; give off, cpu, gpu, auto, check, "
              "check-gpu or check:N\n$");
}

TEST_F(EntryDeathTest, UnsetAndAutoMeanCpu) {
  for (const char* unset : {static_cast<const char*>(nullptr), "", "cpu", "auto"}) {
    const Variable backend("CHERENKOV_BACKEND", unset);
    new_event();
    EXPECT_EXIT(std::_Exit(taken(good_step()) && staged().drawn > 10 ? 0 : 1), testing::ExitedWithCode(0),
                "^$");
  }
}

TEST_F(EntryDeathTest, OffLeavesEverythingToCorsika) {
  const Variable backend("CHERENKOV_BACKEND", "off");
  new_event();
  EXPECT_EXIT(
      {
        bool any = false;
        for (int i = 0; i < 50; ++i) any = taken(good_step()) || any;
        chrnot_();
        std::_Exit(any || own_calls != 50 || cherenkov_looks_at_bunches != 0 ? 1 : 0);
      },
      testing::ExitedWithCode(0), "^$");
}

// One line, however many steps there are.
TEST_F(EntryDeathTest, ABuildThatIsNotCoveredSaysSo) {
  EXPECT_EXIT(
      {
        for (int i = 0; i < 5; ++i) chrnot_();
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^cherenkov: the stage does not cover the options of this build[^\n]*\n$");
  const Variable backend("CHERENKOV_BACKEND", "check");
  EXPECT_EXIT(chrnot_(), testing::ExitedWithCode(1),
              "^cherenkov: error: the stage does not cover[^\n]*check\n$");
}

// CERENK does every step, and the stage skips bunches of it.
TEST_F(EntryDeathTest, BunchByBunch) {
  const Variable asked("CHERENKOV_SUMMARY", "1");
  EXPECT_EXIT(
      {
        build = chrin2_;
        bool any = false;
        for (int event = 0; event < 3; ++event) {
          new_event();
          for (int i = 0; i < 200; ++i) any = run(charged_step()) || any;
          expect_equal();
        }
        std::exit(any || HasFailure() || plain.hits.size() < 50 ? 1 : 0);
      },
      testing::ExitedWithCode(0),
      "^cherenkov: CORSIKA's own loop goes on[^\n]*bunch by bunch[^\n]*NOCLONG\n"
      "cherenkov: backend=cpu steps=0 [^\n]* skipped=[0-9][0-9]+ maps=3\n"
      "cherenkov: note: stage took 0 of [1-9][0-9]+ steps with light: with option NOCLONG [^\n]*\n$");
}

// Nothing was drawn or counted: CORSIKA's own code takes this step and all later ones.
TEST_F(EntryDeathTest, AFailureBeforeAnythingIsDrawnHandsOver) {
  new_event();
  EXPECT_EXIT(
      {
        fails = Fails::kCounters;
        bool any = taken(good_step());
        fails = Fails::kNothing;
        any = taken(good_step()) || any;
        cherenkov_end_of_event();
        std::_Exit(any || own_calls != 2 ? 1 : 0);
      },
      testing::ExitedWithCode(0), "^cherenkov: played: it fails; CORSIKA's own code goes on\n$");
}

// Numbers were drawn: nobody can make up for them. What CORSIKA has written so far is on the disk.
TEST_F(EntryDeathTest, AFailureAfterThatEndsTheProgramWithItsOutputWritten) {
  new_event();
  const char* given = std::getenv("CERENK_ENTRY_TEST_FILE");  // in the program that is started
  std::string folder = (std::filesystem::temp_directory_path() / "cerenk-entry-test-XXXXXX").string();
  if (given == nullptr) {
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
  }
  const std::filesystem::path file =
      given != nullptr ? std::filesystem::path(given) : std::filesystem::path(folder) / "output";
  const Variable name("CERENK_ENTRY_TEST_FILE", file.c_str());
  EXPECT_EXIT(
      {
        std::FILE* out = std::fopen(std::getenv("CERENK_ENTRY_TEST_FILE"), "w");
        std::fputs("of the shower\n", out);
        fails = Fails::kDraws;
        taken(good_step());
        std::_Exit(0);
      },
      testing::ExitedWithCode(1), "^cherenkov: error: played: it fails\n$");
  std::ifstream in(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "of the shower\n");
  std::filesystem::remove_all(folder);
}

TEST_F(EntryDeathTest, AFailureInABunchOrAtTheEndOfAnEvent) {
  const Variable threads("CHERENKOV_THREADS", "1");
  new_event();
  EXPECT_EXIT(
      {
        for (int i = 0; i < 200; ++i) {
          const ChargedStep one = charged_step();
          testch_.cersiz = 20.;
          taken(one, true);
        }
        fails = Fails::kCollect;
        cherenkov_end_of_event();
        std::_Exit(0);
      },
      testing::ExitedWithCode(1), "^cherenkov: error: played: it fails\n$");
  // Bunches of CORSIKA's own loop.
  EXPECT_EXIT(
      {
        build = chrin2_;
        fails = Fails::kCounters;
        taken(good_step());
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "played: it fails; CORSIKA's own code goes on\n$");
}

// With CURVED: CERENK reads DETSYS, and the next particle may have changed it.
TEST_F(EntryDeathTest, StepsThatAreLeftToCorsikaAreDoneInTheirFrame) {
  const Variable threads("CHERENKOV_THREADS", "1");
  EXPECT_EXIT(
      {
        std::int32_t detsys = 1;
        chrgeo_(&kEndsRead, &detsys, nullptr, nullptr);
        new_event();
        testch_.nobslv = 1;
        testch_.obslev[0] = testch_.obslev[1];
        watched_frame = &detsys;
        ChargedStep many = good_step();  // of more bunches than the stage takes
        testch_.cersiz /= 2000.;
        const double cos_earth = 1.;
        std::int32_t done = 0;
        chrcrv_(&done, &many.length, &many.u, &many.v, &many.w, &many.begin_energy, &many.end_energy,
                &many.x_begin, &many.y_begin, &many.z_begin, &many.x_end, &many.y_end, &many.z_end,
                &many.begin_time, &many.end_time, &many.mass, &many.charge, &cos_earth);
        detsys = 0;
        cherenkov_end_of_event();
        std::_Exit(done == 1 && detsys == 0 && frames_seen == std::vector<std::int32_t>{1} ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(EntryDeathTest, SummaryCountsStepsAtTheEnd) {
  const Variable asked("CHERENKOV_SUMMARY", "1");
  new_event();
  EXPECT_EXIT(
      {
        taken(good_step());
        taken(own_step());
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "cherenkov: backend=cpu steps=1 left_to_corsika=1 bunches=[0-9]+ rings=[01] traced=[0-9]+ "
      "skipped=[0-9]+ "
      "maps=[12]");
}

// The last act of the program, when all else is gone but the stage and its device.
TEST_F(EntryDeathTest, SummaryOfADevice) {
  const Variable asked("CHERENKOV_SUMMARY", "1");
  const Variable backend("CHERENKOV_BACKEND", "gpu");
  new_event();
  EXPECT_EXIT(
      {
        for (int i = 0; i < 40000; ++i) {
          const ChargedStep one = charged_step();
          testch_.cersiz = 20.;
          taken(one, true);
        }
        cherenkov_end_of_event();
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "^cherenkov: backend=gpu steps=[0-9]+ left_to_corsika=[0-9]+ bunches=[0-9]+ rings=[0-9]+ traced=[0-9]+ "
      "skipped=[0-9]+ maps=[0-9]+ batches=[1-9][0-9]* wait_s=[0-9.]+ start_s=[0-9.]+ threads=1 "
      "helper_s=[0-9.]+\n$");
}

// One line says why, and the CPU goes on.
TEST_F(EntryDeathTest, NoDeviceWhereStepsAreNotRecorded) {
  const Variable asked("CHERENKOV_SUMMARY", "1");
  const Variable backend("CHERENKOV_BACKEND", "gpu");
  const std::string cpu = "; going on on the CPU\ncherenkov: backend=cpu steps=[0-9]+ [^\n]* maps=[12]\n$";
  new_event();
  EXPECT_EXIT(
      {
        build = chrin4_;
        testch_.llongi = 0;
        std::exit(taken(good_step()) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "^cherenkov: no device, because this program cannot record steps" + cpu);
  EXPECT_EXIT(
      {
        build = chrin2_;
        for (int i = 0; i < 200; ++i) run(charged_step());
        expect_equal();
        std::exit(HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0),
      "^cherenkov: CORSIKA's own loop goes on[^\n]*\n"
      "cherenkov: no device, because the stage works bunch by bunch; going on on the CPU\n"
      "cherenkov: backend=cpu steps=0 [^\n]*\ncherenkov: note: stage took 0 of [^\n]*\n$");
}

}  // namespace
