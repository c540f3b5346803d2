#include "cherenkov/step.hpp"

#include <gtest/gtest.h>

namespace {

using cherenkov::Step;

TEST(Step, NextPointAddsEachCoordinateOnce) {
  const Step::Point at{1., 2., 3., 4., 5.};
  const Step::Point next = cherenkov::next_point(at, {0.5, -0.25, 0.125, -8., 1e-9});
  EXPECT_EQ(next.path, 1.5);
  EXPECT_EQ(next.x, 1.75);
  EXPECT_EQ(next.y, 3.125);
  EXPECT_EQ(next.z, -4.);
  EXPECT_EQ(next.time, 5. + 1e-9);
}

// Emission points are a running sum, which is not a product: what is followed must stand where CORSIKA has
// it.
TEST(Step, PointsAreARunningSum) {
  const Step::Point between{0.1, 0.1, -0.3, -1. / 3., 1e-11};
  Step::Point at{-0.05, 1e5, -2e5, 1.1e6, 1e-5};
  double x = at.x, z = at.z;
  bool differs = false;
  for (int i = 1; i <= 1000; ++i) {
    at = cherenkov::next_point(at, between);
    x += 0.1;
    z += -1. / 3.;
    ASSERT_EQ(at.x, x);
    ASSERT_EQ(at.z, z);
    differs = differs || at.z != 1.1e6 + i * (-1. / 3.);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
