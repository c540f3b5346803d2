// chrstp_ as CERENK calls it, by the lines that are put into a patched CORSIKA (cerenk_call.F), with routines
// of CORSIKA's names played by the test. Death tests run a program of their own, which reads the environment
// at its start.
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
#include <memory>
#include <stdexcept>
#include <string>

#include "played_corsika.hpp"

extern "C" {
void cercal_(int* taken, const int* mstepc, const int* loopfl, const double* betani, const double* dbetan,
             const double* betam, const double* eta1m, const double* cinten, const double* pstep,
             const double* pathl, const double* xemis, const double* yemis, const double* zem,
             const double* temis, const double* xstep, const double* ystep, const double* zstep,
             const double* tstep, const double* sinps2, const double* sinpsi, const double* tc11,
             const double* tc12, const double* tc13, const double* tc21, const double* tc22,
             const double* tc23, const double* tc32, const double* tc33, const double* height,
             const double* xplane, const double* yplane, const double* cosang, const double* sinang,
             const double* wleast, const double* pi2, const std::int32_t* frefrx, const std::int32_t* llongi,
             double* plong, const double* rlong, const int* nstep, const int* lngmax, const double* thstpi,
             const double* sthcph, const double* sthsph, const double* cth, const double* rloff,
             const std::int32_t* debug, const std::int32_t* lcerdb);
void cerhgt_(int* taken, const double* thstep, const std::int32_t* frefrx);
void cercur_();
void cernoc_();
}

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using cherenkov::corsika::ObservationContext;

// A step as CERENK knows it, and what tells the ways apart in which it may be left to CORSIKA.
struct Call {
  Step step{};
  double cinten = 0.;
  int loop = 1;
  std::int32_t refraction = 1, debug = 0, cerenkov_debug = 0;
  double sin2_particle = -1.;  // of the step
};

// True where the stage took it.
bool cerenk(const Call& call, const ObservationContext& s) {
  const Step& t = call.step;
  const double sin_particle = -t.sw;
  const double sin2 = call.sin2_particle < 0. ? sin_particle * sin_particle : call.sin2_particle;
  const double beta = call.loop == 0 ? 0.9999 : 7.,
               index = call.loop == 0 ? t.beta_n / 0.9999 : 7.;  // of one bunch
  const double linear = call.loop == 0 ? 7. : t.beta_n, slope = call.loop == 0 ? 7. : t.beta_n_slope;
  const std::int32_t fill = s.fill_profile ? 1 : 0;
  int taken = 55;
  cercal_(&taken, &t.bunches, &call.loop, &linear, &slope, &beta, &index, &call.cinten, &t.between.path,
          &t.before.path, &t.before.x, &t.before.y, &t.before.z, &t.before.time, &t.between.x, &t.between.y,
          &t.between.z, &t.between.time, &sin2, &sin_particle, &t.cu, &t.su, &t.u0, &t.cv, &t.sv, &t.v0,
          &t.sw, &t.w0, &s.plane.height, &s.plane.x0, &s.plane.y0, &s.plane.cos_turn, &s.plane.sin_turn,
          &s.min_w, &s.two_pi, &call.refraction, &fill, s.profile.photons, s.profile.edge, &s.profile.bins,
          &s.profile.max_bins, &s.profile.bins_per_depth, &s.profile.along_x, &s.profile.along_y,
          &s.profile.along_z, &s.profile.start, &call.debug, &call.cerenkov_debug);
  EXPECT_TRUE(taken == 0 || taken == 1) << taken;
  return taken == 1;
}

// What chrbun_ answers of one that goes straight down.
int ask_for_a_bunch() {
  const double zero = 0., one = 1., high = 1e6;
  const std::int32_t refraction = 1;
  int skipped = 55;
  chrbun_(&skipped, &one, &zero, &zero, &zero, &zero, &one, &high, &zero, &zero, &refraction);
  return skipped;
}

