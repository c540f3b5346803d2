// Texts: C comments, our blocks, and statements as texts.
#include "corsika-patches/text.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "corsika-patches/statement_text.h"
#include "sample_tree.h"
#include "support/error.hpp"

using namespace corsika_patches;

namespace {

TEST(CText, CommentsGoAndLinesStay) {
  EXPECT_EQ(without_c_comments("a /* b\nc */ d // e\nf"), "a  \n d  \nf");
  EXPECT_EQ(without_c_comments("a // b \\\nc\nd"), "a  \n\nd") << "a joined line belongs to the comment";
  EXPECT_EQ(without_c_comments("a / b // c"), "a / b  ");
  EXPECT_EQ(without_c_comments("a /* open\nb"), "a  \n");
  for (const std::string text : {"\"/* a */ // b\"", "'\"' + '/'", "\"\\\"/* a */\"", "'\\'' + 1", "a \\\nb",
                                 "#error don't\nint b;\n"})
    EXPECT_EQ(without_c_comments(text), text);
  EXPECT_EQ(without_c_comments("#error don't\n/* a */b"), "#error don't\n b")
      << "a constant ends with its line";
}

TEST(CText, FirstLineWithAName) {
  const auto line = [](const std::string& text) { return first_line_with(text, {"hit_", "end_"}); };
  EXPECT_EQ(line("int a;\nint hit_(double x);\nint hit_(double x) {}\n"), 1);
  EXPECT_EQ(line("int a;\nint b(void) { end_(); }\n"), 1);
  EXPECT_EQ(line("int a;\n#if A\n # if B\nint hit_();\n# endif\n#endif\n"), 1)
      << "before the outermost conditional around it";
  EXPECT_EQ(line("#if A\n#endif\n#ifdef B\n#else\nint hit_();\n#endif\n"), 2);
  EXPECT_EQ(line("#if A\n#endif\nint hit_();\n"), 2);
  EXPECT_EQ(line("#define hit_ x\n/* hit_ */ int hit_2, my_hit_;\n// end_\n"), -1);
}

TEST(CText, ArgumentsInAnyBuild) {
  EXPECT_EQ(argument_count("/* f(a) */ int f(double a, /* b, */ double c);", "f"), 2);
  EXPECT_EQ(argument_count("int f (int *a,\n int b\n#ifdef MORE\n, int c\n#endif\n)\n{", "f"), 2);
  EXPECT_EQ(argument_count("int ff(int a); int f();", "f"), 0);
}

std::string patched(const std::string& stock) {
  return apply_blocks(TextFile(stock), {{"FLAG", "t", 2, 2, {"new"}}, {"FLAG", "t", 1, 0, {"beside"}}}, "x");
}

TEST(Blocks, AreTakenOutAgain) {
  for (const std::string stock :
       {"a\nb\nc\nd\n", "a\r\nb\r\nc\r\nd\r\n", "a\nb\nc", "a\r\nb\r\nc", "a\n\n\xff\xfe\nb"})
    EXPECT_EQ(sample::without_blocks(patched(stock)), stock);
  EXPECT_NE(patched("a\r\nb\r\nc").find("new\r\n"), std::string::npos);
}

TEST(Blocks, AreRefused) {
  EXPECT_THROW(apply_blocks(TextFile("a\nb"), {{"FLAG", "t", 2, 1, {"new"}}}, "x"), support::Error)
      << "behind a last line without its end";
  // The stock text could not be told from the line end that is put in.
  EXPECT_THROW(patched("a\nb\nc\r"), support::Error);
  EXPECT_THROW(patched("a\r\nb\r\nc\r"), support::Error);
  EXPECT_THROW(apply_blocks(TextFile("a\nb\nc\n"), {{"F", "t", 0, 1, {}}, {"F", "t", 1, 2, {}}}, "x"),
               support::Error)
      << "they overlap";
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
  EXPECT_EQ(canonical("A='1.0 <= B"), "A='1.0 <= B") << "a quote that does not close";
}

TEST(StatementText, PartsOutsideOfQuotesAndParentheses) {
  using List = std::vector<std::string>;
  EXPECT_EQ(closing_parenthesis("A(B(1),')',C)=2", 1), 12U);
  EXPECT_EQ(closing_parenthesis("A((1)", 1), std::string_view::npos);
  EXPECT_EQ(split_arguments("A,B(1,2),',\"',C"), (List{"A", "B(1,2)", "',\"'", "C"}));
  EXPECT_EQ(split_arguments("A,"), (List{"A", ""}));
  EXPECT_TRUE(split_arguments("").empty());
  EXPECT_EQ(top_level_equals("A(I,K=1)=2"), 8U);
  EXPECT_EQ(top_level_equals("WRITE(6,'(A=)')"), std::string_view::npos);
  EXPECT_EQ(identifiers("A.AND.B1='C'//1.D0+_D$"), (List{"A", "B1", "_D$"}));
}

TEST(StatementText, TypesAndDeclarations) {
  for (const auto& [text, type, behind] : {std::tuple{"REAL*8X", "REAL*8", "X"},
                                           {"CHARACTER*(*)A,B", "CHARACTER*(*)", "A,B"},
                                           {"REAL(8)X", "REAL(8)", "X"},
                                           {"DOUBLEPRECISIONX*8", "DOUBLEPRECISION", "X*8"},
                                           {"REAL(8X", "", "REAL(8X"},
                                           {"COMMON/X/A", "", "COMMON/X/A"}}) {
    std::string_view rest = text;
    EXPECT_EQ(take_type(rest), type) << text;
    EXPECT_EQ(rest, behind) << text;
  }
  EXPECT_TRUE(is_specification("REALX(3)"));
  EXPECT_TRUE(is_specification("PARAMETER(A=1)"));
  EXPECT_FALSE(is_specification("REALX(3)=5"));
  EXPECT_FALSE(is_specification("CALLX"));
}

}  // namespace
