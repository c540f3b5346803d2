// chrstp_ as CERENK calls it, with routines of CORSIKA's names played by the test.
#include "cerenk_entry.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "package.hpp"

extern "C" {
void rmmard_(double* numbers, int* n, int* sequence);
void raybnd_(double* height, double* u, double* v, double* w, double* x, double* y, double* t);
int telout_(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
            double* height, double* wavelength);
double thcksi_(double* distance);
int cherenkov_iact_telescopes(double* footprints, double* spheres, double* impact, int most);
void cherenkov_iact_counters(double** photons, double** bunches);
}

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using cherenkov::corsika::Routines;
using cherenkov::corsika::Surroundings;

// The entry keeps one stage, and so one package, for the life of the program.
Package& staged() {
  static Package package(1.27e5, 5);
  return package;
}
const Routines& routines() {
  static const Routines all = staged().routines();
  return all;
}

// A step as CERENK knows it, and what tells the ways apart in which it may be left to CORSIKA.
struct Call {
  Step step{};
  double cinten = 0.;
  int loop = 1;
  std::int32_t refraction = 1, debug = 0;
  double sin2_particle = -1.;  // of the step
};

// True where the stage took it.
bool chrstp(const Call& call, const Surroundings& s) {
  const Step& t = call.step;
  const double sin_particle = -t.sw;
  const double sin2 = call.sin2_particle < 0. ? sin_particle * sin_particle : call.sin2_particle;
  const double beta = call.loop == 0 ? 0.9999 : 7.,
               index = call.loop == 0 ? t.beta_n / 0.9999 : 7.;  // of one bunch
  const double linear = call.loop == 0 ? 7. : t.beta_n, slope = call.loop == 0 ? 7. : t.beta_n_slope;
  const std::int32_t fill = s.fill_profile ? 1 : 0;
  int done = 55;
  chrstp_(&done, &t.bunches, &call.loop, &linear, &slope, &beta, &index, &call.cinten, &t.between.path,
          &t.before.path, &t.before.x, &t.before.y, &t.before.z, &t.before.time, &t.between.x, &t.between.y,
          &t.between.z, &t.between.time, &sin2, &sin_particle, &t.cu, &t.su, &t.u0, &t.cv, &t.sv, &t.v0,
          &t.sw, &t.w0, &s.plane.height, &s.plane.x0, &s.plane.y0, &s.plane.cos_turn, &s.plane.sin_turn,
          &s.least_w, &s.two_pi, &call.refraction, &fill, s.profile.photons, s.profile.edge, &s.profile.bins,
          &s.profile.most_bins, &s.profile.bins_per_depth, &s.profile.along_x, &s.profile.along_y,
          &s.profile.along_z, &s.profile.start, &call.debug);
  EXPECT_TRUE(done == 0 || done == 1) << done;
  return done == 1;
}

class Entry : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("CHERENKOV_BACKEND", "cpu", 1); }
  void SetUp() override {
    staged() = Package(1.27e5, 5);
    routines();
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
    const bool taken = chrstp(one, other.surroundings());
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
        if (event % 4 == 2) one.refraction = 0;
        if (event % 4 == 3) one.debug = 1;
      }
      const bool took = run(one);
      EXPECT_FALSE(took && i < 2) << event;
    }
    expect_equal();
  }
  EXPECT_GT(plain.hits.size(), 300U);
}

TEST_F(EntryDeathTest, UnknownBackendsEndTheRun) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a program of its own, where nothing has been read yet
  new_event();
  EXPECT_EXIT(
      {
        setenv("CHERENKOV_BACKEND", "opencl", 1);
        chrstp(call(), other.surroundings());
      },
      testing::ExitedWithCode(1),
      "cherenkov: error: CHERENKOV_BACKEND is 'opencl'; it can be off, cpu, gpu or auto");
}

TEST_F(EntryDeathTest, OffLeavesEverythingToCorsika) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  new_event();
  for (const char* off : {"off", ""}) {
    EXPECT_EXIT(
        {
          setenv("CHERENKOV_BACKEND", off, 1);
          bool any = false;
          for (int i = 0; i < 50; ++i) any = chrstp(call(), other.surroundings()) || any;
          std::exit(any || staged().drawn != 0 ? 1 : 0);
        },
        testing::ExitedWithCode(0), "");
  }
}

TEST_F(EntryDeathTest, SummaryCountsStepsAtTheEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  new_event();
  EXPECT_EXIT(
      {
        setenv("CHERENKOV_SUMMARY", "1", 1);
        Call one;
        one.step = aimed_step(plain.air, direction(0.2, 1.), 1e6, 0., 0., 2e3, 20, 0.8, 40.);
        one.cinten = 40.;
        chrstp(one, other.surroundings());
        one.loop = 3;
        chrstp(one, other.surroundings());
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "cherenkov: backend=cpu steps=1 left_to_corsika=1 bunches=20 rings=[01] traced=[0-9]+ skipped=0 "
      "maps=1");
}

}  // namespace

void rmmard_(double* numbers, int* n, int* sequence) { routines().draw(numbers, n, sequence); }
void raybnd_(double* height, double* u, double* v, double* w, double* x, double* y, double* t) {
  routines().bend(height, u, v, w, x, y, t);
}
int telout_(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
            double* height, double* wavelength) {
  return routines().collect(photons, weight, x, y, u, v, t, height, wavelength);
}
double thcksi_(double* distance) { return routines().thickness(distance); }
int cherenkov_iact_telescopes(double* footprints, double* spheres, double* impact, int most) {
  return routines().telescopes(footprints, spheres, impact, most);
}
void cherenkov_iact_counters(double** photons, double** bunches) { routines().counters(photons, bunches); }
