// States against the classic loop in doubles.
#include "ranmar/rmmaqd_state.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <limits>
#include <utility>
#include <vector>

#include "ranmar/fill.hpp"

namespace {

// The classic loop, in doubles, on the classic state.
double classic_draw(ranmar::RmmaqdState& s) {
  double uni = s.u[s.i97 - 1] - s.u[s.j97 - 1];
  if (uni < 0.) uni += 1.;
  s.u[s.i97 - 1] = uni;
  s.i97 = s.i97 == 1 ? 97 : s.i97 - 1;
  s.j97 = s.j97 == 1 ? 97 : s.j97 - 1;
  s.c -= 7654321. / 16777216.;
  if (s.c < 0.) s.c += 16777213. / 16777216.;
  uni -= s.c;
  if (uni < 0.) uni += 1.;
  return uni == 0. ? 0x1p-48 : uni;
}

TEST(RmmaqdState, FreshSeedStandsAt97And33) {
  const auto classic = ranmar::to_rmmaqd(ranmar::seeded_state<ranmar::Form48>(54217137), 97);
  EXPECT_EQ(classic.i97, 97);
  EXPECT_EQ(classic.j97, 33);
  EXPECT_EQ(classic.c, 362436. / 16777216.);
}

TEST(RmmaqdState, SeedsOf0AndMoreRepeatAfter942438978) {
  constexpr std::int32_t kPeriod = 177 * 177 * 30082;
  const auto state = [](std::int32_t seed) { return ranmar::seeded_state<ranmar::Form48>(seed); };
  for (const std::int32_t seed : {0, 1, 30081, 7561022, 900000000 - kPeriod / 2, kPeriod - 1})
    EXPECT_EQ(state(seed), state(seed + kPeriod)) << seed;
  EXPECT_NE(state(-1), state(kPeriod - 1));
}

TEST(RmmaqdState, ClassicLoopGoesOnFromAnyPosition) {
  auto state = ranmar::seeded_state<ranmar::Form48>(4242);
  auto classic = ranmar::to_rmmaqd(state, 97);
  double number = 0.;
  for (int n = 0; n < 500; ++n) {
    ranmar::fill_reference(state, &number, 1);
    ASSERT_EQ(classic_draw(classic), number) << "number " << n + 1;
    const auto exported = ranmar::to_rmmaqd(state, classic.i97);
    ASSERT_EQ(exported.u, classic.u);
    ASSERT_EQ(exported.c, classic.c);
    ASSERT_EQ(exported.j97, classic.j97);
    ASSERT_EQ(ranmar::from_rmmaqd(classic), state);
  }
}

TEST(RmmaqdState, RefusesWhatIsNoState) {
  using State = ranmar::RmmaqdState;
  const auto good = ranmar::to_rmmaqd(ranmar::seeded_state<ranmar::Form48>(1), 97);
  EXPECT_NO_THROW(ranmar::from_rmmaqd(good));
  const std::pair<const char*, void (*)(State&)> changes[] = {
      {"i97 0", [](State& s) { s.i97 = 0; }},
      {"j97 not 33 behind", [](State& s) { s.j97 = 34; }},
      {"u 1", [](State& s) { s.u[5] = 1.; }},
      {"u of 49 bits", [](State& s) { s.u[5] = 0x1p-49; }},
      {"u with a sign", [](State& s) { s.u[5] = -0.; }},
      {"c with a sign", [](State& s) { s.c = -0.; }},
      {"c its modulus", [](State& s) { s.c = 16777213. / 16777216.; }}};
  for (const auto& [what, change] : changes) {
    auto bad = good;
    change(bad);
    EXPECT_THROW(ranmar::from_rmmaqd(bad), std::invalid_argument) << what;
  }
  auto zeros = good;
  zeros.c = zeros.u[5] = 0.;
  EXPECT_NO_THROW(ranmar::from_rmmaqd(zeros));
  EXPECT_THROW(ranmar::to_rmmaqd(ranmar::seeded_state<ranmar::Form48>(1), 98), std::invalid_argument);
}

// CORSIKA may run with floating-point exceptions trapped, and a damaged file may hold any bits.
TEST(RmmaqdState, RefusesWithoutAFloatingPointException) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::max()}) {
    auto bad_u = ranmar::to_rmmaqd(ranmar::seeded_state<ranmar::Form48>(1), 97), bad_c = bad_u;
    bad_u.u[5] = bad_c.c = value;
    for (const auto& bad : {bad_u, bad_c}) {
      std::feclearexcept(FE_ALL_EXCEPT);
      EXPECT_THROW(ranmar::from_rmmaqd(bad), std::invalid_argument);
      EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), 0) << value;
    }
  }
}

}  // namespace
