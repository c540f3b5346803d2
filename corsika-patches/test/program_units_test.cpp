#include "corsika_patches/program_units.h"

#include <gtest/gtest.h>

using namespace corsika_patches;

TEST(ProgramUnits, FindsHeadsEntriesAndEnds) {
  const FixedFormSource s{
      TextFile("      PROGRAM P\n      STOP\n      END\n"
               "      real*8 function F (a,\n     *  b)\n      F = 1\n      ENTRY G()\n      END\n"
               "      SUBROUTINE S\n      FUNCTION = 3\n      END SUBROUTINE S\n")};
  const auto units = find_units(s);
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0].heads[0].kind, "PROGRAM");
  EXPECT_EQ(units[1].name(), "F");
  EXPECT_EQ(units[1].heads[0].type, "REAL*8");
  EXPECT_EQ(units[1].heads[0].arguments, (std::vector<std::string>{"A", "B"}));
  ASSERT_EQ(units[1].entries.size(), 1U);
  EXPECT_EQ(units[1].entries[0].name, "G");
  EXPECT_EQ(units[2].name(), "S");
  for (const auto& unit : units) EXPECT_EQ(unit.irregular, "");
}

TEST(ProgramUnits, TakesInConditionalsThatCutThroughTheHead) {
  const FixedFormSource s{
      TextFile("#if OUTER\nC x\n#if A\n      REAL FUNCTION F()\n#else\n      REAL FUNCTION G()\n#endif\n     "
               " F=1\n      END\n#endif\n")};
  const auto units = find_units(s);
  ASSERT_EQ(units.size(), 1U);
  EXPECT_TRUE(units[0].has_name("F"));
  EXPECT_TRUE(units[0].has_name("G"));
  EXPECT_EQ(units[0].begin_line, 2);
  EXPECT_EQ(units[0].end_line, 8);
  EXPECT_EQ(units[0].irregular, "");
}

TEST(ProgramUnits, AConditionalOverOneUnitAndTheHeadOfTheNextIsNoCleanOne) {
  const FixedFormSource s{
      TextFile("#if A\n      FUNCTION F()\n      END\n      FUNCTION G()\n#endif\n      END\n")};
  const auto units = find_units(s);
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].irregular, "");
  EXPECT_NE(units[1].irregular, "");
}

TEST(ProgramUnits, SaysWhenAUnitIsNoCleanOne) {
  const FixedFormSource s{
      TextFile("      SUBROUTINE S\n#if A\n      END\n#else\n      X=1\n      END\n#endif\n")};
  EXPECT_NE(find_units(s)[0].irregular, "");
}
