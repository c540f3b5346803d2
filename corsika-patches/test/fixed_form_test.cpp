#include "corsika_patches/fixed_form.h"

#include <gtest/gtest.h>

#include <string>

#include "corsika_patches/statement_text.h"

using namespace corsika_patches;

TEST(FixedForm, JoinsContinuationLinesAndDropsComments) {
  const FixedFormSource s{TextFile(
      "      call  Foo( a,\nC between\n     *  'b C!', ! tail\n\n     &  1.50D0 )\n10    go to 10\n")};
  ASSERT_EQ(s.statements().size(), 2U);
  EXPECT_EQ(s.statements()[0].text, "CALLFOO(A,'b C!',1.5.)");
  EXPECT_EQ(s.statements()[0].last, 4);
  EXPECT_EQ(s.statements()[1].label, "10");
  EXPECT_EQ(s.statements()[1].text, "GOTO10");
}

TEST(FixedForm, TakesTabsCrlfAndNoFinalLineEnd) {
  const FixedFormSource s{TextFile("\tX = 1\r\n\t1 + 2\r\n  20\tY = .5\r\n      END")};
  ASSERT_EQ(s.statements().size(), 3U);
  EXPECT_EQ(s.statements()[0].text, "X=1+2");
  EXPECT_EQ(s.statements()[1].label, "20");
  EXPECT_EQ(s.statements()[1].text, "Y=0.5.");
  EXPECT_EQ(s.text().line_end_near(3), "\r\n");
}

// Any character in column 6 continues a line, and what stands behind column 72 is no code.
TEST(FixedForm, ColumnsDecide) {
  const auto upto = [](std::string line, std::size_t column) {
    line.resize(column, ' ');
    return line;
  };
  const FixedFormSource s{TextFile("      CALL FOO( A\n     !  ,B )\n    !  C\n      !\n" +
                                   upto("      X = ", 71) + "12\n" + upto("      Y = 3", 72) + "00001230\n")};
  ASSERT_EQ(s.statements().size(), 3U);
  EXPECT_EQ(s.statements()[0].text, "CALLFOO(A,B)");
  EXPECT_EQ(s.statements()[1].text, "X=1");
  EXPECT_EQ(s.statements()[2].text, "Y=3");
}

TEST(FixedForm, NestsConditionals) {
  const FixedFormSource s{
      TextFile("#if A\n      X=1\n#elif  B && \\\n  C\n      X=2\n#else\n      X=3\n#endif\n      X=4\n")};
  ASSERT_EQ(s.statements().size(), 4U);
  EXPECT_EQ(s.branches()[static_cast<std::size_t>(s.statements()[1].branch)].condition, "B && C");
  EXPECT_EQ(s.statements()[3].branch, 0);
  EXPECT_EQ(s.groups()[0].close, 7);
  EXPECT_EQ(s.unbalanced_line(), -1);
  EXPECT_EQ(FixedFormSource{TextFile("\n#if A\n")}.unbalanced_line(), 1);
}

TEST(FixedForm, MarksStatementsThatDirectivesCutThrough) {
  const FixedFormSource s{TextFile("      X = 1\n#if A\n     * + 2\n#endif\n     * + 3\n")};
  ASSERT_EQ(s.statements().size(), 1U);
  EXPECT_TRUE(s.statements()[0].split);
}

TEST(StatementText, ConstantsByValue) {
  EXPECT_EQ(canonical("X=0.D0+0.0+1.E0+007"), "X=0.+0.+1.+7");
  // Without a D a constant has single precision: 0.5 is the same number, 0.1 is another.
  EXPECT_EQ(canonical("X=0.5+2.5E1"), canonical("X=0.5D0+2.5D1"));
  EXPECT_NE(canonical("X=0.1"), canonical("X=0.1D0"));
  EXPECT_NE(canonical("X=1.E-9"), canonical("X=1.D-9"));
  EXPECT_EQ(canonical("X=1.E-1"), canonical("X=0.1"));
  EXPECT_EQ(canonical("IF(N.EQ.1.AND.X<=2.D0.OR.Y==1.)"), "IF(N.EQ.1.AND.X.LE.2..OR.Y.EQ.1.)");
  EXPECT_EQ(canonical("I97(3)=I97(3)-1"), "I97(3)=I97(3)-1");
}

TEST(StatementText, TellsDeclarationsFromAssignments) {
  EXPECT_TRUE(is_specification("REALX(3)"));
  EXPECT_TRUE(is_specification("PARAMETER(A=1)"));
  EXPECT_FALSE(is_specification("REALX(3)=5"));
  EXPECT_FALSE(is_specification("CALLX"));
}
