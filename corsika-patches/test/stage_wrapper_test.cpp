// The subroutine that stands for a wrapped one.
#include <gtest/gtest.h>

#include "corsika-patches/stage.h"
#include "sample_tree.h"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

using namespace corsika_patches;

namespace {

support::Toml text(const char* value) { return support::Toml(std::string(value)); }

const Rule kRule(std::make_shared<const support::Toml>(support::Toml::Table{
    {"file", text("x.F")},
    {"routine", text("CERENK")},
    {"stock", text("CHRCER")},
    {"step", text("CHRSTP")},
    {"end", text("CHREND")},
    {"not_covered", text("CHRNOT")},
    {"covered", text("COVERED")},
    {"roles", support::Toml(support::Toml::List{text("STEP"), text("TIME")})}}));

struct Head {
  explicit Head(const std::string& text) : source(TextFile(text)), unit(find_units(source).at(0)) {}
  std::vector<WrappedArgument> arguments() const { return wrapped_arguments(source, unit, "x.F"); }
  FixedFormSource source;
  ProgramUnit unit;
};

std::string refusal_of_wrapping(const std::string& text) {
  try {
    const Head head(text);
    arguments_by_role(kRule, head.arguments(), "x.F:1");
  } catch (const support::Error& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> roles(const std::string& list) {
  const Head head("      SUBROUTINE CERENK( " + list + " )\n      DOUBLE PRECISION " + list +
                  "\n      END\n");
  return arguments_by_role(kRule, head.arguments(), "x.F:1");
}

}  // namespace

TEST(Wrapper, RolesAreFoundByNameElseByPosition) {
  using List = std::vector<std::string>;
  EXPECT_EQ(roles("STEP,TIME"), (List{"STEP", "TIME"}));
  EXPECT_EQ(roles("MORE,TIME,STEP"), (List{"STEP", "TIME"}));
  EXPECT_EQ(roles("LENGTH,TIME,STEPS"), (List{"LENGTH", "TIME"}));
}

TEST(Wrapper, RoutinesThatItCannotStandFor) {
  const std::string plain =
      "      SUBROUTINE CERENK( STEP,TIME,N )\n      REAL*8 STEP,TIME\n      INTEGER N\n";
  EXPECT_EQ(refusal_of_wrapping(plain + "      END\n"), "");
  const auto change = [&](const std::string& from, const std::string& to) {
    return refusal_of_wrapping(sample::swapped(plain, from, to) + "      END\n");
  };
  EXPECT_NE(change("TIME,N", "TIME,*").find("alternate return"), std::string::npos);
  EXPECT_NE(change("TIME,N", "TIME,K").find("does not declare its argument K"), std::string::npos);
  EXPECT_NE(change("INTEGER N", "INTEGER N\n#if A\n      REAL TIME\n#endif").find("under a condition"),
            std::string::npos);
  EXPECT_NE(change("REAL*8 STEP,TIME", "REAL*8 STEP\n      REAL TIME").find("TIME of CERENK is not DOUBLE"),
            std::string::npos);
  EXPECT_NE(change("STEP,TIME\n", "STEP(3),TIME\n").find("STEP of CERENK is not DOUBLE"), std::string::npos);
  EXPECT_NE(change("( STEP,TIME,N )", "( STEP )").find("has 1 arguments, and the stage needs 2"),
            std::string::npos);
  EXPECT_NE(change("( STEP,TIME,N )", "( STEP,\n#if A\n     *  TIME,\n#endif\n     *  N )").find("directive"),
            std::string::npos);
  EXPECT_NE(change("INTEGER N\n", "INTEGER N\n      N = 1\n      ENTRY OTHER( N )\n").find("ENTRY"),
            std::string::npos);
  EXPECT_NE(change("SUBROUTINE CERENK", "FUNCTION CERENK").find("no SUBROUTINE"), std::string::npos);
  EXPECT_NE(change("( STEP,TIME,N )", "( STEP,TIME,CHRDON )").find("CHRDON"), std::string::npos);
}

// Fortran ignores what stands behind column 72, wherever a list is cut.
TEST(Wrapper, NoLineIsTooLong) {
  for (std::size_t length = 1; length <= 31; ++length) {
    std::string list = "STEP,TIME,\n     *  " + std::string(length, 'Z');
    for (int i = 0; i < 20; ++i) list += ",\n     *  AMOUNT" + std::to_string(i);
    const Head head("      SUBROUTINE CERENK( " + list + " )\n      DOUBLE PRECISION " + list +
                    "\n      END\n");
    const auto arguments = head.arguments();
    ASSERT_EQ(arguments.size(), 23U);
    for (const auto& line : wrapper_lines(kRule, arguments, arguments_by_role(kRule, arguments, "x.F:1")))
      EXPECT_LE(line.size(), 72U) << line;
  }
}

// A whole program of ours and a routine of the same arguments: it compiles without a warning, in columns 1 to
// 72, and does as the stage answers.
TEST(Wrapper, CompilesAndDoesAsTheStageAnswers) {
  std::string list = "STEP,TIME,N,FLAG,X,TEXT";
  for (int i = 0; i < 20; ++i) list += ",\n     *  AMOUNT" + std::to_string(i);
  const std::string stock = "      SUBROUTINE CHRCER( " + list +
                            " )\n      DOUBLE PRECISION STEP,TIME,X(3)\n" +
                            "      INTEGER N\n      LOGICAL FLAG\n      CHARACTER*(*) TEXT\n" +
                            [] {
                              std::string out;
                              for (int i = 0; i < 20; ++i)
                                out += "      REAL AMOUNT" + std::to_string(i) + "\n";
                              return out;
                            }() +
                            "      WRITE(*,*) 'STOCK',N,LEN(TEXT),X(3),AMOUNT19,FLAG\n      END\n";
  const Head head(stock);
  std::string text = stock;
  const auto arguments = head.arguments();
  for (const auto& line : wrapper_lines(kRule, arguments, arguments_by_role(kRule, arguments, "x.F:1"))) {
    EXPECT_LE(line.size(), 72U) << line;
    text += line + "\n";
  }
  text +=
      "      SUBROUTINE CHRSTP( DONE,STEP,TIME )\n      INTEGER DONE\n      DOUBLE PRECISION STEP,TIME\n"
      "      DONE = NINT( STEP-TIME )\n      END\n      SUBROUTINE CHREND\n      WRITE(*,*) 'END'\n      "
      "END\n"
      "      SUBROUTINE CHRNOT\n      WRITE(*,*) 'NOT'\n      END\n"
      "      PROGRAM MAIN\n      DOUBLE PRECISION X(3)\n      X(3) = 0.5D0\n";
  for (const std::string step : {"2.D0", "1.D0", "0.D0"}) {
    text += "      CALL CERENK( " + step + ",1.D0,7,.TRUE.,X,'FOUR'";
    for (int i = 0; i < 20; ++i) text += ",\n     *  " + std::to_string(i) + ".";
    text += " )\n";
  }
  text += "      END\n";
  const support::TemporaryFolder folder("corsika-patches-test");
  folder.write("w.F", text);
  const auto lines = [&](const std::string& flags) {
    const auto built = sample::run("cd " + folder.path().string() +
                                   " && gfortran -std=legacy -Wall -Wno-unused-dummy-argument -Werror " +
                                   flags + " w.F -o w");
    EXPECT_EQ(built.status, 0) << built.err;
    std::string out = sample::run(folder.path().string() + "/w").out;
    std::erase(out, ' ');
    return out;
  };
  const std::string once = "STOCK740.5000000000000000019.0000000T\n";
  EXPECT_EQ(lines("-DCOVERED"), once + once + "END\n");
  EXPECT_EQ(lines(""), "NOT\n" + once + "NOT\n" + once + "NOT\n" + once);
}
