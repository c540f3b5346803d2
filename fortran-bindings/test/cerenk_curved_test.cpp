// CERENK of option CURVED, called by ELECTR without the ends of its steps, against CERENK's loop written
// plainly.
#include <gtest/gtest.h>

#include <cstdio>

#include "corsika_runtime/cherenkov/curved_step.hpp"
#include "entry_fixture.hpp"
#include "plain_curved.hpp"
#include "played_curved.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::CurvedFrame;

class CurvedEntry : public Entry {
 protected:
  static constexpr double kEarth_cm = 6.371315e8;

  void SetUp() override {
    Entry::SetUp();
    build = chrin7_;
    testch_.c[0] = kEarth_cm;
    testcf_ = 0;
  }
  void TearDown() override { build = chrin1_; }
  void new_curved_event() {
    new_event();
    for (Shower* one : {&shower, &other}) one->context.plane.x0 = one->context.plane.y0 = 0.;
    set_variables(other.surroundings());
    testch_.nobslv = 1;
    testch_.obslev[0] = testch_.obslev[1];
    testch_.xoff[0] = testch_.yoff[0] = 0.;
  }

  ChargedStep short_step() {
    const ChargedStep one = charged_step();
    testch_.cersiz = 5000.;  // so that the stage takes all steps
    return one;
  }

  // An electron's step in both. fnprim: as in ELECTR.
  void electron() {
    ChargedStep one = short_step();
    one.mass = kElectron;
    testcf_ = random.turn() < 0.2 ? 1 : 0;
    const double vstep = one.length * random.uniform(0.99, 1.);
    double a[] = {
        one.length,  one.u,       one.v,     one.w,     one.begin_energy, one.end_energy, one.x_begin,
        one.y_begin, one.z_begin, one.x_end, one.y_end, one.z_end,        one.begin_time, one.end_time,
        one.mass,    one.charge,  1.,        0.};
    const std::int32_t fnprim = 1;
    crvele_(a, &vstep, &fnprim, &ctea);
    if (testcf_ == 0) {
      one.x_end = vstep;
      cos_earth = corsika::find_end(one, kEarth_cm);
    } else {
      EXPECT_EQ(ctea, cos_earth);  // of the last step that was not in the detector's frame
    }
    plain_curved(one, cos_earth);
  }
  // Another particle's: its caller reads the ends that CERENK changes.
  void muon() {
    ChargedStep one = short_step();
    one.mass = 0.10566;
    one.begin_energy *= 200., one.end_energy = one.begin_energy;
    testcf_ = random.turn() < 0.2 ? 1 : 0;
    const double away = std::min(1., std::cos(std::hypot(one.x_begin, one.y_begin) / kEarth_cm) + 1e-12);
    ChargedStep changed = one;
    const double weight = 1.;
    crvcer_(&one.length, &one.u, &one.v, &one.w, &one.begin_energy, &one.end_energy, &one.x_begin,
            &one.y_begin, &one.z_begin, &one.x_end, &one.y_end, &one.z_end, &one.begin_time, &one.end_time,
            &one.mass, &one.charge, &weight, &away);
    plain_curved(changed, away);
    EXPECT_EQ(one.x_begin, changed.x_begin);
    EXPECT_EQ(one.z_begin, changed.z_begin);
    EXPECT_EQ(one.y_end, changed.y_end);
  }
  void plain_curved(ChargedStep& one, double earth) {
    const CurvedFrame frame{kEarth_cm, testch_.obslev[0], earth, testcf_ != 0};
    const corsika::Emission emission{testch_.c[28], testch_.cyield, testch_.cersiz, testch_.etadsn,
                                     true,          index_of,       nullptr};
    CurvedLoop loop{};
    if (corsika::curved_loop_of(one, frame, emission, last, loop) == LightKind::kLinear)
      plain_curved_step(loop, {kEarth_cm, CurvedTable::distance, CurvedTable::time}, emission,
                        shower.surroundings(), plain);
  }
  void run_events() {
    for (int event = 0; event < 4; ++event) {
      new_curved_event();
      for (int i = 0; i < 3000; ++i) {
        if (random.turn() < 0.9)
          electron();
        else
          muon();
        if (random.turn() < 0.002) chrfls_();
      }
      expect_equal();
    }
    EXPECT_GT(plain.hits.size(), 100U);
    EXPECT_EQ(own_calls, 0);
    std::fflush(stdout);
  }

  corsika::LastIndex last;
  double ctea = 1., cos_earth = 1.;
};

// One kind of run for a program: it has one stage.
using CurvedEntryDeathTest = CurvedEntry;

TEST_F(CurvedEntryDeathTest, TheSameBitsAsThePlainLoop) {
  EXPECT_EXIT(
      {
        run_events();
        EXPECT_EQ(chrste_.defers, 1);
        std::_Exit(HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(CurvedEntryDeathTest, WithAHelperThread) {
  const Variable threads("CHERENKOV_THREADS", "1");
  EXPECT_EXIT(
      {
        run_events();
        std::_Exit(HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

// Before the first interaction ELECTR keeps the ends, and gives them to CERENK later.
TEST_F(CurvedEntryDeathTest, EndsThatElectrKeepsAreComputed) {
  const auto run_one = [this] {
    new_curved_event();
    electron();  // the stage begins
    ChargedStep one = good_step();
    one.x_begin = 3e5, one.y_begin = -4e5;
    const double vstep = 1999.;
    double a[18] = {one.length,  one.u,       one.v, one.w, one.begin_energy, one.end_energy, one.x_begin,
                    one.y_begin, one.z_begin, 0.,    0.,    one.z_end,        one.begin_time, one.end_time,
                    one.mass,    one.charge};
    const std::int32_t fnprim = 0;
    testcf_ = 0;
    crvele_(a, &vstep, &fnprim, &ctea);
    one.x_end = vstep;
    return ctea == corsika::find_end(one, kEarth_cm) && a[9] == one.x_end && a[10] == one.y_end;
  };
  EXPECT_EXIT(std::_Exit(run_one() ? 0 : 1), testing::ExitedWithCode(0), "");
}

// They are computed then, too.
TEST_F(CurvedEntryDeathTest, AnElectronsStepThatIsLeftToCorsika) {
  const auto run_one = [this] {
    new_curved_event();
    electron();
    ChargedStep many = good_step();  // of more bunches than the stage takes
    testch_.cersiz /= 2000.;
    many.x_begin = 3e5, many.y_begin = -4e5;
    const double vstep = 1999.;
    double a[18] = {
        many.length,  many.u,       many.v, many.w, many.begin_energy, many.end_energy, many.x_begin,
        many.y_begin, many.z_begin, 0.,     0.,     many.z_end,        many.begin_time, many.end_time,
        many.mass,    many.charge};
    const std::int32_t fnprim = 1;
    testcf_ = 0;
    watched_frame = &testcf_;
    crvele_(a, &vstep, &fnprim, &ctea);
    testcf_ = 1;
    chrfls_();
    many.x_end = vstep;
    const double expected = corsika::find_end(many, kEarth_cm);
    return frames_seen == std::vector<std::int32_t>{0} && testcf_ == 1 &&
           ends_seen == std::array{many.x_end, many.y_end, expected};
  };
  EXPECT_EXIT(std::_Exit(run_one() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
