// The line of progress that a run leaves on standard error.
#include "overlay/run/progress.hpp"

#include <gtest/gtest.h>

namespace overlay {
namespace {

std::string line_of(Progress& progress, const std::string& build, double wall_s) {
  progress.begin(build, build + " 1");
  testing::internal::CaptureStderr();
  progress.end(wall_s, wall_s);
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, CountsRunsAndSaysWhatIsLeft) {
  Progress progress({{"stock", 1}, {"patched", 2}});
  EXPECT_EQ(line_of(progress, "stock", 10.).find("overlay: run 1/3 stock 1: 10.00 s (CPU 10.00 s)"), 0U);
  EXPECT_DOUBLE_EQ(progress.estimate_left_s(), 20.);  // as long as the average run
  EXPECT_EQ(line_of(progress, "patched", 2.).find("overlay: run 2/3 "), 0U);
  EXPECT_DOUBLE_EQ(progress.estimate_left_s(), 2.);
  EXPECT_EQ(line_of(progress, "patched", 2.).find("overlay: run 3/3 "), 0U);
  EXPECT_DOUBLE_EQ(progress.estimate_left_s(), 0.);
}

// The second first run is made only where the first one left tables.
TEST(Progress, RunsThatNobodyPlannedCountToo) {
  Progress progress({{"first runs", 1}, {"stock", 1}});
  EXPECT_EQ(line_of(progress, "first runs", 1.).find("overlay: run 1/2 "), 0U);
  EXPECT_EQ(line_of(progress, "first runs", 1.).find("overlay: run 2/3 "), 0U);
  EXPECT_EQ(line_of(progress, "stock", 1.).find("overlay: run 3/3 "), 0U);
}

}  // namespace
}  // namespace overlay
