// What the Cherenkov stage puts into a tree, and what is said of it.
#include "corsika-patches/stage.h"

#include "fixtures.h"

using namespace corsika_patches;
using Stage = sample::StageTest;
using sample::fixed, sample::kLightC, sample::kLightFortran;

namespace {

void expect_in_order(const std::string& text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const auto& part : parts) {
    at = text.find(part, at);
    ASSERT_NE(at, std::string::npos) << part;
    at += part.size();
  }
}

TEST_F(Stage, TakesTheRoutinesPlace) {
  const auto stage = judged();
  EXPECT_FALSE(stage.contains("reason")) << stage;
  EXPECT_EQ(stage["covered"], "whole");
  EXPECT_EQ(stage["sites"].size(), 5U);
  const auto fortran = patched("light.F"), c = patched("light.c");
  // The name changes for the head alone.
  expect_in_order(
      fortran, {"\n#define LIGHT STKLG\n#endif",
                "SUBROUTINE LIGHT( X,N,\n     *                  Y,ON )\n#if __STAGE__", "\n#undef LIGHT\n",
                "'LIGHT: HERE'", "CALL FILL\n      END\n", "      SUBROUTINE LIGHT( X,N,Y,ON )\n",
                "#include \"stage.inc\"", "SUBROUTINE FILL"});
  expect_in_order(c, {"static int counted", "#include \"stage_names.h\"", "int hit_", "return *x < WIDE",
                      "#include \"stage.h\""});
  EXPECT_EQ(sample::without_blocks(fortran), kLightFortran);
  EXPECT_EQ(sample::without_blocks(c), kLightC);
}

TEST_F(Stage, ALibrarysRoutineTakesThePlaceOfOneWithTheSameHead) {
  const std::string head = "head = 'DOUBLEPRECISION FUNCTION'; arguments = 1;";
  for (const auto& [is_replaced, rule, from, to] :
       std::vector<std::tuple<bool, std::string, const char*, const char*>>{
           {true, head, "", ""},
           {false, head + "shapes = ['0a']", "", ""},
           {true, head, "DEPTH = H", "DEPTH = 2 * H"},  // the proof tells whether that is right
           {false, head, "DOUBLE PRECISION FUNCTION DEPTH", "REAL FUNCTION DEPTH"},
           {false, "head = 'SUBROUTINE'; arguments = 1", "", ""},
           {false, "head = 'DOUBLEPRECISION FUNCTION'; arguments = 2", "", ""},
           {true, head + "names = ['POWER'];", "", ""},
           {false, head + "names = ['GLOW'];", "", ""},  // the header lacks what the include needs
       }) {
    write_rules("[[replace]]; file = 'light.F'; routine = 'DEPTH'; stock = 'STKDP'; include = 'depth.inc';" +
                rule);
    const auto text = changed("light.F", from, to, [&] { return patched("light.F"); });
    EXPECT_EQ(::holds(text, "#define DEPTH STKDP"), is_replaced) << rule << to;
    EXPECT_EQ(::holds(text, "#include \"depth.inc\"\n#undef STAGE_COVERED"), is_replaced) << rule << to;
  }
}

