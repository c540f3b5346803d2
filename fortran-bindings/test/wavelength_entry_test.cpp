// Steps of builds with option CERWLEN or CEFFIC, as a patched CORSIKA calls CERENK. Each test runs programs
// of its own: a program has one build.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "entry_fixture.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

class WavelengthEntryDeathTest : public Entry {
 protected:
  void SetUp() override {
    Entry::SetUp();
    testwl_ = {200., 200. * 700. / 500., 180.};
    testwu_ = 700.;
  }
  std::uint64_t drawn_by(const ChargedStep& one) {
    const std::uint64_t before = staged().drawn;
    call_cerenk(one);
    return staged().drawn - before;
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
                   EXPECT_EQ(staged().bunches, 0.5 * static_cast<double>(drawn));
                   EXPECT_EQ(own_calls, 0);
                   EXPECT_EQ(chrste_.defers, 2);
                   const ChargedStep one = good_step();
                   testch_.cersiz *= 50.;
                   call_cerenk(one);
                   EXPECT_EQ(own_calls, 1);
                   cherenkov_end_of_event();
                 });
}

TEST_F(WavelengthEntryDeathTest, TellsWhyNoStepIsTaken) {
  const std::string note =
      "^cherenkov: no helper thread, because an option changes the light of bunches\n"
      "cherenkov: note: stage took 0 of 2 steps with light: ";
  const struct {
    void (*build)();
    std::int32_t mirror, refracts;
    const char* why;
  } kCases[] = {{chrin5_, 1, 0, "light is not refracted [^\n]*ATMOSPHERE n T[^\n]*\n$"},
                {chrin6_, 1, 0, "light is not refracted [^\n]*ATMOSPHERE n T[^\n]*\n$"},
                {chrin6_, 0, 1, "no light is lost at mirrors or cathodes [^\n]*CERQEF[^\n]*\n$"}};
  for (const auto& one : kCases)
    expect_program({{"CHERENKOV_THREADS", "1"}}, note + one.why, [&] {
      build = one.build;
      testab_.cermir = one.mirror;
      testch_.frefrx = one.refracts;
      new_event();
      call_cerenk(good_step());
      call_cerenk(good_step());
    });
}

TEST_F(WavelengthEntryDeathTest, LostPhotonsTakeTwoNumbersEach) {
  expect_program({}, "^$", [this] {
    build = chrin6_;
    testab_.cermir = 1;  // a mirror that reflects nothing
    new_event();
    EXPECT_EQ(drawn_by(slow_step()), 0U);
    const std::uint64_t drawn = drawn_by(good_step());
    EXPECT_EQ(drawn % 3, 0U) << "an azimuth and two numbers";
    EXPECT_GT(drawn, 30U);
    EXPECT_NE(testrd_[0], 0.);
    EXPECT_EQ(staged().bunches, 0.);
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
