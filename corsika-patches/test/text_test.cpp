// Texts: C comments, our blocks, and statements as texts.
#include "corsika-patches/text.h"

#include "corsika-patches/program_units.h"
#include "corsika-patches/statement_text.h"
#include "fixtures.h"

using namespace corsika_patches;

namespace {

TEST(CText, CommentsGoAndLinesStay) {
  for (const auto& [text, without] : sample::Swaps{{"a /* b\nc */ d // e\nf", "a  \n d  \nf"},
                                                   {"a // b \\\nc\nd", "a  \n\nd"},  // a joined line
                                                   {"a / b // c", "a / b  "},
                                                   {"a /* open\nb", "a  \n"},
                                                   {"#error don't\n/* a */b", "#error don't\n b"}})
    EXPECT_EQ(without_c_comments(text), without);
  for (const std::string text : {"\"/* a */ // b\"", "'\"' + '/'", "\"\\\"/* a */\"", "'\\'' + 1", "a \\\nb",
                                 "#error don't\nint b;\n"})
    EXPECT_EQ(without_c_comments(text), text);
}

TEST(CText, FirstLineWithAName) {
  const auto line = [](const std::string& text) { return first_line_with(text, {"hit_", "end_"}); };
  EXPECT_EQ(line("int a;\nint hit_(double x);\nint hit_(double x) {}\n"), 1);
  EXPECT_EQ(line("int a;\nint b(void) { end_(); }\n"), 1);
  // Before the outermost conditional around it.
  EXPECT_EQ(line("int a;\n#if A\n # if B\nint hit_();\n# endif\n#endif\n"), 1);
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
  for (const std::string stock : {"a\nb\nc\nd\n", "a\r\nb\r\nc\r\nd\r\n", "a\nb\nc\nd", "a\n\n\xff\xfe\nb"})
    EXPECT_EQ(sample::without_blocks(patched(stock)), stock);
  EXPECT_NE(patched("a\r\nb\r\nc\r\n").find("new\r\n"), std::string::npos);
}

TEST(Blocks, AreRefused) {
  // At a last line without its end.
  EXPECT_THROW(apply_blocks(TextFile("a\nb"), {{"FLAG", "t", 2, 1, {"new"}}}, "x"), support::Error);
  EXPECT_THROW(patched("a\nb\nc"), support::Error);
  // They overlap.
  EXPECT_THROW(apply_blocks(TextFile("a\nb\nc\n"), {{"F", "t", 0, 1, {}}, {"F", "t", 1, 2, {}}}, "x"),
               support::Error);
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
  for (const char* one : {"REALX(3)", "PARAMETER(A=1)"}) EXPECT_TRUE(is_specification(one)) << one;
  for (const char* none : {"REALX(3)=5", "CALLX"}) EXPECT_FALSE(is_specification(none)) << none;
}

// Fixed-form Fortran: lines, conditionals, program units.

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
  for (const char* true_one :
       {"__A__", "__A__ && !__C__", "__C__ || ( __A__ && ( __C__ || __B__ ) )",
        "defined(__A__) && defined __B__ && !defined(__C__)", "1 && !0 /* a comment */"})
    EXPECT_TRUE(holds(true_one, on)) << true_one;
  for (const char* not_so : {"!__A__", "__C__ && __A__ || __C__"}) EXPECT_FALSE(holds(not_so, on)) << not_so;
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
