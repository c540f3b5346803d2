#include "overlay/run/program_summary.hpp"

#include <gtest/gtest.h>

namespace overlay {
namespace {

TEST(Summary, KeysAndValues) {
  const auto summary = parse_summary(
      "Note: x\nranmar: no card, going on\nranmar: backend=simd sequences=4 draws=123456\ncherenkov: steps=3 "
      "bunches=70\n",
      "ranmar:", "draws");
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->text("backend"), "simd");
  EXPECT_EQ(summary->number("draws"), 123456u);
  EXPECT_FALSE(summary->number("backend"));
  EXPECT_FALSE(summary->number("waits"));
  EXPECT_FALSE(parse_summary("nothing\n", "ranmar:", "draws"));
  const auto light =
      parse_summary("ranmar: draws=1\ncherenkov: steps=3 bunches=70\n", "cherenkov:", "bunches");
  ASSERT_TRUE(light);
  EXPECT_EQ(light->number("bunches"), 70U);
}

TEST(LogDraws, LastLessFirstOfEverySequence) {
  EXPECT_EQ(log_draws(" SEQUENCE =  1  SEED =        11  CALLS =         5  BILLIONS =         0\n"
                      " SEQUENCE =  2  SEED =        12  CALLS =         0  BILLIONS =         0\n"
                      " SEQUENCE =  1  SEED =        11  CALLS =         9  BILLIONS =         2\n"
                      " SEQUENCE =  2  SEED =        12  CALLS =       100  BILLIONS =         0\n"),
            2000000104u);
  EXPECT_FALSE(log_draws("no counters\n"));
}

TEST(LogDraws, NumbersThatAreNoCountersAreLeftOut) {
  EXPECT_FALSE(log_draws(" SEQUENCE =  1  CALLS = 99999999999999999999999\n"));
  EXPECT_FALSE(log_draws(" SEQUENCE =  1  CALLS = 7  BILLIONS = 1"
                         "SEQUENCE\n SEQUENCE\n SEQUENCE =\n SEQUENCE = 1 CALLS\n")
                   .value_or(0));
  EXPECT_FALSE(log_draws(" SEQUENCE = 99999999999  SEED = 1  CALLS = 1\n"));
}

}  // namespace
}  // namespace overlay
