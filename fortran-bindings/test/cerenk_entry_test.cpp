// CERENK as a patched CORSIKA calls it (cerenk_call.F), with routines of CORSIKA's names played by the test.
// Death tests run a program of their own, which reads the environment at its start.
#include "cerenk_entry.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "plain_cerenk.hpp"
#include "played_corsika.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using cherenkov::corsika::ChargedStep;

class Entry : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    staged() = Package(1.27e5, 5);
    testch_.cyield = 400.;
    testch_.etadsn = 0.24;
    testch_.iatmox = 6;
    testch_.frefrx = 1;
    testlg_ = {};
  }
  void new_event() {
    shower = random_shower(random, 1.27e5, 0.9);
    shower.around.min_w = 0.01;
    other = shower;
    for (Package* package : {&plain, &staged()})
      package->new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
    set_variables(other.surroundings());
  }
  ChargedStep charged_step() {
    return random_charged_step(random, shower, plain, testch_.cyield, testch_.cersiz);
  }
  // True where CORSIKA's own CERENK was not called. later: the step may be done later.
  bool run(const ChargedStep& one, bool later = false) {
    plain_cerenk_loop(one, shower.surroundings(), plain);
    return taken(one, later);
  }
  void expect_equal() {
    cherenkov_end_of_event();
    get_profile(other.profile.data());
    EXPECT_EQ(bits(plain.photons), bits(staged().photons));
    EXPECT_EQ(plain.bunches, staged().bunches);
    EXPECT_EQ(plain.drawn, staged().drawn);
    ASSERT_EQ(plain.hits.size(), staged().hits.size());
    EXPECT_TRUE(plain.hits.empty() ||
                std::memcmp(plain.hits.data(), staged().hits.data(), plain.hits.size() * sizeof(Hit)) == 0);
    EXPECT_EQ(shower.profile, other.profile);
  }

  // A step that the stage takes, of 20 bunches or so.
  ChargedStep good_step() {
    ChargedStep one{};
    one.length = 2e3;
    one.u = std::sin(0.2), one.w = std::cos(0.2);
    one.z_begin = 1e6;
    one.x_end = one.length * one.u, one.z_end = one.z_begin - one.length * one.w;
    one.end_time = one.length / 29979245800.;
    one.begin_energy = 10., one.end_energy = 9.99;
    one.mass = kElectron, one.charge = 1.;
    testch_.cersiz = testch_.cyield * one.length * 2. * Atmosphere::refractivity(1e6) / 19.5;
    return one;
  }
  // Of no more than one bunch, in the middle of the step: another of CERENK's loops.
  ChargedStep own_step() {
    ChargedStep one = good_step();
    one.begin_energy = 0.05, one.end_energy = 0.02;
    testch_.cersiz *= 0.2;
    return one;
  }
  bool taken(const ChargedStep& one, bool later = false) {
    const int before = own_calls;
    call_cerenk(one);
    if (!later) chrfls_();
    return own_calls == before;
  }

  Random random{51};
  Package plain{1.27e5, 5};
  Shower shower, other;
};
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

// What lines of the log are asked for, a vertical particle, a step near threshold: CORSIKA's, and the event's
// map is still its own.
TEST_F(Entry, EventsThatBeginWithAStepLeftToCorsika) {
  for (int event = 0; event < 15; ++event) {
    new_event();
    for (int i = 0; i < 100; ++i) {
      ChargedStep one = i < 2 ? good_step() : charged_step();
      if (i < 2) {
        if (event % 5 == 0) one.end_energy = 0.01;
        if (event % 5 == 1) one.u = 0., one.v = 0., one.x_end = one.x_begin, one.w = 1.;
        testlg_.debug = event % 5 == 2 ? 1 : 0;
        testlg_.lcerdb = event % 5 == 3 ? 1 : 0;
        testlg_.fegsdb = event % 5 == 4 ? 1 : 0;
      }
      const bool took = run(one);
      testlg_ = {};
      EXPECT_FALSE(took && i < 2) << event;
    }
    expect_equal();
  }
  EXPECT_GT(plain.hits.size(), 300U);
}