TEST_F(Stage, AnIfBlockIsReplacedWhereTheRoutineDoesTheSameWithItsVariables) {
  const auto block = fixed("IF ( H .GT. 1.D0 ) THEN; DEPTH = A; ENDIF");
  const auto stock =
      sample::swapped(sample::read_file(tree_ / "light.F"), "      DEPTH = H\n",
                      fixed("DOUBLE PRECISION A; A = H; #if __DEEP__; A = 2*H; #endif") + block);
  sample::write(tree_ / "light.F", stock);
  const auto rules_with = [&](const std::string& shape) {
    write_rules(
        "[[if_block]]; file = 'light.F'; routine = 'DEPTH'; statement = 'DEPTH=A'; macro = 'STAGE_DEEP';"
        "lines = ['      CALL STGDEP( A,DEPTH )']; locals = ['A']; shapes = ['" +
        shape + "']");
  };
  rules_with("0");
  rules_with(judged()["digests"]["DEPTH"]);
  const auto text = patched("light.F");
  // Only with the options that the digest is of.
  expect_in_order(text, {"#if __STAGE__ && __LIGHT__ && !__DARK__ && !__DEEP__ /* stage-overlay begin",
                         "      CALL STGDEP( A,DEPTH )\n#else", block + "#endif"});
  expect_in_order(text,
                  {"#if __STAGE__ && __LIGHT__ && !__DARK__ && !__DEEP__\n#define STAGE_DEEP\n#endif\n"});
  EXPECT_EQ(sample::without_blocks(text), stock);
  // Another block stays, and the stage does without.
  for (const auto& [file, from, to] : {
           std::tuple{"light.F", "H .GT. 1.D0", "H .GT. 2.D0"},
           {"light.F", "DEPTH = A\n      ENDIF\n", "DEPTH = A\n      ENDIF\n      B = A\n"},
           {"light.F", "A = H\n#if", "A = H+1\n#if"},
           {"light.F", "      A = H\n#if", "      IF ( X ) THEN\n      A = H\n      ENDIF\n#if"},
           {"light.F", "DOUBLE PRECISION A\n", "DOUBLE PRECISION A\n      COMMON /ALL/ A\n"},
           {"light.F", "DOUBLE PRECISION A\n", "DOUBLE PRECISION B\n"},  // A may be anywhere
           {"light.h", "", "      COMMON /ALL/ A\n"},
           {"light.F", "      A = H\n#if", "      A = H\n      B = H + 1\n#if"},  // nothing to do with A
       }) {
    const auto seen =
        changed(file, from, to, [&] { return judged()["covered"].dump() + patched("light.F"); });
    EXPECT_EQ(seen.find("\"whole\""), 0U) << to;
    for (const auto* ours : {"STGDEP", "STAGE_DEEP"})
      EXPECT_EQ(::holds(seen, ours), holds(to, "B = H")) << to;
  }
}

TEST_F(Stage, AllOrNone) {
  const std::string advice = "; take the stock file, or report this release";
  for (const auto& [file, from, to, why] : sample::Changes{
           {"light.c", "return *x < WIDE;\n}\n", "return *x < WIDE; }", "light.c ends within a line"},
           {"light.c", "int hit_(double *x);", "int hit_(double *x, int n);",
            "hit_ has 2 arguments, and the stage calls it with 1"},
           {"light.c", kLightC, "int hit_(double *x) { return 1; }\n", "light.c has no counted" + advice},
           {"light.c", kLightC, "static int counted;\n/* hit_ */\n", "light.c has no function hit_" + advice},
           {"light.F", "SUBROUTINE LIGHT", "SUBROUTINE GLOW", "light.F has no routine LIGHT"},
           // The type statement alone is no declaration of a COMMON variable.
           {"light.h", "WIDTH(3)", "BREADTH(3)", "light.h declares no WIDTH"},
           {"light.F", "LOGICAL ON(3)", "C", "does not declare its argument ON"},
           {"light.F", "", fixed("SUBROUTINE STGSTP; END"), "STGSTP is a name that the overlay needs"},
       }) {
    const auto stage = changed(file, from, to, [&] { return judged(); });
    EXPECT_EQ(stage["action"], "left out") << to;
    EXPECT_EQ(stage["covered"], "none") << to;
    EXPECT_PRED2(::holds, stage["reason"], why);
  }
  fs::remove(tree_ / "light.c");
  EXPECT_EQ(judged()["reason"],
            "the tree has no light.c; unpack its package, as coconut does, and patch again");
  EXPECT_EQ(judged({"FINE"})["reason"], "option LIGHT is not chosen") << "its package is not missed";
  EXPECT_EQ(patched("light.F"), kLightFortran);
  EXPECT_NE(patched(), sample::standin());  // the rest is patched
}