class Entry : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    staged() = Package(1.27e5, 5);
  }
  void new_event() {
    shower = random_shower(random, 1.27e5, 0.9);
    other = shower;
    for (Package* package : {&plain, &staged()})
      package->new_event(shower.telescopes, shower.zenith, shower.azimuth, 0., 0.);
  }
  Call call() {
    Call made;
    made.step = random_particle(random, shower, plain).step;
    made.cinten = 40.;
    made.step.photons_per_sin2 = made.cinten * made.step.between.path;
    if (made.step.bunches == 1) {
      made.loop = 0;
      made.step.beta_n = 0.9999 * (made.step.beta_n / 0.9999);
    }
    return made;
  }
  bool run(const Call& one) {
    plain_step(one.step, shower.surroundings(), plain);
    const bool taken = cerenk(one, other.surroundings());
    if (!taken) plain_step(one.step, other.surroundings(), staged());
    return taken;
  }
  void expect_equal() {
    EXPECT_EQ(plain.photons, staged().photons);
    EXPECT_EQ(plain.bunches, staged().bunches);
    EXPECT_EQ(plain.drawn, staged().drawn);
    ASSERT_EQ(plain.hits.size(), staged().hits.size());
    EXPECT_TRUE(plain.hits.empty() ||
                std::memcmp(plain.hits.data(), staged().hits.data(), plain.hits.size() * sizeof(Hit)) == 0);
    EXPECT_EQ(shower.profile, other.profile);
  }

  // A step that the stage takes.
  Call good_call() {
    Call one;
    one.step = aimed_step(plain.air, direction(0.2, 1.), 1e6, 0., 0., 2e3, 20, 0.8, 40.);
    one.cinten = 40.;
    return one;
  }

  Random random{51};
  Package plain{1.27e5, 5};
  Shower shower, other;
};
using EntryDeathTest = Entry;

TEST_F(Entry, TheSameBitsAsThePlainLoop) {
  int taken = 0, of_one = 0;
  for (int event = 0; event < 10; ++event) {
    new_event();
    for (int i = 0; i < 400; ++i) {
      const Call one = call();
      const bool took = run(one);
      taken += took ? 1 : 0;
      of_one += took && one.loop == 0 ? 1 : 0;
    }
    expect_equal();
  }
  EXPECT_GT(taken, 2500);
  EXPECT_GT(of_one, 50);
  EXPECT_GT(plain.hits.size(), 500U);
}

// A vertical primary, a step near threshold: their light is CORSIKA's, and the event's map is still its own.
TEST_F(Entry, EventsThatBeginWithAStepLeftToCorsika) {
  for (int event = 0; event < 12; ++event) {
    new_event();
    for (int i = 0; i < 100; ++i) {
      Call one = call();
      if (i < 2) {
        if (event % 4 == 0) one.loop = 2 + i;
        if (event % 4 == 1) one.sin2_particle = 1e-12;
        if (event % 4 == 2) one.debug = 1;
        if (event % 4 == 3) one.cerenkov_debug = 1;
      }
      const bool took = run(one);
      EXPECT_FALSE(took && i < 2) << event;
    }
    expect_equal();
  }
  EXPECT_GT(plain.hits.size(), 300U);
}

// What only such builds, and light that goes straight, fill in.
TEST_F(Entry, ArgumentsOfABuildWithoutSlant) {
  int taken = 55;
  const double thstep = 12.5;
  const std::int32_t straight = 0;
  cerhgt_(&taken, &thstep, &straight);
  EXPECT_EQ(taken, 0);
  EXPECT_EQ(chrarg_.kind, DistributionKind::height);
  EXPECT_EQ(chrarg_.thstep, thstep);
  EXPECT_EQ(chrarg_.frefrx, 0);
  EXPECT_EQ(chrarg_.thckob, 980.);
  EXPECT_EQ(chrarg_.debug, 0);
  EXPECT_EQ(chrarg_.nstep, 5);
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
              "^cherenkov: error: CHERENKOV_BACKEND cannot be 'opencl'; give off, cpu, gpu or auto\n$");
}

