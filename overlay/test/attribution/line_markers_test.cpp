#include <gtest/gtest.h>

#include "overlay/attribution/source_lines.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

TEST(LineMarkers, CommentsAreFollowedAndTrueMarkersLeftToTheCompiler) {
  support::TemporaryFolder folder;
  const LineMarkers markers(
      folder.write("c.f",
                   "* 1 \"corsika.F\"\n      A = 1\n* 1 \"ranmar_draw.inc\" 1\n      B = 2\n"
                   "* 4 \"corsika.F\" 2\n      C = 3\n# 1 \"no.inc\"\n* 12 apples\n      D = 4\n"));
  ASSERT_TRUE(markers.readable());
  EXPECT_EQ(markers.file_at(1), "");
  EXPECT_EQ(markers.file_at(2), "corsika.F");
  EXPECT_EQ(markers.file_at(4), "ranmar_draw.inc");
  EXPECT_EQ(markers.file_at(6), "corsika.F");
  EXPECT_EQ(markers.file_at(9), "corsika.F");
  EXPECT_FALSE(LineMarkers(folder.path() / "none").readable());
}

}  // namespace
}  // namespace overlay
