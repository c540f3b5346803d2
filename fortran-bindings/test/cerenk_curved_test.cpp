// CERENK of option CURVED, called by ELECTR without the ends of its steps, against CERENK's loop written
// plainly.

#include "entry_fixture.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::CurvedFrame;

class CurvedEntry : public Entry {
 protected:
  void SetUp() override {
    Entry::SetUp();
    build = chrin7_;
    testch_.c[0] = kEarth_cm;
    testcf_ = 0;
  }
  void TearDown() override { build = chrin1_; }
  void new_curved_event() {
    new_event();
    for (Shower* one : {&shower, &staged_shower}) one->context.plane.x0 = one->context.plane.y0 = 0.;
    set_variables(staged_shower.surroundings());
    testch_.nobslv = 1;
    testch_.obslev[0] = testch_.obslev[1];
    testch_.xoff[0] = testch_.yoff[0] = 0.;
  }

  ChargedStep short_step() {
    const ChargedStep one = charged_step();
    // So that the stage takes all steps; now and then of another size.
    testch_.cersiz = random.turn() < 0.01 ? 5001. : 5000.;
    return one;
  }

  // ELECTR calls CERENK for an electron's step. Returns the step as CERENK leaves it. fnprim: as in ELECTR.
  ChargedStep call_electr(const ChargedStep& one, double vstep, std::int32_t fnprim = 1) {
    Arguments arguments{one};
    crvele_(&arguments.step.length, &vstep, &fnprim, &ctea);
    return arguments.step;
  }
  // An electron's step in both.
  void electron() {
    ChargedStep one = short_step();
    one.mass = kElectron;
    testcf_ = random.turn() < 0.2 ? 1 : 0;
    const double vstep = one.length * random.uniform(0.99, 1.);
    const bool is_put_off = testcf_ == 0 && corsika::recorded.defers == 1;
    const double end = call_electr(one, vstep).x_end;
    EXPECT_TRUE(!is_put_off || end == vstep) << end;
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
    Arguments arguments{one, away};
    calcer_(&arguments.step.length);
    plain_curved(one, away);
    EXPECT_EQ(arguments.step.x_begin, one.x_begin);
    EXPECT_EQ(arguments.step.z_begin, one.z_begin);
    EXPECT_EQ(arguments.step.y_end, one.y_end);
  }
  void plain_curved(ChargedStep& one, double earth) {
    const CurvedFrame frame{kEarth_cm, testch_.obslev[0], earth, testcf_ != 0};
    const corsika::Emission emission{testch_.c[28], testch_.cyield, testch_.cersiz, testch_.etadsn,
                                     true,          index_of,       nullptr};
    CurvedLoop loop{};
    if (corsika::curved_loop_of(one, frame, emission, last, loop) == LightKind::kWhole)
      plain_curved_step(loop, kLight, emission, shower.surroundings(), plain);
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
  }

  corsika::LastIndex last;
  double ctea = 1., cos_earth = 1.;
};

// One kind of run for a program: it has one stage.
using CurvedEntryDeathTest = CurvedEntry;

// Also where the patcher does not know ELECTR, which then computes the ends.
TEST_F(CurvedEntryDeathTest, TheSameBitsAsThePlainLoop) {
  for (const char* threads : {"0", "1"})
    for (const bool unread : {true, false})
      expect_program({{"CHERENKOV_THREADS", threads}}, "", [&] {
        if (!unread)
          build = [](corsika::Variables* variables) {
            chrin7_(variables);
            variables->ends_unread = 0;
          };
        run_events();
        EXPECT_EQ(corsika::recorded.defers, unread ? 1 : 2);
      });
}

TEST_F(CurvedEntryDeathTest, WithSeveralLevelsStepsAreCorsikas) {
  expect_program({}, "several observation levels\n$", [&] {
    new_curved_event();
    testch_.nobslv = 2;
    const ChargedStep one = good_step();
    call_electr(one, one.length);
    EXPECT_EQ(own_calls, 1);
  });
}

TEST_F(CurvedEntryDeathTest, UpwardFromTheFirstStepOn) {
  expect_program({}, "", [&] {
    build = [](corsika::Variables* variables) {
      chrin7_(variables);
      variables->upward = 1;
    };
    new_curved_event();
    testch_.c[28] = -1.;
    ChargedStep up = good_step();
    for (int i = 0; i < 2; ++i) {
      up.w = -0.5;
      call_electr(up, up.length);
      chrfls_();
      EXPECT_EQ(staged.drawn, 0U);
    }
    EXPECT_EQ(own_calls, 0);
  });
}