TEST_F(Stage, OptionsDecideOnWhatIsCovered) {
  EXPECT_EQ(judged({"FINE"})["reason"], "option LIGHT is not chosen");
  EXPECT_EQ(judged({"FINE"})["covered"], "none");
  EXPECT_EQ(judged({"FINE"})["action"], "inserted") << "the lines are there for other builds of the tree";
  EXPECT_EQ(judged({"LIGHT", "DARK"})["reason"], "option DARK is not covered; build without for the gain");
  EXPECT_EQ(judged({"LIGHT", "COLOUR"})["covered"], "bunches");
  EXPECT_EQ(judged({"LIGHT"})["covered"], "whole");
}

TEST_F(Stage, IsToldWhatARoutineHasOrLacks) {
  for (const auto& [rule, is_defined] : {std::pair<std::string, bool>{"has = 'X=3.'", true},
                                         {"has = 'X=4.'", false},
                                         {"lacks = 'X=4.'", true},
                                         {"lacks = 'X=3.'", false}}) {
    write_rules(
        "[[macro]]; name = 'STAGE_SHORT'; file = 'light.F'; routine = 'LIGHT'; option = '__COLOUR__';" +
        rule);
    EXPECT_EQ(holds(patched("light.F"), "#define STAGE_SHORT\n"), is_defined) << rule;
  }
}

TEST_F(Stage, HandsOverTheVariablesOfAnOptionThatItKnows) {
  const auto with_text = [&](const std::string& has) {
    write_rules(
        "[[light_option]]; option = '__COLOUR__'; file = 'light.F'; routine = 'LIGHT'; call = 'STGCOL';"
        "blocks = ['__HUES__']; variables = ['POWER', 'WIDTH']; has = '" +
        has + "'; [[limited]]; option = '__COLOUR__'; by_bunch = true; needed = ['__FINE__']");
    return patched("light.F");
  };
  expect_in_order(with_text("X=3."), {"      SUBROUTINE STGOPT\n      IMPLICIT NONE\n#if __COLOUR__\n"
                                      "#define __HUES__\n#endif\n#include \"light.h\"\n#if __COLOUR__\n"
                                      "      CALL STGCOL( POWER,WIDTH )\n#endif\n"});
  EXPECT_EQ(judged({"LIGHT", "COLOUR"})["covered"], "whole");
  expect_in_order(with_text("X=4."), {"#if __COLOUR__\n#define STAGE_BUNCH 'COLOUR'\n#endif\n",
                                      "IMPLICIT NONE\n#include \"light.h\"\n      RETURN\n"});
  EXPECT_EQ(judged({"LIGHT", "COLOUR"})["reason"], "option COLOUR is not covered without option FINE");
  EXPECT_EQ(judged({"LIGHT", "COLOUR", "FINE"})["covered"], "bunches");
}

// The subroutine that stands for a wrapped one.

const Rule kRule = sample::rule(
    "routine = 'CERENK'; stock = 'CHRCER'; step = 'CHRSTP'; end = 'CHREND'; not_covered_routine = 'CHRNOT';"
    "covered_macro = 'COVERED'; roles = ['STEP', 'TIME']; standard_arguments = ['STEP', 'TIME', 'USUAL']");

struct Head {
  explicit Head(const std::string& text) : source(TextFile(text)), unit(find_units(source).at(0)) {}
  std::vector<WrappedArgument> arguments() const { return wrapped_arguments(source, unit, "x.F"); }
  FixedFormSource source;
  ProgramUnit unit;
};

std::vector<std::string> roles(const std::string& text) {
  return arguments_by_role(kRule, Head(text).arguments(), "x.F:1");
}

std::string with_arguments(const std::string& list) {
  return fixed("SUBROUTINE CERENK( " + list + " ); DOUBLE PRECISION " + list + "; END");
}

