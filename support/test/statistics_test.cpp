#include "support/statistics.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

using namespace support;

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

TEST(Statistics, RemovedFraction) {
  const std::vector<double> stock{10, 10, 10, 10, 10, 10}, patched{9.1, 9.1, 9.1, 9.1, 9.1, 9.1};
  const Estimate exact = removed_fraction(stock, patched, 0.1, 0);
  EXPECT_NEAR(exact.value, 0.9, 1e-12);
  EXPECT_NEAR(exact.low, 0.9, 1e-12);
  const Estimate wide = removed_fraction(stock, patched, 0.1, 0.005);
  EXPECT_LT(wide.low, 0.85);
  EXPECT_GT(wide.high, 0.95);
}