// Before the first interaction ELECTR keeps the ends, and gives them to CERENK later: they are computed. So
// they are where the step is left to CORSIKA, which does it in its own frame.
TEST_F(CurvedEntryDeathTest, EndsOfElectronsStepsThatAreComputed) {
  const auto begin = [this] {
    new_curved_event();
    electron();  // the stage begins
    testcf_ = 0;
    ChargedStep one = good_step();
    one.x_begin = 3e5, one.y_begin = -4e5;
    return one;
  };
  constexpr double kVstep = 1999.;
  expect_program({}, "", [&] {
    ChargedStep one = begin();
    const ChargedStep its = call_electr(one, kVstep, 0);
    one.x_end = kVstep;
    EXPECT_EQ(ctea, corsika::find_end(one, kEarth_cm));
    EXPECT_EQ(its.x_end, one.x_end);
    EXPECT_EQ(its.y_end, one.y_end);
  });
  expect_program({}, "", [&] {
    ChargedStep many = begin();
    testch_.cersiz /= 2000.;  // of more bunches than the stage takes
    watched_frame = &testcf_;
    call_electr(many, kVstep);
    testcf_ = 1;
    chrfls_();
    many.x_end = kVstep;
    const double expected = corsika::find_end(many, kEarth_cm);
    EXPECT_EQ(frames_seen, std::vector<std::int32_t>{0});
    EXPECT_EQ(testcf_, 1);
    EXPECT_EQ(ends_seen, (std::array{many.x_end, many.y_end, expected}));
  });
}

// Steps of builds with option CERWLEN or CEFFIC, as a patched CORSIKA calls CERENK. Each test runs programs
// of its own: a program has one build.

class WavelengthEntryDeathTest : public Entry {
 protected:
  void SetUp() override {
    Entry::SetUp();
    testwl_ = {200., 200. * 700. / 500., 180.};
    testwu_ = 700.;
  }
  std::uint64_t drawn_by(const ChargedStep& one) {
    const std::uint64_t before = staged.drawn;
    call_cerenk(one);
    return staged.drawn - before;
  }
  // A particle too slow to emit light of any wavelength.
  ChargedStep slow_step() {
    ChargedStep one = good_step();
    one.begin_energy = one.end_energy = 2. * one.mass;
    return one;
  }
};

TEST_F(WavelengthEntryDeathTest, AStepOfOneBunchIsCorsikas) {
  expect_program({{"CHERENKOV_SUMMARY", "1"}},
                 "^cherenkov: backend=cpu steps=1 left_to_corsika=1 [^\n]*maps=1\n$", [this] {
                   build = chrin5_;
                   new_event();
                   EXPECT_EQ(drawn_by(slow_step()), 0U);
                   const std::uint64_t drawn = drawn_by(good_step());
                   EXPECT_EQ(drawn % 2, 0U);
                   EXPECT_GT(drawn, 20U);
                   EXPECT_EQ(staged.bunches, 0.5 * static_cast<double>(drawn));
                   EXPECT_EQ(own_calls, 0);
                   EXPECT_EQ(corsika::recorded.defers, 2);
                   const ChargedStep one = good_step();
                   testch_.cersiz *= 50.;
                   call_cerenk(one);
                   EXPECT_EQ(own_calls, 1);
                   cherenkov_end_of_event();
                 });
}

TEST_F(WavelengthEntryDeathTest, TellsWhyNoStepIsTaken) {
  expect_program({{"CHERENKOV_THREADS", "1"}},
                 "^cherenkov: no helper thread, because an option changes the light of bunches\n"
                 "cherenkov: note: stage took 0 of 2 steps with light: CWAVLG [^\n]*\n$",
                 [&] {
                   build = chrin6_;
                   testab_.cermir = 1;
                   testwu_ = 1300.;
                   new_event();
                   call_cerenk(good_step());
                   call_cerenk(good_step());
                 });
}

// A mirror that reflects nothing; and no losses, of light that is refracted, and that goes straight.
TEST_F(WavelengthEntryDeathTest, PhotonsTakeTwoNumbersEachWhereSomeAreLost) {
  const struct { std::int32_t mirror, refracts; } kCases[] = {{1, 1}, {0, 1}, {0, 0}};
  for (const auto& one : kCases)
    expect_program({}, "^$", [&] {
      build = chrin6_;
      testab_.cermir = one.mirror;
      testch_.frefrx = one.refracts;
      new_event();
      EXPECT_EQ(drawn_by(slow_step()), 0U);
      const std::uint64_t drawn = drawn_by(good_step());
      EXPECT_EQ(drawn % (one.mirror != 0 ? 3 : 2), 0U) << "with an azimuth";
      EXPECT_GT(drawn, 30U);
      EXPECT_NE(testrd_[0], 0.);
      EXPECT_EQ(staged.bunches == 0., one.mirror != 0);
      EXPECT_EQ(own_calls, 0);
      cherenkov_end_of_event();
    });
}

TEST_F(WavelengthEntryDeathTest, LinesOfTheLogAreCorsikas) {
  expect_program({}, "", [this] {
    build = chrin5_;
    new_event();
    testlg_.debug = 1;
    call_cerenk(good_step());
    testlg_.debug = 0;
    call_cerenk(good_step());
    EXPECT_EQ(own_calls, 1);
  });
}

}  // namespace