TEST(Wrapper, RolesAreFoundByNameElseByPosition) {
  using List = std::vector<std::string>;
  EXPECT_EQ(roles(with_arguments("STEP,TIME")), (List{"STEP", "TIME"}));
  EXPECT_EQ(roles(with_arguments("MORE,TIME,STEP")), (List{"STEP", "TIME"}));
  EXPECT_EQ(roles(with_arguments("LENGTH,TIME,STEPS")), (List{"LENGTH", "TIME"}));
}

TEST(Wrapper, RoutinesThatItCannotStandFor) {
  const auto plain = fixed("SUBROUTINE CERENK( STEP,TIME,N ); REAL*8 STEP,TIME; INTEGER N; END");
  EXPECT_EQ(roles(plain).size(), 2U);
  for (const auto& [from, to, says] : {
           std::tuple{"TIME,N", "TIME,*", "alternate return"},
           {"TIME,N", "TIME,K", "does not declare its argument K"},
           {"INTEGER N", "INTEGER N\n#if A\n      REAL TIME\n#endif", "under a condition"},
           {"REAL*8 STEP,TIME", "REAL*8 STEP\n      REAL TIME", "TIME of CERENK is not DOUBLE"},
           {"STEP,TIME\n", "STEP(3),TIME\n", "STEP of CERENK is not DOUBLE"},
           {"( STEP,TIME,N )", "( STEP )", "has 1 arguments, and the stage needs 2"},
           {"( STEP,TIME,N )", "( STEP,\n#if A\n     *  TIME,\n#endif\n     *  N )", "directive"},
           {"INTEGER N\n", "INTEGER N\n      N = 1\n      ENTRY OTHER( N )\n", "ENTRY"},
           {"SUBROUTINE CERENK", "FUNCTION CERENK", "no SUBROUTINE"},
           {"( STEP,TIME,N )", "( STEP,TIME,CHRDON )", "CHRDON"},
       }) {
    const auto edited = sample::swapped(plain, from, to);
    EXPECT_ERROR(says, roles(edited));
  }
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
  for (std::size_t length = 1; length <= 31; ++length)
    wrapper_of(with_arguments("STEP,TIME,\n     *  " + std::string(length, 'Z') + amounts("AMOUNT")));
}

// The library has it in builds with the stage.
TEST(Wrapper, OfUsualArguments) {
  const std::string usual = "STEP,TIME,USUAL";
  EXPECT_EQ(
      wrapper_of(with_arguments(usual)),
      "#ifndef COVERED\n" + fixed("SUBROUTINE CERENK( " + usual + " ); IMPLICIT NONE; DOUBLE PRECISION " +
                                  usual + "; CALL CHRNOT; CALL CHRCER( " + usual + " ); END; #endif"));
  EXPECT_TRUE(wrapper_of(with_arguments("STEP,TIME,OTHER")).starts_with("      SUBROUTINE"));
}

// A whole program of ours and a routine of the same arguments: it compiles without a warning, and does as the
// stage answers.
TEST(Wrapper, CompilesAndDoesAsTheStageAnswers) {
  const auto stock =
      fixed("SUBROUTINE CHRCER( STEP,TIME,N,FLAG,X,TEXT" + amounts("AMOUNT") +
            " ); DOUBLE PRECISION STEP,TIME,X(3); INTEGER N; LOGICAL FLAG; CHARACTER*(*) TEXT; REAL " +
            amounts("AMOUNT").substr(1) + "; WRITE(*,*) 'STOCK',N,LEN(TEXT),X(3),AMOUNT19,FLAG; END");
  std::string main =
      "SUBROUTINE CHRSTP( DONE,A ); INTEGER DONE; DOUBLE PRECISION A(2);"
      "DONE = NINT( A(1)-A(2) ); END; SUBROUTINE CHREND; WRITE(*,*) 'END'; END; SUBROUTINE CHRNOT;"
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
