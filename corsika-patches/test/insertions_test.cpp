#include "corsika_patches/insertions.h"

#include <gtest/gtest.h>

#include "corsika_patches/edits.h"
#include "stage_sample.h"
#include "support/error.hpp"

using namespace corsika_patches;
namespace fs = std::filesystem;
using Stage = sample::StageTest;
using sample::kLightC;
using sample::kLightFortran;

TEST_F(Stage, TakesTheRoutinesPlaceAndIsTakenOutAgain) {
  const auto result = patch_tree(options_);
  ASSERT_EQ(result.stages.size(), 1U);
  const auto& plan = result.stages[0].insertions;
  EXPECT_EQ(plan.reason, "");
  EXPECT_EQ(plan.tier, "whole");
  EXPECT_EQ(plan.trust, "known");
  EXPECT_EQ(plan.sites.size(), 5U);
  const auto fortran = sample::read(tree_ / "light.F");
  // The name changes for the head alone.
  EXPECT_NE(fortran.find("\n#define LIGHT STKLG\n#endif"), std::string::npos);
  const auto head =
      fortran.find("      SUBROUTINE LIGHT( X,N,\n     *                  Y,ON )\n#if __STAGE__");
  ASSERT_NE(head, std::string::npos);
  EXPECT_LT(fortran.find("#define LIGHT"), head);
  const auto undef = fortran.find("\n#undef LIGHT\n");
  EXPECT_GT(undef, head);
  EXPECT_LT(undef, fortran.find("'LIGHT: HERE'"));
  const auto ours = fortran.find("      SUBROUTINE LIGHT( X,N,Y,ON )\n");
  EXPECT_GT(ours, fortran.find("      CALL FILL\n      END\n"));
  EXPECT_GT(fortran.find("#include \"stage.inc\""), ours);
  EXPECT_LT(fortran.find("#include \"stage.inc\""), fortran.find("      SUBROUTINE FILL"));
  const auto c = sample::read(tree_ / "light.c");
  EXPECT_LT(c.find("#include \"stage_names.h\""), c.find("int hit_"));
  EXPECT_GT(c.find("#include \"stage_names.h\""), c.find("static int counted"));
  EXPECT_GT(c.find("#include \"stage.h\""), c.find("return *x < WIDE"));
  EXPECT_EQ(patch_tree(options_).outcome, PatchResult::Outcome::already_patched);
  EXPECT_EQ(reverse_tree(options_).outcome, PatchResult::Outcome::reversed);
  EXPECT_EQ(sample::read(tree_ / "light.F"), kLightFortran);
  EXPECT_EQ(sample::read(tree_ / "light.c"), kLightC);
}

TEST_F(Stage, WithoutItsFlagTheTextIsStock) {
  const auto copy = folder_.path() / "copy";
  fs::copy(tree_, copy, fs::copy_options::recursive);
  patch_tree(options_);
  EXPECT_GE(verify_off(copy, tree_, options_.rules), 8);
  sample::write(tree_ / "light.c",
                sample::swapped(sample::read(tree_ / "light.c"), "counted++", "counted--"));
  EXPECT_THROW(verify_off(copy, tree_, options_.rules), support::Error);
}

TEST_F(Stage, ALibrarysRoutineTakesThePlaceOfOneWhoseNeighboursAreKnown) {
  write_rules(
      "[[replace]]\nfile = \"light.F\"\nroutine = \"FILL\"\nstock = \"STKFL\"\ninclude = "
      "\"fill.inc\"\nshapes = [\"" +
      digest("FILL", {"__FINE__"}) +
      "\"]\nknown = [\"LIGHT\"]\ncalled_by = [\"LIGHT\"]\n[replace.uses]\nDEPTH = \"" + digest("DEPTH", {}) +
      "\"\n");
  const auto stock = sample::read(tree_ / "light.F");
  const auto is_replaced = [&](const std::vector<std::string>& build, const std::string& from = "",
                               const std::string& to = "") {
    sample::write(tree_ / "light.F", from.empty() ? stock : sample::swapped(stock, from, to));
    auto options = options_;
    options.build = build;
    patch_tree(options);
    const auto text = sample::read(tree_ / "light.F");
    reverse_tree(options_);
    const bool renamed = text.find("#define FILL STKFL") != std::string::npos;
    EXPECT_EQ(renamed, text.find("#undef FILL\n#include \"fill.inc\"") != std::string::npos);
    return renamed;
  };
  EXPECT_TRUE(is_replaced({"LIGHT", "FINE"}));
  EXPECT_FALSE(is_replaced({"LIGHT"})) << "another digest of its own";
  EXPECT_FALSE(is_replaced({"LIGHT", "FINE", "COLOUR"})) << "LIGHT is not known with COLOUR";
  EXPECT_FALSE(is_replaced({"LIGHT", "FINE"}, "DEPTH = H", "DEPTH = H + 1")) << "DEPTH has another digest";
  const std::string more =
      "      SUBROUTINE MORE\n      CALL FILL\n      END\n      DOUBLE PRECISION FUNCTION DEPTH";
  EXPECT_FALSE(is_replaced({"LIGHT", "FINE"}, "      DOUBLE PRECISION FUNCTION DEPTH", more))
      << "called by MORE, too";
}