TEST_F(EntryDeathTest, UnsetMeansCpu) {
  for (const char* unset : {static_cast<const char*>(nullptr), "", "cpu"}) {
    const Variable backend("CHERENKOV_BACKEND", unset);
    new_event();
    EXPECT_EXIT(std::_Exit(cerenk(good_call(), other.surroundings()) && chrflg_.off == 0 ? 0 : 1),
                testing::ExitedWithCode(0), "^$");
  }
}

TEST_F(EntryDeathTest, OffLeavesEverythingToCorsika) {
  const Variable backend("CHERENKOV_BACKEND", "off");
  new_event();
  EXPECT_EXIT(
      {
        bool any = false;
        for (int i = 0; i < 50; ++i) any = cerenk(call(), other.surroundings()) || any;
        cercur_();
        cernoc_();
        std::_Exit(any || staged().drawn != 0 || chrflg_.off == 0 ? 1 : 0);
      },
      testing::ExitedWithCode(0), "^$");
}

// One line each, however often the loop is reached.
TEST_F(EntryDeathTest, BuildsThatAreCoveredInPartOrNotAtAllSaySo) {
  EXPECT_EXIT(
      {
        for (int i = 0; i < 5; ++i) cernoc_();
        std::_Exit(chrflg_.off);
      },
      testing::ExitedWithCode(0),
      "^cherenkov: CORSIKA's own loop goes on[^\n]*bunch by bunch[^\n]*NOCLONG\n$");
  EXPECT_EXIT(
      {
        for (int i = 0; i < 5; ++i) cercur_();
        std::_Exit(chrflg_.off);
      },
      testing::ExitedWithCode(1), "^cherenkov: the stage does not cover the options of this build[^\n]*\n$");
}

// Nothing was drawn or counted: CORSIKA's own code takes this step and all later ones.
TEST_F(EntryDeathTest, AFailureBeforeAnythingIsDrawnHandsOver) {
  new_event();
  EXPECT_EXIT(
      {
        fails = Fails::kCounters;
        bool any = cerenk(good_call(), other.surroundings());
        fails = Fails::kNothing;
        any = cerenk(good_call(), other.surroundings()) || any;
        chrfls_();
        std::_Exit(any || staged().drawn != 0 ? 1 : 0);
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
        cerenk(good_call(), other.surroundings());
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
        for (int i = 0; i < 200; ++i) cerenk(call(), other.surroundings());
        fails = Fails::kCollect;
        chrfls_();
        std::_Exit(0);
      },
      testing::ExitedWithCode(1), "^cherenkov: error: played: it fails\n$");
  EXPECT_EXIT(
      {
        fails = Fails::kCounters;
        std::_Exit(ask_for_a_bunch());
      },
      testing::ExitedWithCode(0), "^cherenkov: played: it fails; CORSIKA's own code goes on\n$");
}

TEST_F(EntryDeathTest, SummaryCountsStepsAtTheEnd) {
  const Variable asked("CHERENKOV_SUMMARY", "1");
  new_event();
  EXPECT_EXIT(
      {
        Call one = good_call();
        cerenk(one, other.surroundings());
        one.loop = 3;
        cerenk(one, other.surroundings());
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "cherenkov: backend=cpu steps=1 left_to_corsika=1 bunches=20 rings=[01] traced=[0-9]+ skipped=0 "
      "maps=1");
}

// The last act of the program, when all else is gone but the stage and its device.
TEST_F(EntryDeathTest, SummaryOfADevice) {
  const Variable asked("CHERENKOV_SUMMARY", "1");
  const Variable backend("CHERENKOV_BACKEND", "gpu");
  new_event();
  EXPECT_EXIT(
      {
        for (int i = 0; i < 200; ++i) cerenk(call(), other.surroundings());
        chrfls_();
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "^cherenkov: backend=gpu steps=[0-9]+ left_to_corsika=[0-9]+ bunches=[0-9]+ rings=[0-9]+ traced=[0-9]+ "
      "skipped=[0-9]+ maps=1 queued=0 batches=1 wait_s=[0-9.]+ start_s=0.[0-9]+\n$");
}

}  // namespace
