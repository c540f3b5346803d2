#include "crew.hpp"

#include <gtest/gtest.h>

namespace {

using bench::Crew;

TEST(BenchCrew, ThreadCountsDoubleUpToAll) {
  EXPECT_EQ(bench::thread_counts(1), (std::vector<int>{1}));
  EXPECT_EQ(bench::thread_counts(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(bench::thread_counts(6), (std::vector<int>{1, 2, 4, 6}));
  EXPECT_EQ(bench::thread_counts(16), (std::vector<int>{1, 2, 4, 8, 16}));
}

TEST(BenchCrew, EveryRequestIsMadeAndTheSequenceGoesOn) {
  constexpr std::size_t kN = 1000;
  Crew crew({0}, 3, kN);
  EXPECT_GT(crew.run(ranmar::Backend::kSimd, 3, kN, 4), 0.);
  EXPECT_GT(crew.run(ranmar::Backend::kReference, 1, 10, 2), 0.);
  auto state = ranmar::seeded_state<ranmar::Form48>(1);
  std::vector<double> expected(kN);
  for (int request = 0; request < 4; ++request) ranmar::fill_reference(state, expected.data(), kN);
  for (int request = 0; request < 2; ++request) ranmar::fill_reference(state, expected.data(), 10);
  EXPECT_EQ(std::vector<double>(crew.memory(), crew.memory() + kN), expected);
}

}  // namespace