TEST_F(Stage, AnIfBlockOfAKnownRoutineIsReplaced) {
  const std::string block = "      IF ( H .GT. 1.D0 ) THEN\n        DEPTH = A\n      ENDIF\n";
  const auto stock = sample::swapped(sample::read(tree_ / "light.F"), "      DEPTH = H\n",
                                     "      DOUBLE PRECISION A\n      A = H\n#if __DEEP__\n      A = 2*H\n"
                                     "#endif\n" +
                                         block);
  sample::write(tree_ / "light.F", stock);
  write_rules(
      "[[if_block]]\nfile = \"light.F\"\nroutine = \"DEPTH\"\nstatement = \"DEPTH=A\"\nmacro = "
      "\"STAGE_DEEP\"\nlines = [\"      CALL STGDEP( A,DEPTH )\"]\nlocals = [\"A\"]\nshapes = [\"" +
      digest("DEPTH", {}) + "\"]\n");
  const auto copy = folder_.path() / "copy";
  fs::copy(tree_, copy, fs::copy_options::recursive);
  const auto result = patch_tree(options_);
  ASSERT_EQ(result.stages.at(0).insertions.optional.size(), 1U);
  EXPECT_TRUE(result.stages[0].insertions.optional[0].known);
  const auto text = sample::read(tree_ / "light.F");
  const auto ours = text.find("      CALL STGDEP( A,DEPTH )\n#else"), theirs = text.find(block + "#endif");
  ASSERT_NE(ours, std::string::npos);
  EXPECT_GT(theirs, ours);
  // Only with the options that the digest is of.
  EXPECT_NE(text.find("#if __STAGE__ && !__DEEP__ /* stage-overlay begin"), std::string::npos);
  EXPECT_NE(text.find("#if __STAGE__ && !__DEEP__\n#define STAGE_DEEP\n#endif\n"), std::string::npos);
  EXPECT_GE(verify_off(copy, tree_, options_.rules), 8);
  EXPECT_EQ(reverse_tree(options_).outcome, PatchResult::Outcome::reversed);
  EXPECT_EQ(sample::read(tree_ / "light.F"), stock);
  // Another DEPTH stays, and the stage does without.
  const auto stays = [&](const std::string& from, const std::string& to) {
    sample::write(tree_ / "light.F", sample::swapped(stock, from, to));
    const auto without = patch_tree(options_);
    EXPECT_FALSE(without.stages.at(0).insertions.optional.at(0).known);
    EXPECT_EQ(without.stages[0].insertions.trust, "known");
    const auto other = sample::read(tree_ / "light.F");
    reverse_tree(options_);
    return other.find("STGDEP") == std::string::npos && other.find("STAGE_DEEP") == std::string::npos;
  };
  EXPECT_TRUE(stays("A = H\n#if", "A = H+1\n#if"));
  EXPECT_TRUE(stays("DOUBLE PRECISION A\n", "DOUBLE PRECISION A\n      COMMON /ALL/ A\n")) << "A is shared";
  EXPECT_TRUE(stays("DOUBLE PRECISION A\n", "DOUBLE PRECISION B\n")) << "A may be anywhere";
  sample::write(tree_ / "light.h", std::string(sample::kLightHeader) + "      COMMON /ALL/ A\n");
  EXPECT_TRUE(stays("A = H\n#if", "A = H\n#if")) << "the header shares A";
}

// Blocks of an earlier version stood elsewhere.
TEST_F(Stage, ATreeOfAnEarlierVersionIsUpdatedAndReversed) {
  patch_tree(options_);
  const auto fortran = sample::read(tree_ / "light.F"), c = sample::read(tree_ / "light.c");
  reverse_tree(options_);
  const auto earlier = [&] {
    sample::write(
        tree_ / "light.F",
        apply_blocks(TextFile(kLightFortran),
                     {{"__STAGE__", "stage", 6, 5, {"#include \"stage_flag.inc\""}},
                      {"__STAGE__", "stage", 9, 8, {"#define STAGE_OLD", "#include \"stage_loop.inc\""}}},
                     "light.F"));
    sample::write(tree_ / "light.c",
                  apply_blocks(TextFile(kLightC),
                               {{"__STAGE__", "stage", 9, 8, {"#include \"stage_old.h\""}}}, "light.c"));
  };
  earlier();
  EXPECT_EQ(patch_tree(options_).outcome, PatchResult::Outcome::patched);
  EXPECT_EQ(sample::read(tree_ / "light.F"), fortran);
  EXPECT_EQ(sample::read(tree_ / "light.c"), c);
  earlier();
  reverse_tree(options_);
  EXPECT_EQ(sample::read(tree_ / "light.F"), kLightFortran);
  EXPECT_EQ(sample::read(tree_ / "light.c"), kLightC);
}

