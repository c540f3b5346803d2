#include "support/statistics.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

using namespace support;

TEST(Statistics, MedianQuantileAndAmdahl) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_NEAR(quantile({0, 1, 2, 3, 4}, 0.975), 3.9, 1e-12);
  EXPECT_NEAR(amdahl_gain(0.5), 2, 1e-12);
  EXPECT_EQ(amdahl_gain(0), 1);
}

TEST(Statistics, WilsonInterval) {
  // R: prop.test(10, 1000, correct = FALSE)
  const Estimate share = binomial_share(10, 1000);
  EXPECT_NEAR(share.low, 0.005441, 1e-5);
  EXPECT_NEAR(share.high, 0.018309, 1e-5);
  EXPECT_EQ(binomial_share(0, 0).high, 1);
}

TEST(Statistics, PairedRatioIsTheSameEveryTime) {
  const std::vector<double> a{10, 11, 12, 10.5, 11.5, 10.2}, b{5, 5.4, 6.1, 5.2, 5.8, 5.0};
  const Estimate first = paired_ratio(a, b), second = paired_ratio(a, b);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LE(first.low, first.value);
  EXPECT_GE(first.high, first.value);
  EXPECT_NEAR(first.value, 2.0, 0.05);
  // Pairs must be as many of both.
  EXPECT_THROW(paired_ratio({2, 2, 2}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(paired_ratio({}, {1}), std::invalid_argument);
  EXPECT_THROW(removed_fraction({2, 2}, {1}, 0.5, 0), std::invalid_argument);
}

TEST(Statistics, RatioOfMediansOfRunsThatAreNoPairs) {
  const std::vector<double> a{10, 11, 12}, b{5, 5.5};
  const Estimate ratio = ratio_of_medians(a, b);
  EXPECT_NEAR(ratio.value, 11 / 5.25, 1e-12);
  EXPECT_TRUE(ratio.has_interval);
  EXPECT_GE(ratio.low, 10 / 5.5 - 1e-12);
  EXPECT_LT(ratio.low, ratio.value);
  EXPECT_GT(ratio.high, ratio.value);
  EXPECT_LE(ratio.high, 12 / 5.0 + 1e-12);
  EXPECT_EQ(ratio.low, ratio_of_medians(a, b).low) << "the same every time";
  EXPECT_FALSE(ratio_of_medians({10}, b).has_interval);
  EXPECT_FALSE(ratio_of_medians(a, {5}).has_interval);
  EXPECT_EQ(ratio_of_medians(a, {}).value, 0);
}

TEST(Statistics, RemovedFraction) {
  const std::vector<double> stock{10, 10, 10, 10, 10, 10}, patched{9.1, 9.1, 9.1, 9.1, 9.1, 9.1};
  const Estimate exact = removed_fraction(stock, patched, 0.1, 0);
  EXPECT_NEAR(exact.value, 0.9, 1e-12);
  EXPECT_NEAR(exact.low, 0.9, 1e-12);
  const Estimate wide = removed_fraction(stock, patched, 0.1, 0.005);
  EXPECT_LT(wide.low, 0.85);
  EXPECT_GT(wide.high, 0.95);
}
