// Fixed-form Fortran: lines, conditionals, program units, declarations.
#include <gtest/gtest.h>

#include <string>

#include "corsika-patches/declarations.h"
#include "corsika-patches/program_units.h"
#include "support/error.hpp"

using namespace corsika_patches;

namespace {

using Names = std::vector<std::string>;

FixedFormSource source_of(const std::string& text) { return FixedFormSource(TextFile(text)); }

TEST(FixedForm, JoinsContinuationLinesAndDropsComments) {
  const auto s = source_of(
      "      call  Foo( a,\nC between\n     *  'b C!', ! tail\n\n     &  1.50D0 )\n10    go to 10\n");
  ASSERT_EQ(s.statements().size(), 2U);
  EXPECT_EQ(s.statement(0).text, "CALLFOO(A,'b C!',1.5.)");
  EXPECT_EQ(s.statement(0).last, 4);
  EXPECT_EQ(s.statement(1).label, "10");
  EXPECT_EQ(s.statement(1).text, "GOTO10");
}

TEST(FixedForm, TakesTabsCrlfAndNoFinalLineEnd) {
  const auto s = source_of("\tX = 1\r\n\t1 + 2\r\n  20\tY = .5\r\n      END");
  ASSERT_EQ(s.statements().size(), 3U);
  EXPECT_EQ(s.statement(0).text, "X=1+2");
  EXPECT_EQ(s.statement(1).label, "20");
  EXPECT_EQ(s.statement(1).text, "Y=0.5.");
  EXPECT_EQ(s.text().line_end_near(3), "\r\n");
}

// Any character in column 6 continues a line, and what stands behind column 72 is no code.
TEST(FixedForm, ColumnsDecide) {
  const auto upto = [](std::string line, std::size_t column) {
    line.resize(column, ' ');
    return line;
  };
  const auto s = source_of("      CALL FOO( A\n     !  ,B )\n    !  C\n      !\n" + upto("      X = ", 71) +
                           "12\n" + upto("      Y = 3", 72) + "00001230\n");
  ASSERT_EQ(s.statements().size(), 3U);
  EXPECT_EQ(s.statement(0).text, "CALLFOO(A,B)");
  EXPECT_EQ(s.statement(1).text, "X=1");
  EXPECT_EQ(s.statement(2).text, "Y=3");
}

TEST(FixedForm, NestsConditionals) {
  const auto s =
      source_of("#if A\n      X=1\n#elif  B && \\\n  C\n      X=2\n#else\n      X=3\n#endif\n      X=4\n");
  ASSERT_EQ(s.statements().size(), 4U);
  EXPECT_EQ(s.branch(s.statement(1).branch).condition, "B && C");
  EXPECT_EQ(s.statement(3).branch, 0);
  EXPECT_EQ(s.groups()[0].close, 7);
  EXPECT_EQ(s.unbalanced_line(), -1);
  EXPECT_EQ(source_of("\n#if A\n").unbalanced_line(), 1);
  const auto cut = source_of("      X = 1\n#if A\n     * + 2\n#endif\n     * + 3\n");
  ASSERT_EQ(cut.statements().size(), 1U);
  EXPECT_TRUE(cut.statement(0).split);
}

TEST(Conditions, AreRead) {
  const std::set<std::string> on = {"__A__", "__B__"};
  EXPECT_TRUE(holds("__A__", on));
  EXPECT_FALSE(holds("!__A__", on));
  EXPECT_TRUE(holds("__A__ && !__C__", on));
  EXPECT_FALSE(holds("__C__ && __A__ || __C__", on));
  EXPECT_TRUE(holds("__C__ || ( __A__ && ( __C__ || __B__ ) )", on));
  EXPECT_TRUE(holds("defined(__A__) && defined __B__ && !defined(__C__)", on));
  EXPECT_TRUE(holds("1 && !0 /* a comment */", on));
  for (const char* bad : {"__A__ > 2", "", "( __A__", "__A__ __B__", "defined()"})
    EXPECT_THROW(holds(bad, on), support::Error) << bad;
}

TEST(Conditions, BranchesExcludeEachOther) {
  const auto source = source_of(
      "      SUBROUTINE S\n#if __A__\n      I = 1\n#elif __B__\n      I = 2\n#else\n      I = 3\n#endif\n"
      "#ifdef __A__\n      J = 1\n#endif\n#ifndef __A__\n      J = 2\n#endif\n      END\n");
  const auto active = [&](const std::set<std::string>& on) {
    std::string out;
    for (const auto& s : source.statements())
      if (source.is_active(s.branch, on)) out += s.text + ";";
    return out;
  };
  EXPECT_EQ(active({}), "SUBROUTINES;I=3;J=2;END;");
  EXPECT_EQ(active({"__B__"}), "SUBROUTINES;I=2;J=2;END;");
  EXPECT_EQ(active({"__A__", "__B__"}), "SUBROUTINES;I=1;J=1;END;");
}

TEST(ProgramUnits, HeadsEntriesAndEnds) {
  const auto units = find_units(
      source_of("      PROGRAM P\n      STOP\n      END\n"
                "      real*8 function F (a,\n     *  b)\n      F = 1\n      ENTRY G()\n      END\n"
                "      SUBROUTINE S\n      FUNCTION = 3\n      END SUBROUTINE S\n"));
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0].heads[0].kind, "PROGRAM");
  EXPECT_EQ(units[1].name(), "F");
  EXPECT_EQ(units[1].heads[0].type, "REAL*8");
  EXPECT_EQ(units[1].heads[0].arguments, (Names{"A", "B"}));
  ASSERT_EQ(units[1].entries.size(), 1U);
  EXPECT_EQ(units[1].entries[0].name, "G");
  EXPECT_EQ(units[2].name(), "S");
  for (const auto& unit : units) EXPECT_EQ(unit.irregular, "");
}