TEST_F(Stage, AllOrNone) {
  EXPECT_NE(left_out("light.c", "return *x < WIDE;\n}\n", "return *x < WIDE; }").find("ends within a line"),
            std::string::npos);
  EXPECT_NE(left_out("light.F", "SUBROUTINE LIGHT", "SUBROUTINE GLOW").find("light.F has no routine LIGHT"),
            std::string::npos);
  EXPECT_NE(left_out("light.h", "WIDTH(3)", "BREADTH(3)").find("light.h declares no WIDTH"),
            std::string::npos)
      << "the type statement alone is no declaration of a COMMON variable";
  fs::remove(tree_ / "light.c");
  EXPECT_EQ(judged().reason, "the tree has no light.c; unpack its package, as coconut does, and patch again");
  patch_tree(options_);
  EXPECT_EQ(sample::read(tree_ / "light.F"), kLightFortran);
  EXPECT_NE(sample::read(tree_ / "src/corsika.F"), sample::main_source());  // the rest is patched
}

TEST_F(Stage, FunctionsAndWordsThatAreMissing) {
  sample::write(tree_ / "light.c", "int hit_(double *x) { return 1; }\n");
  EXPECT_EQ(judged().reason, "light.c has no counted; take the stock file, or report this release");
  sample::write(tree_ / "light.c", "static int counted;\nint hit_(double *x);\n");
  EXPECT_EQ(judged().reason, "light.c has no function hit_; take the stock file, or report this release");
}

TEST_F(Stage, ArgumentsThatTheStageDoesNotExpect) {
  EXPECT_NE(left_out("light.F", "FUNCTION DEPTH( H )", "FUNCTION DEPTH( H,K )")
                .find("DEPTH has 2 arguments, and the stage calls it with 1"),
            std::string::npos);
  EXPECT_NE(left_out("light.F", "LIGHT( X,N,\n     *                  Y,ON )", "LIGHT( X )")
                .find("LIGHT has 1 arguments, and the stage needs 2"),
            std::string::npos);
  EXPECT_NE(left_out("light.F", "DOUBLE PRECISION X,Y", "DOUBLE PRECISION X\n      REAL Y")
                .find("argument Y of LIGHT is not DOUBLE PRECISION"),
            std::string::npos);
  EXPECT_NE(left_out("light.F", "LOGICAL ON(3)", "C").find("does not declare its argument ON"),
            std::string::npos);
  EXPECT_NE(left_out("light.F", "      SUBROUTINE FILL\n",
                     "      SUBROUTINE STGSTP\n      END\n      SUBROUTINE FILL\n")
                .find("STGSTP is a name that the overlay needs"),
            std::string::npos);
}

TEST_F(Stage, OptionsDecideOnTheTier) {
  EXPECT_EQ(judged({"FINE"}).reason, "option LIGHT is not chosen");
  EXPECT_EQ(judged({"FINE"}).tier, "none");
  EXPECT_EQ(judged({"FINE"}).trust, "");
  EXPECT_FALSE(judged({"FINE"}).left_out()) << "the lines are there for other builds of the tree";
  EXPECT_EQ(judged({"LIGHT", "DARK"}).reason, "option DARK is not covered; build without for the gain");
  const auto colour = judged({"LIGHT", "COLOUR"});
  EXPECT_EQ(colour.tier, "bunches");
  EXPECT_EQ(colour.trust, "held off") << "LIGHT is another one then";
  EXPECT_EQ(judged({"LIGHT"}).tier, "whole");
  EXPECT_EQ(judged({"LIGHT"}).trust, "known");
}

TEST_F(Stage, UnknownRoutinesAreHeldOff) {
  sample::write(tree_ / "light.F", sample::swapped(kLightFortran, "A = A + 1", "A = A + 3"));
  const auto plan = judged();
  EXPECT_EQ(plan.tier, "whole");
  EXPECT_EQ(plan.trust, "held off");
  EXPECT_EQ(plan.reason, "nothing shows that the stage does what FILL (digest " +
                             digest("FILL", {"__LIGHT__", "__FINE__"}).substr(0, 16) +
                             ") does here; overlay build --prove checks it");
  patch_tree(options_);
  EXPECT_NE(sample::read(tree_ / "light.F").find("#define STAGE_HELD_OFF\n"), std::string::npos);
  EXPECT_EQ(judged({"LIGHT"}).trust, "known") << "without FINE it is the same";
}

TEST_F(Stage, IsToldWhichShapeItMeets) {
  write_rules("macros = { " + c_digest(CSource(kLightC), "hit_", {}) + " = \"STAGE_OLD\" }\n");
  patch_tree(options_);
  EXPECT_NE(sample::read(tree_ / "light.F").find("#define STAGE_OLD\n"), std::string::npos);
}

TEST_F(Stage, DoesAllOfALoopWhereTheShapeTellsThatItCan) {
  EXPECT_EQ(judged({"LIGHT", "COLOUR"}).tier, "bunches");
  write_rules("macros = { " + c_digest(CSource(kLightC), "hit_", {}) + " = \"STAGE_COLOURS\" }\n");
  EXPECT_EQ(judged({"LIGHT", "COLOUR"}).tier, "whole");
}