// Sets a variable of the environment for the programs that are started while it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

// Before any light, and before main: what the test would run is never reached.
TEST_F(EntryDeathTest, UnknownBackendsEndTheProgramAtItsStart) {
  const Variable backend("CHERENKOV_BACKEND", "opencl");
  EXPECT_EXIT(std::_Exit(0), testing::ExitedWithCode(1),
              "^cherenkov: error: CHERENKOV_BACKEND cannot be 'opencl'; give off, cpu, gpu, auto, check or "
              "check:N\n$");
}

TEST_F(EntryDeathTest, UnsetMeansCpu) {
  for (const char* unset : {static_cast<const char*>(nullptr), "", "cpu"}) {
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
      "cherenkov: backend=cpu steps=0 [^\n]* skipped=[0-9][0-9]+ maps=3\n$");
}

TEST_F(EntryDeathTest, ATreeThatIsNotProvenIsHeldOff) {
  new_event();
  const auto steps_of_the_stage = [&] {
    build = chrin3_;
    int steps = 0;
    for (int i = 0; i < 5; ++i) steps += taken(good_step()) ? 1 : 0;
    return steps;
  };
  EXPECT_EXIT(std::_Exit(steps_of_the_stage()), testing::ExitedWithCode(0),
              "^cherenkov: the stage is held off, [^\n]*overlay build --prove[^\n]*\n$");
  {
    const Variable unproven("CHERENKOV_UNPROVEN", "1");
    EXPECT_EXIT(std::_Exit(steps_of_the_stage()), testing::ExitedWithCode(5), "^$");
  }
  const Variable backend("CHERENKOV_BACKEND", "check");
  EXPECT_EXIT(std::exit(steps_of_the_stage()), testing::ExitedWithCode(0),
              "^cherenkov: check equal: steps=5 ");
}

TEST_F(EntryDeathTest, ACheckLeavesCorsikaAsItIsAndCounts) {
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
      "own_loop=[0-9]+ no_light=[0-9]+ one_bunch=[0-9]+ over_100=[0-9]+ several_bins=[0-9]+ "
      "near_threshold=[0-9]+ every=1\n$");
}

// The others are the stage's.
TEST_F(EntryDeathTest, EverySoManySteps) {
  const Variable backend("CHERENKOV_BACKEND", "check:10");
  new_event();
  EXPECT_EXIT(
      {
        for (int i = 0; i < 100; ++i) run(good_step());
        expect_equal();
        std::exit(HasFailure() || own_calls != 10 ? 1 : 0);
      },
      testing::ExitedWithCode(0), "^cherenkov: check equal: steps=10 [^\n]*every=10\n$");
}

TEST_F(EntryDeathTest, TheFirstDifferenceEndsTheRun) {
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

// A failure in the check is no reason to go on.
TEST_F(EntryDeathTest, AFailureInTheCheckEndsTheRun) {
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
  const Variable backend("CHERENKOV_BACKEND", "gpu");
  new_event();
  EXPECT_EXIT(
      {
        for (int i = 0; i < 200; ++i) taken(charged_step());
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
      "maps=1");
}

// The last act of the program, when all else is gone but the stage and its device.
TEST_F(EntryDeathTest, SummaryOfADevice) {
  const Variable asked("CHERENKOV_SUMMARY", "1");
  const Variable backend("CHERENKOV_BACKEND", "gpu");
  new_event();
  EXPECT_EXIT(
      {
        for (int i = 0; i < 200; ++i) taken(charged_step());
        cherenkov_end_of_event();
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "^cherenkov: backend=gpu steps=[0-9]+ left_to_corsika=[0-9]+ bunches=[0-9]+ rings=[0-9]+ traced=[0-9]+ "
      "skipped=[0-9]+ maps=1 queued=[0-9]+ batches=1 wait_s=[0-9.]+ start_s=0.[0-9]+\n$");
}

}  // namespace