TEST(ProgramUnits, ConditionalsThatCutThroughThem) {
  const auto cut = find_units(
      source_of("#if OUTER\nC x\n#if A\n      REAL FUNCTION F()\n#else\n      REAL FUNCTION G()\n#endif\n"
                "      F=1\n      END\n#endif\n"));
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_TRUE(cut[0].has_name("F"));
  EXPECT_TRUE(cut[0].has_name("G"));
  EXPECT_EQ(cut[0].begin_line, 2);
  EXPECT_EQ(cut[0].end_line, 8);
  EXPECT_EQ(cut[0].irregular, "");
  const auto two =
      find_units(source_of("#if A\n      FUNCTION F()\n      END\n      FUNCTION G()\n#endif\n      END\n"));
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].irregular, "");
  EXPECT_NE(two[1].irregular, "");
  const auto ends = source_of("      SUBROUTINE S\n#if A\n      END\n#else\n      X=1\n      END\n#endif\n");
  EXPECT_NE(find_units(ends)[0].irregular, "");
}

TEST(Declarations, TypeDimensionAndContradictions) {
  Declarations d;
  for (const char* text : {"DOUBLEPRECISIONA,B(3),C", "DIMENSIONA(1)", "COMMON/X/C(2,2),D/Y/E(5)",
                           "EQUIVALENCE(B(1),Q)", "REAL*4F", "DIMENSIONG(3)", "DIMENSIONG(4)"})
    d.add(text);
  d.add("DOUBLEPRECISIONH(3)", false);
  EXPECT_TRUE(d.find("A")->typed_double());
  EXPECT_EQ(d.find("A")->dimensions.size(), 1U);
  EXPECT_TRUE(d.find("B")->aliased);
  EXPECT_EQ(d.find("C")->dimensions.size(), 2U);
  EXPECT_EQ(d.find("E")->dimensions.at(0), "5");
  EXPECT_EQ(d.find("Z"), nullptr);
  EXPECT_TRUE(d.find("G")->uncertain);
  EXPECT_TRUE(d.find("H")->uncertain);
  EXPECT_FALSE(d.find("A")->uncertain);
  EXPECT_EQ(d.type_of("F") + ", " + d.type_of("C") + ", " + d.type_of("I") + ", " + d.type_of("D"),
            "REAL, DOUBLE PRECISION, INTEGER, REAL");
  d.add("IMPLICITDOUBLEPRECISION(A-H,O-Z)");
  EXPECT_EQ(d.type_of("D"), "DOUBLE PRECISION");
}

}  // namespace
