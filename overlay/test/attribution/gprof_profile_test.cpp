#include "overlay/attribution/gprof_profile.hpp"

#include <gtest/gtest.h>

#include "overlay/attribution/profile_categories.hpp"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

const char* const kFlat =
    "Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
    "  %   cumulative   self              self     total           \n"
    " time   seconds   seconds    calls  ms/call  ms/call  name    \n"
    " 60.00      0.60     0.60   262144     0.00     0.00  lbin_\n"
    " 20.00      0.80     0.20  1747990     0.00     0.00  rmmard_\n"
    " 10.00      0.90     0.10                             _init\n"
    " 10.00      1.00     0.10       12     8.33     8.33  rmmaqd_\n"
    "  0.00      1.00     0.00                             ranmar::fill(double*, int)\n";

TEST(Gprof, FlatProfile) {
  const GprofProfile profile = parse_gprof(kFlat);
  ASSERT_EQ(profile.rows.size(), 5u);
  EXPECT_EQ(profile.rows[1].name, "rmmard_");
  EXPECT_EQ(profile.rows[1].calls, 1747990u);
  EXPECT_FALSE(profile.rows[2].calls);
  EXPECT_EQ(profile.rows[4].name, "ranmar::fill(double*, int)");
  EXPECT_NEAR(profile.total_s(), 1.0, 1e-12);
  const CategoryList categories = CategoryList::standard();
  EXPECT_EQ(profile.draw_calls(categories.generator()), 1747990u) << "seeding is no draw";
}

TEST(Gprof, RowsOfEveryShape) {
  const GprofProfile profile = parse_gprof(
      " 50.00      1.00     1.00      100                             lbin_\n"
      "\t\t     Call graph\n"
      " 50.00      2.00     1.00                             7up\n"
      "  0.00      2.00     0.00        3     0.00     0.00  operator new (unsigned long)\n"
      "  0.00      2.00\n");
  ASSERT_EQ(profile.rows.size(), 3u);
  EXPECT_EQ(profile.rows[0].name, "lbin_");
  EXPECT_EQ(profile.rows[0].calls, 100u) << "calls without times a call";
  EXPECT_EQ(profile.rows[1].name, "7up");
  EXPECT_FALSE(profile.rows[1].calls);
  EXPECT_EQ(profile.rows[2].name, "operator new (unsigned long)");
  EXPECT_EQ(profile.rows[2].calls, 3u);
}

TEST(Gprof, NoFileIsAnError) {
  support::TemporaryFolder folder;
  EXPECT_THROW(read_gprof(BURNER, folder.path() / "gmon.out"), support::Error);
}

}  // namespace
}  // namespace overlay
