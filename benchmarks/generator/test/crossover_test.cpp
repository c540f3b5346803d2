// Crossings of made-up lines.
#include <gtest/gtest.h>

#include <cmath>

#include "lines.hpp"

namespace {

using bench::Line;
using bench::Range;

const Line kFlat{"flat", {{100, 1e9}, {1000, 1e9}, {10000, 1e9}, {100000, 1e9}}};

TEST(BenchCrossover, OneCrossingIsInterpolatedInTheLogarithms) {
  // A tenth of flat at 1000 and ten times flat at 10000: level half-way between, in the logarithms.
  const Line rising{"rising", {{100, 1e7}, {1000, 1e8}, {10000, 1e10}, {100000, 1e10}}};
  const auto ranges = bench::where_faster(rising, kFlat);
  ASSERT_TRUE(ranges.has_value());
  ASSERT_EQ(ranges->size(), 1U);
  ASSERT_TRUE(ranges->front().from.has_value());
  EXPECT_NEAR(ranges->front().from->n, std::sqrt(1e3 * 1e4), 1e-6);
  EXPECT_NEAR(ranges->front().from->numbers_per_s, 1e9, 1.);
  EXPECT_FALSE(ranges->front().to.has_value());
  EXPECT_EQ(bench::in_words(*ranges), "from 3162 on");

  const auto other_way = bench::where_faster(kFlat, rising);
  ASSERT_EQ(other_way->size(), 1U);
  EXPECT_FALSE(other_way->front().from.has_value());
  EXPECT_NEAR(other_way->front().to->n, std::sqrt(1e3 * 1e4), 1e-6);
  EXPECT_EQ(bench::in_words(*other_way), "up to 3162");
}

TEST(BenchCrossover, UnevenLeadsMoveTheCrossing) {
  // Half of flat, then eight times flat: a quarter of the way.
  const Line rising{"rising", {{100, 5e8}, {1000, 8e9}}};
  const auto ranges = bench::where_faster(rising, kFlat);
  ASSERT_EQ(ranges->size(), 1U);
  EXPECT_NEAR(ranges->front().from->n, 100. * std::pow(10., 0.25), 1e-6);
}

TEST(BenchCrossover, NeverAndAlways) {
  const Line below{"below", {{100, 9e8}, {1000, 9e8}, {100000, 9e8}}};
  EXPECT_EQ(bench::in_words(*bench::where_faster(below, kFlat)), "never");
  EXPECT_EQ(bench::in_words(*bench::where_faster(kFlat, below)), "at every size measured");
  EXPECT_EQ(bench::in_words(*bench::where_faster(kFlat, kFlat)), "never");
}

TEST(BenchCrossover, ThereAndBackAndThereAgain) {
  const Line bump{"bump", {{100, 5e8}, {1000, 2e9}, {10000, 5e8}, {100000, 2e9}}};
  const auto ranges = bench::where_faster(bump, kFlat);
  ASSERT_EQ(ranges->size(), 2U);
  EXPECT_NEAR(ranges->at(0).from->n, std::sqrt(1e2 * 1e3), 1e-6);
  EXPECT_NEAR(ranges->at(0).to->n, std::sqrt(1e3 * 1e4), 1e-6);
  EXPECT_NEAR(ranges->at(1).from->n, std::sqrt(1e4 * 1e5), 1e-6);
  EXPECT_EQ(bench::in_words(*ranges), "from 316 to 3162 and from 3.2e4 on");
}

TEST(BenchCrossover, OnlyTheRangeThatBothCoverCounts) {
  const Line larger{"larger", {{1000000, 5e9}, {10000000, 5e9}}};
  EXPECT_FALSE(bench::where_faster(larger, kFlat).has_value());
  EXPECT_FALSE(bench::where_faster(kFlat, larger).has_value());
  EXPECT_FALSE(bench::where_faster({"nothing", {}}, kFlat).has_value());
  const Line later{"later", {{10000, 5e9}, {100000, 1e1}, {1000000, 1e1}}};
  const auto ranges = bench::where_faster(later, kFlat);
  ASSERT_EQ(ranges->size(), 1U);
  EXPECT_FALSE(ranges->front().from.has_value());
  EXPECT_TRUE(ranges->front().to.has_value());
}

TEST(BenchCrossover, SizesInWords) {
  const auto at = [](double n) { return bench::in_words({Range{.from = bench::Crossing{n, 1.}}}); };
  EXPECT_EQ(at(100.4), "from 100 on");
  EXPECT_EQ(at(9999.4), "from 9999 on");
  EXPECT_EQ(at(9999.6), "from 1.0e4 on");
  EXPECT_EQ(at(534000.), "from 5.3e5 on");
  EXPECT_EQ(at(9.96e7), "from 1.0e8 on");
}

TEST(BenchCrossover, PairsOfWhichOneIsNotThereAreLeftOut) {
  const std::vector<Line> cpu = {{bench::kStock, {{100, 1e8}, {1000, 1e8}}},
                                 {bench::kSimdOneCore, {{100, 5e7}, {1000, 2e8}}}};
  const auto found = bench::crossovers_of(cpu);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].fast, bench::kSimdOneCore);
  EXPECT_EQ(found[0].slow, bench::kStock);
  EXPECT_EQ(bench::in_words(found[0].faster), "from 316 on");

  std::vector<Line> both = cpu;
  both.push_back({bench::kDelivered, {{100, 1e6}, {1000, 1e7}}});
  both.push_back({bench::kSimdAllCores, {{100, 5e7}, {1000, 4e8}}});
  const auto more = bench::crossovers_of(both);
  ASSERT_EQ(more.size(), 4U);
  EXPECT_EQ(more[3].fast, bench::kDelivered);
  EXPECT_EQ(more[3].slow, bench::kSimdAllCores);
  EXPECT_EQ(bench::in_words(more[3].faster), "never");
}

}  // namespace
