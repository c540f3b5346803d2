// Fixed-form Fortran: lines, conditionals, program units.
#include <gtest/gtest.h>

#include <string>

#include "corsika-patches/program_units.h"
#include "support/error.hpp"

using namespace corsika_patches;

namespace {

FixedFormSource source_of(const std::string& text) { return FixedFormSource(TextFile(text)); }

/// The statements, as "label text" with a bar behind each; "cut" behind one that a directive cuts through.
std::string statements_of(const std::string& text) {
  std::string out;
  const auto source = source_of(text);
  for (const auto& s : source.statements())
    out += (s.label.empty() ? "" : s.label + " ") + s.text + (s.split ? " cut|" : "|");
  return out;
}

TEST(FixedForm, StatementsOfLines) {
  EXPECT_EQ(
      statements_of(
          "      call  Foo( a,\nC between\n     *  'b C!', ! tail\n\n     &  1.50D0 )\n10    go to 10\n"),
      "CALLFOO(A,'b C!',1.5.)|10 GOTO10|");
  EXPECT_EQ(statements_of("\tX = 1\r\n\t1 + 2\r\n  20\tY = .5\r\n      END"), "X=1+2|20 Y=0.5.|END|");
  EXPECT_EQ(statements_of("      X = 1\n#if A\n     * + 2\n#endif\n     * + 3\n"), "X=1+2+3 cut|");
  // Any character in column 6 continues a line, and what stands behind column 72 is no code.
  EXPECT_EQ(statements_of("      CALL FOO( A\n     !  ,B )\n    !  C\n      !\n"), "CALLFOO(A,B)|");
  const std::string blanks(61, ' ');
  EXPECT_EQ(statements_of("      X = " + blanks + "12\n      Y = 3" + blanks + "00001230\n"), "X=1|Y=3|");
  EXPECT_EQ(source_of("      X\r\n      END").text().line_end_near(1), "\r\n");
}

TEST(FixedForm, NestsConditionals) {
  const auto s =
      source_of("#if A\n      X=1\n#elif  B && \\\n  C\n      X=2\n#else\n      X=3\n#endif\n      X=4\n");
  EXPECT_EQ(s.branch(s.statement(1).branch).condition, "B && C");
  EXPECT_EQ(s.statement(3).branch, 0);
  EXPECT_EQ(s.groups()[0].close, 7);
  EXPECT_EQ(s.unbalanced_line(), -1);
  EXPECT_EQ(source_of("\n#if A\n").unbalanced_line(), 1);
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

/// The units: heads as "kind type name(arguments)", entries, lines from 0, "irregular" where it is one; a bar
/// behind each.
std::string units_of(const std::string& text) {
  std::string out;
  for (const auto& unit : find_units(source_of(text))) {
    for (const auto* heads : {&unit.heads, &unit.entries})
      for (const auto& head : *heads) {
        out += head.kind + " " + head.type + " " + head.name;
        for (const auto& argument : head.arguments) out += "," + argument;
        out += " ";
      }
    out += std::to_string(unit.begin_line) + "-" + std::to_string(unit.end_line) +
           (unit.irregular.empty() ? "|" : " irregular|");
  }
  return out;
}

TEST(ProgramUnits, HeadsEntriesEndsAndConditionals) {
  EXPECT_EQ(units_of("      PROGRAM P\n      STOP\n      END\n"
                     "      real*8 function F (a,\n     *  b)\n      F = 1\n      ENTRY G()\n      END\n"
                     "      SUBROUTINE S\n      FUNCTION = 3\n      END SUBROUTINE S\n"),
            "PROGRAM  P 0-2|FUNCTION REAL*8 F,A,B ENTRY  G 3-7|SUBROUTINE  S 8-10|");
  EXPECT_EQ(
      units_of("#if OUTER\nC x\n#if A\n      REAL FUNCTION F()\n#else\n      REAL FUNCTION G()\n#endif\n"
               "      F=1\n      END\n#endif\n"),
      "FUNCTION REAL F FUNCTION REAL G 2-8|");
  EXPECT_EQ(units_of("#if A\n      FUNCTION F()\n      END\n      FUNCTION G()\n#endif\n      END\n"),
            "FUNCTION  F 1-2|FUNCTION  G 0-5 irregular|");
  EXPECT_EQ(units_of("      SUBROUTINE S\n#if A\n      END\n#else\n      X=1\n      END\n#endif\n"),
            "SUBROUTINE  S 0-2 irregular|4-5 irregular|");
}

}  // namespace
