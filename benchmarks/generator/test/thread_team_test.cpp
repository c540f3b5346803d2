// A team makes what it is asked for.
#include "thread_team.hpp"

#include <gtest/gtest.h>

namespace {

using bench::ThreadTeam;

TEST(BenchThreadTeam, ThreadCountsDoubleUpToAll) {
  EXPECT_EQ(bench::thread_counts(1), (std::vector<int>{1}));
  EXPECT_EQ(bench::thread_counts(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(bench::thread_counts(6), (std::vector<int>{1, 2, 4, 6}));
  EXPECT_EQ(bench::thread_counts(16), (std::vector<int>{1, 2, 4, 8, 16}));
}

TEST(BenchThreadTeam, EveryRequestIsMadeAndTheSequenceGoesOn) {
  constexpr std::size_t kN = 1000;
  ThreadTeam team({0}, 3, kN);
  EXPECT_GT(team.run(ranmar::Backend::kSimd, 3, kN, 4), 0.);
  EXPECT_GT(team.run(ranmar::Backend::kReference, 1, 10, 2), 0.);
  auto state = ranmar::seeded_state<ranmar::Form48>(1);
  std::vector<double> expected(kN);
  for (int request = 0; request < 4; ++request) ranmar::fill_reference(state, expected.data(), kN);
  for (int request = 0; request < 2; ++request) ranmar::fill_reference(state, expected.data(), 10);
  EXPECT_EQ(std::vector<double>(team.memory(), team.memory() + kN), expected);
}

}  // namespace
