// A CORSIKA with a stage, and a plain one beside it.
#pragma once

#include <cstdlib>

#include "cerenk_entry.hpp"
#include "corsika_variables.hpp"
#include "two_runs.hpp"

// CORSIKA's routines, by their names, played, that is faked, by one Package for the life of a test program;
// its variables; and where they fail.

extern "C" {
// COMMON /TESTCH/ of corsika.h.
struct PlayedVariables {
  double c[50], cyield, cersiz, etadsn, pi2, cosang, sinang, obslev[20], xoff[20], yoff[20], thckob[20],
      thstep, thstpi, sthcph, sthsph, cth, rloff, plong9[10000], rlong[10000], hlong[10000];
  std::int32_t nobslv, iatmox, frefrx, llongi, nstep;
};
extern PlayedVariables testch_;
// COMMON /TESTLG/
struct alignas(16) PlayedLog {
  std::int32_t debug, lcerdb, fegsdb;
};
extern PlayedLog testlg_;

void calcer_(double* arguments);  // calls CERENK with its arguments
// The table of INRTAB; made: how often. unlike: what the air does not tell.
extern struct PlayedRefraction {
  double distance[3], time[3], unlike;
  int made;
} played_refraction;
void inrtab_();
void chrin1_(cherenkov::corsika::Variables* variables);  // SLANT
void chrin2_(cherenkov::corsika::Variables* variables);  // CEFFIC
void chrin4_(cherenkov::corsika::Variables* variables);  // without SLANT
void chrin5_(cherenkov::corsika::Variables* variables);  // SLANT and CERWLEN
void chrin6_(cherenkov::corsika::Variables* variables);  // SLANT and CEFFIC
void chrin7_(cherenkov::corsika::Variables* variables);  // SLANT and CURVED

// An electron's step. x_end and y_end: used in the detector's frame alone; set where not
// first_interaction_done.
void crvele_(double* arguments, const double* vstep, const std::int32_t* first_interaction_done,
             double* ctea);
// COMMON /TESTCF/, /TESTAT/
extern std::int32_t testcf_;
extern struct { double hlay[5], datm[5]; } testat_;

// What these two options add; CORSIKA's names.
extern struct {
  double quaeff[201], mirref[201];
  int cerqef, cermir;
} testab_;
extern struct {
  double atmabs[51][201], ateobs[201];
  int cerata;
} testaa_;
extern struct { double wavlgl, cernor, wlmin; } testwl_;
extern double testwu_;  // WAVLGU
extern double testrd_[3000];
void telend_(float* evte);
}

namespace cherenkov::test {

// The entry keeps one stage, and so one package, for the life of the program.
Package& staged_package();

// Which build the program is: the routine that CHRINI is.
extern decltype(&chrini_) build;

// What fails when the stage calls it.
enum class Fails { kNothing, kCounters, kIndices, kDraws, kCollect };
extern Fails fails;

// Whether no thread can be started.
extern bool no_more_threads;

// Sets CORSIKA's variables, and takes the distribution of light out of them.
void set_variables(const corsika::ObservationContext& context);
void get_profile(double* profile);

// The arguments of CERENK.
struct Arguments {
  corsika::ChargedStep step;
  double cos_earth = 0.;
};
static_assert(sizeof(Arguments) == 18 * sizeof(double));

// Calls CERENK for a step.
void call_cerenk(const corsika::ChargedStep& charged);

// The light of a step in a CORSIKA without a stage.
void plain_cerenk_loop(const corsika::ChargedStep& charged, const corsika::ObservationContext& context,
                       Package& package);

// The refractive index less one is 0.2% more above this height, cm, as between layers of CORSIKA's
// atmospheres.
extern double index_jump_height;

// Calls of CHRCER so far.
extern int own_calls;
// Where not null: CORSIKA's own CERENK only adds what is there to frames_seen.
extern const std::int32_t* watched_frame;
extern std::vector<std::int32_t> frames_seen;
// XEND, YEND, CTEA of the last call of CHRCER.
extern std::array<double, 3> ends_seen;

using cherenkov::corsika::ChargedStep;

class Entry : public TwoRuns {
 protected:
  Entry() : TwoRuns(51, staged_package()) {}
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    cherenkov_proven[24] = '1';
    staged = Package(kObserved, 5);
    testch_.cyield = 400.;
    testch_.etadsn = 0.24;
    testch_.iatmox = 6;
    testch_.frefrx = 1;
    testlg_ = {};
  }
  void new_event() {
    TwoRuns::new_event(0.9, true, 0., 0.);
    shower.context.cut_w = staged_shower.context.cut_w = 0.01;
    set_variables(staged_shower.surroundings());
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
    get_profile(staged_shower.profile.data());
    TwoRuns::expect_equal();
  }

  // A step that the stage takes, of 20 bunches or so.
  ChargedStep good_step() {
    const ChargedStep one = electron_step(2e3, 10., 9.99);
    testch_.cersiz = testch_.cyield * one.length * 2. * Atmosphere::refractivity(1e6) / 19.5;
    return one;
  }
  // Of more than 100 bunches, near threshold: another of CERENK's loops.
  ChargedStep own_step() {
    ChargedStep one = good_step();
    one.begin_energy = 0.05, one.end_energy = 0.02;
    testch_.cersiz *= 0.02;
    return one;
  }
  bool taken(const ChargedStep& one, bool later = false) {
    const int before = own_calls;
    call_cerenk(one);
    if (!later) chrfls_();
    return own_calls == before;
  }
  // Random steps in both, in so many events. bunch_size: where it is 0, each step has its own. after: called
  // behind each step with its number, and before the first one of an event with -1.
  void run_events(int events, int steps, bool later = true, double bunch_size = 20.,
                  const std::function<void(int)>& after = {}) {
    for (int event = 0; event < events; ++event) {
      new_event();
      for (int i = -1; i < steps; ++i) {
        if (i >= 0) {
          const ChargedStep one = charged_step();
          if (bunch_size != 0.) testch_.cersiz = bunch_size;
          run(one, later);
        }
        if (after) after(i);
      }
      expect_equal();
    }
  }

  // A program of its own, which reads the environment at its start: what it says on standard error, and its
  // status.
  using Environment = std::vector<std::pair<const char*, const char*>>;
  void expect_program(const Environment& environment, const std::string& says,
                      const std::function<void()>& work, int status = 0) {
    for (const auto& [name, value] : environment) setenv(name, value, 1);
    EXPECT_EXIT(
        {
          work();
          std::exit(HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(status), says);
    for (const auto& [name, value] : environment) unsetenv(name);
  }
};

}  // namespace cherenkov::test
