// The subroutine that stands for a wrapped one.
#include <gtest/gtest.h>

#include "corsika-patches/stage.h"
#include "fixtures.h"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

using namespace corsika_patches;
using sample::fixed;

namespace {

const Rule kRule = sample::rule(
    "routine = 'CERENK'; stock = 'CHRCER'; step = 'CHRSTP'; end = 'CHREND'; not_covered_routine = 'CHRNOT';"
    "covered_macro = 'COVERED'; roles = ['STEP', 'TIME']");

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
  const Head head(fixed("SUBROUTINE CERENK( " + list + " ); DOUBLE PRECISION " + list + "; END"));
  return arguments_by_role(kRule, head.arguments(), "x.F:1");
}

TEST(Wrapper, RolesAreFoundByNameElseByPosition) {
  using List = std::vector<std::string>;
  EXPECT_EQ(roles("STEP,TIME"), (List{"STEP", "TIME"}));
  EXPECT_EQ(roles("MORE,TIME,STEP"), (List{"STEP", "TIME"}));
  EXPECT_EQ(roles("LENGTH,TIME,STEPS"), (List{"LENGTH", "TIME"}));
}

TEST(Wrapper, RoutinesThatItCannotStandFor) {
  const auto plain = fixed("SUBROUTINE CERENK( STEP,TIME,N ); REAL*8 STEP,TIME; INTEGER N; END");
  EXPECT_EQ(refusal_of_wrapping(plain), "");
  struct Case {
    const char *from, *to, *says;
  };
  for (const auto& [from, to, says] : {
           Case{"TIME,N", "TIME,*", "alternate return"},
           {"TIME,N", "TIME,K", "does not declare its argument K"},
           {"INTEGER N", "INTEGER N\n#if A\n      REAL TIME\n#endif", "under a condition"},
           {"REAL*8 STEP,TIME", "REAL*8 STEP\n      REAL TIME", "TIME of CERENK is not DOUBLE"},
           {"STEP,TIME\n", "STEP(3),TIME\n", "STEP of CERENK is not DOUBLE"},
           {"( STEP,TIME,N )", "( STEP )", "has 1 arguments, and the stage needs 2"},
           {"( STEP,TIME,N )", "( STEP,\n#if A\n     *  TIME,\n#endif\n     *  N )", "directive"},
           {"INTEGER N\n", "INTEGER N\n      N = 1\n      ENTRY OTHER( N )\n", "ENTRY"},
           {"SUBROUTINE CERENK", "FUNCTION CERENK", "no SUBROUTINE"},
           {"( STEP,TIME,N )", "( STEP,TIME,CHRDON )", "CHRDON"},
       })
    EXPECT_NE(refusal_of_wrapping(sample::swapped(plain, from, to)).find(says), std::string::npos) << to;
}

/// The lines that stand for a routine, none of them with more than the 72 columns that Fortran reads.
std::string wrapper_of(const std::string& stock) {
  const Head head(stock);
  const auto arguments = head.arguments();
  std::string text;
  for (const auto& line : wrapper_lines(kRule, arguments, arguments_by_role(kRule, arguments, "x.F:1"))) {
    EXPECT_LE(line.size(), 72U) << line;
    text += line + "\n";
  }
  return text;
}

/// Twenty names more of a list, each on a line of its own.
std::string amounts(const std::string& begin, const std::string& end = "") {
  std::string out;
  for (int i = 0; i < 20; ++i) out += ",\n     *  " + begin + std::to_string(i) + end;
  return out;
}

TEST(Wrapper, NoLineIsTooLong) {
  for (std::size_t length = 1; length <= 31; ++length) {
    const auto list = "STEP,TIME,\n     *  " + std::string(length, 'Z') + amounts("AMOUNT");
    wrapper_of(fixed("SUBROUTINE CERENK( " + list + " ); DOUBLE PRECISION " + list + "; END"));
  }
}

// A whole program of ours and a routine of the same arguments: it compiles without a warning, and does as the
// stage answers.
TEST(Wrapper, CompilesAndDoesAsTheStageAnswers) {
  const auto stock =
      fixed("SUBROUTINE CHRCER( STEP,TIME,N,FLAG,X,TEXT" + amounts("AMOUNT") +
            " ); DOUBLE PRECISION STEP,TIME,X(3); INTEGER N; LOGICAL FLAG; CHARACTER*(*) TEXT; REAL " +
            amounts("AMOUNT").substr(1) + "; WRITE(*,*) 'STOCK',N,LEN(TEXT),X(3),AMOUNT19,FLAG; END");
  std::string main =
      "SUBROUTINE CHRSTP( DONE,STEP,TIME ); INTEGER DONE; DOUBLE PRECISION STEP,TIME;"
      "DONE = NINT( STEP-TIME ); END; SUBROUTINE CHREND; WRITE(*,*) 'END'; END; SUBROUTINE CHRNOT;"
      "WRITE(*,*) 'NOT'; END; PROGRAM MAIN; DOUBLE PRECISION X(3); X(3) = 0.5D0;";
  for (const std::string step : {"2.D0", "1.D0", "0.D0"})
    main += "CALL CERENK( " + step + ",1.D0,7,.TRUE.,X,'FOUR'" + amounts("", ".") + " );";
  const support::TemporaryFolder folder("corsika-patches-test");
  folder.write("w.F", stock + wrapper_of(stock) + fixed(main + "END"));
  const auto lines = [&](const std::string& flags) {
    const auto built = sample::run("cd " + folder.path().string() +
                                   " && gfortran -std=legacy -Wall -Wno-unused-dummy-argument -Werror " +
                                   flags + " w.F -o w");
    EXPECT_EQ(built.status, 0) << built.output;
    std::string out = sample::run(folder.path().string() + "/w").output;
    std::erase(out, ' ');
    return out;
  };
  const std::string once = "STOCK740.5000000000000000019.0000000T\n";
  EXPECT_EQ(lines("-DCOVERED"), once + once + "END\n");
  EXPECT_EQ(lines(""), "NOT\n" + once + "NOT\n" + once + "NOT\n" + once);
}

}  // namespace
