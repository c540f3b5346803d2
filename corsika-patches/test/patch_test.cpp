// Patched copies, and what is refused.
#include "corsika-patches/patch.h"

#include <iterator>

#include "fixtures.h"
#include "support/checksum.hpp"

using namespace corsika_patches;

namespace {

using Patch = sample::PatchTest;

TEST_F(Patch, ReplacesEveryRoutineAndInlinesSites) {
  const auto manifest = plan_patch(options_).manifest;
  EXPECT_EQ(manifest["release"], "7.7410");
  EXPECT_EQ(manifest["routines"].size(), 18U);
  ASSERT_EQ(manifest["sites"].size(), 26U);
  EXPECT_EQ(manifest["sites"][0]["action"], "inlined");
  EXPECT_EQ(manifest["sites"][2]["reason"], "it has a label");
  const auto text = patched();
  for (const std::string line :
       {"#define RNM_V2 RD(2)\n",
        "#if __QGSII__\n#define RNM_NAME QGRAN\n#else\n#define RNM_NAME PSRAN\n#endif\n",
        "#define RNM_DUMMY INTEGER IDUM\n", "#define RNM_ENTRY1 HWRSET\n", "#define RNM_SEQUENCE 5\n",
        "#include \"ranmar_rmmaqd.inc\"\n", "#include \"ranmar_common.inc\"\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
  EXPECT_EQ(manifest["files"][0]["sha256_before"], support::sha256_of_text(sample::standin()));
  EXPECT_EQ(manifest["files"][0]["sha256_after"], support::sha256_of_text(text));
  EXPECT_PRED2(::holds, manifest["routines"].dump(), "QGRAN/PSRAN");
}

TEST_F(Patch, ACopyIsTheTreeWithThePatch) {
  fs::create_symlink("corsika.h", tree_ / "src/link");
  fs::permissions(tree_ / "src/corsika.F", fs::perms(0440));
  fs::permissions(tree_ / "src", fs::perms(0550));
  const auto manifest = folder.path() / "m.json";
  const auto run = program("apply", "--out " + out_.string() + "/ --manifest " + manifest.string());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output.find("patched\n"), 0U);
  EXPECT_EQ(sample::read_file(tree_ / "src/corsika.F"), sample::standin());
  EXPECT_EQ(sample::read_file(out_ / "src/corsika.F"), patched());
  EXPECT_EQ(sample::without_blocks(patched()), sample::standin());
  EXPECT_EQ(fs::status(out_ / "src/corsika.F").permissions(), fs::perms(0640));
  EXPECT_EQ(sample::read_file(manifest), manifest_text(plan_patch(options_)));
  sample::write(out_ / "src/corsika.F", sample::standin());
  EXPECT_EQ(sample::run("diff -r --no-dereference " + tree_.string() + " " + out_.string()).output, "");
  expect_nothing_left();
  fs::permissions(tree_ / "src", fs::perms(0750));
}

TEST_F(Patch, NothingThatIsThereIsReplaced) {
  const auto file = folder.path() / "thesis.tex";
  sample::write(file, "years of work");
  fs::create_symlink(folder.path() / "nowhere", folder.path() / "link");
  for (const std::string name : {"thesis.tex", "link", "tree", "tree/src/corsika.h"}) {
    const auto there = (folder.path() / name).string();
    expect_refused("is there already", "--manifest " + there);
    const auto run = program("apply", "--out " + there);
    EXPECT_EQ(run.status, 1) << name;
    EXPECT_NE(run.output.find("is there already"), std::string::npos) << run.output;
  }
  EXPECT_NE(program("apply", "--out " + (tree_ / "src/copy").string()).output.find("lies in the tree"),
            std::string::npos);
  EXPECT_EQ(sample::read_file(file), "years of work");
  expect_refused("", "--manifest " + (folder.path() / "no/such/manifest.json").string());
}

TEST_F(Patch, DryRunPrintsADiffThatPatchTakes) {
  sample::write(tree_ / "src/corsika.F", sample::standin() + "C  no line end");
  const auto run = program("apply", "--dry-run 2> " + (folder.path() / "said").string());
  EXPECT_EQ(run.status, 0) << run.output;
  const auto text = patched();
  sample::write(folder.path() / "diff", run.output);
  EXPECT_EQ(sample::run("cd " + tree_.string() + " && patch -s -p1 < ../diff").status, 0);
  EXPECT_EQ(sample::read_file(tree_ / "src/corsika.F"), text);
}

TEST_F(Patch, ASourceBehindALinkOutOfTheTreeIsRefused) {
  const auto outside = folder.path() / "outside";
  fs::rename(tree_ / "src", outside);
  fs::create_directory_symlink(outside, tree_ / "src");
  expect_refused("out of the tree");
  EXPECT_EQ(sample::read_file(outside / "corsika.F"), sample::standin());
}

TEST_F(Patch, TheRulesKnowWhatTheLibraryHolds) {
  const auto header = sample::read_file(CORSIKA_PATCHES_DRAW_PATH);
  EXPECT_NE(header.find("kMaxSequences = 64;"), std::string::npos);
  EXPECT_NE(sample::read_file(default_rules()).find("most_sequences = 64 "), std::string::npos);
}

TEST_F(Patch, AFullDiskLeavesNothing) { expect_refused("cp failed: ", "", "ulimit -f 4;"); }

TEST_F(Patch, RefusesWhatItDoesNotKnowInOneLine) {
  const std::string main = "src/corsika.F", header = "src/corsika.h";
  const auto copy = sample::all_swapped(sample::routine("FUNCTION RANF"), "RANF", "MYRAN");
  using sample::fixed;
  for (const auto& [file, from, to, says] : sample::Changes{
           {main, "J97(JSEQ) = 33", "J97(JSEQ) = 34", "RMMAQD is in no shape that the rules know (digest "},
           {main, "SUBROUTINE RMMAQD", "SUBROUTINE RMMAQX",
            "no RMMAQD that draws from the generator was found"},
           {main, "", sample::routine("SUBROUTINE RMMARD"), "this is a second RMMARD, beside src/corsika.F:"},
           {main, "#if __URQMD__", "C", "this preprocessor conditional has no partner"},
           {main, "", patched(), "is patched already"},
           {"configure.ac", "77410", "80000", "7.4 to 7.8"},
           {header, "KSEQ=9", "KSEQ=65", ": KSEQ is 65; the generator takes 8 to 64 sequences"},
           {header, "KSEQ=9", "KSEQ=7", "KSEQ is 7"},
           {header, "KSEQ=9", "KSEQ=99999999999999999999", "KSEQ is 99999999999999999999"},
           // Who would still read the state.
           {"src/other.f", "", fixed("SUBROUTINE PEEK; COMMON /crranma4/ C; END"),
            "src/other.f:2: COMMON /CRRANMA4/ in PEEK"},
           {main, "", fixed("SUBROUTINE LOOK; #define __RANMA4INC__; END"), "#define __RANMA4INC__ in LOOK"},
           {"bernlohr/own.c", "", "extern struct { double c; } crranma4_;\n", "bernlohr/own.c:1"},
           {"conex/conex.h", "", fixed("COMMON /CRRANMA4/ C"), "conex/conex.h:1"},
           {main, "", copy, "in MYRAN"},
           {"epos/epos-extra.f", "", sample::routine("SUBROUTINE RMMARD"), "in RMMARD"},
           // Names of the overlay's.
           {main, "", fixed("SUBROUTINE X; RNMWIN = 1; END"), "the name RNMWIN is in use"},
           {main, "", fixed("SUBROUTINE X; CALL RNMX(1); END"), "the name RNMX is in use"},
           // Nobody who reads it.
           {header, "KSEQ=9", "KSEQ=8", ""},
           {header, "KSEQ=9", "KSEQ=64", ""},
           {"src/other.f", "", "C COMMON /CRRANMA4/\n" + fixed("CALL RMMARD(X,1,1); END"), ""},
           {main, "", fixed("SUBROUTINE CONST; #define __RANMA3INC__; #include \"corsika.h\"; END"), ""},
           {"src/corsikacompilefile.f", "", fixed("COMMON /CRRANMA4/C"), ""},
           {"urqmd/numrec.f", "", fixed("RNMX = 1.; END"), ""},
       }) {
    const auto why = refusal(file, from, to);
    EXPECT_EQ(why.empty(), says.empty()) << to << ": " << why;
    EXPECT_NE(why.find(says), std::string::npos) << to << ": " << why;
  }
  sample::write(tree_ / main, patched());
  expect_refused("is patched already");
}

TEST_F(Patch, TreesWithoutAReleaseAndNamesThatDoNotDraw) {
  fs::remove(tree_ / "configure.ac");
  sample::write(tree_ / "src/corsika.F",
                sample::standin() + sample::fixed("DOUBLE PRECISION FUNCTION RNDM(); RNDM = 0.5D0; END"));
  const auto manifest = plan_patch(options_).manifest;
  EXPECT_TRUE(manifest["release"].is_null());
  EXPECT_EQ(manifest["routines"].back()["action"], "left alone");
}

TEST_F(Patch, WrongUse) {
  for (const std::string use : {"apply --out x", "apply --tree x", "apply --tree x --out y --dry-run"})
    EXPECT_EQ(sample::run(CORSIKA_PATCH_PROGRAM " " + use).status, 2) << use;
  EXPECT_EQ(sample::run(CORSIKA_PATCH_PROGRAM " --help").status, 0);
  EXPECT_EQ(sample::run(CORSIKA_PATCH_PROGRAM " apply --tree /no/such --dry-run").status, 1);
}

// What the patcher says of a build, and what the lines that it writes do there.
TEST_F(Patch, CoversTheOptionsThatItsLinesCover) {
  options_.rules = {default_rules().replace_filename("cherenkov.toml")};
  const auto text = patched();
  const auto begin = text.find("#if __CERENKOV__ && __ATMEXT__ && __IACT__ ");
  const auto lines = folder.path() / "lines.c";
  sample::write(lines, text.substr(begin, text.find("#ifndef", begin) - begin));
  for (const std::string row :
       {"whole CERENKOV IACT ATMEXT SLANT", "whole CERENKOV IACT ATMEXT", "none CERENKOV ATMEXT SLANT",
        "none CERENKOV IACT SLANT", "whole + CURVED", "whole + CURVED NOCLONG", "whole + VOLUMEDET",
        "whole + THIN", "whole + UPWARD", "none + UPWARD CERWLEN", "whole CERENKOV IACT ATMEXT CURVED",
        "none + CURVED CEFFIC", "none + CURVED CERWLEN", "whole + IACTEXT", "bunches + CEFFIC",
        "bunches + CERWLEN", "whole + NOCLONG", "none + AUGCERLONG"}) {
    std::istringstream names(sample::all_swapped(row, "+", "CERENKOV IACT ATMEXT SLANT"));
    std::string covers;
    names >> covers;
    const std::vector<std::string> build(std::istream_iterator<std::string>(names), {});
    std::string defines;
    for (const auto& name : build) defines += " -D__" + name + "__=1";
    const auto macros = sample::run("cpp -dM -traditional-cpp" + defines + " " + lines.string()).output;
    const auto has = [&](const char* macro) { return macros.find(macro) != std::string::npos; };
    EXPECT_TRUE(covers == "none" || has("CHERENKOV_BY_BUNCH") == (covers == "bunches")) << row << macros;
    EXPECT_EQ(has("CHERENKOV_COVERED"), covers != "none") << row << macros;
    EXPECT_EQ(judged(build)["covered"], covers) << row;
  }
}

// CORSIKA's own detectors: where OUTPT2 can be replaced, and no option changes their light.
TEST_F(Patch, CoversBuildsWithoutIact) {
  options_.rules = {default_rules().replace_filename("cherenkov.toml")};
  sample::write(tree_ / "src/corsika.F",
                sample::standin() + sample::fixed("SUBROUTINE OUTPT2( I ); INTEGER I; RETURN; END"));
  std::string header = sample::read_file(tree_ / "src/corsika.h");
  std::istringstream names(
      "CERELE CERHAD XCMAXS XCMAX FCERX DCERXI EPSX CERXOS YCMAXS YCMAX DCERYI FCERY EPSY "
      "CERYOS ICERML NCERTEL PHOTCM XCER YCER UEMIS VEMIS CARTIM ZEMIS CERDIST FNPRIM MCERFI");
  for (std::string name; names >> name;) {
    EXPECT_EQ(judged({"CERENKOV", "ATMEXT", "SLANT"})["covered"], "none") << "without " << name;
    sample::write(tree_ / "src/corsika.h", header += "      COMMON /OWN/ " + name + "\n");
  }
  EXPECT_EQ(judged({"CERENKOV", "ATMEXT", "SLANT", "VOLUMEDET"})["covered"], "whole");
  for (const char* option : {"THIN", "CURVED", "CEFFIC", "CERWLEN"})
    EXPECT_NE(judged({"CERENKOV", "ATMEXT", "SLANT", option})["covered"], "whole") << option;
}

// A program without the stage has none of the library's functions, so FSTACK must not call one there.
TEST_F(Patch, FstackCallsTheStageOnlyWhereItIs) {
  options_.rules = {default_rules().replace_filename("cherenkov.toml")};
  sample::write(tree_ / "src/corsika.F", sample::standin() + sample::fixed("SUBROUTINE FSTACK; RETURN; END"));
  const auto text = patched();
  const auto head = text.find("      SUBROUTINE FSTACK\n#if __CERENKOV__");
  ASSERT_NE(head, std::string::npos);
  const auto file = folder.path() / "fstack.F";
  sample::write(file, text.substr(head, text.find("      END\n", head) - head));
  const std::string cpp =
      "cpp -traditional-cpp -D__CERENKOV__=1 -D__IACT__=1 -D__ATMEXT__=1 " + file.string();
  EXPECT_NE(sample::run(cpp).output.find("CALL CHRFLS"), std::string::npos);
  const auto without = sample::run(cpp + " -D__AUGCERLONG__=1").output;
  EXPECT_EQ(without.find("CALL CHRFLS"), std::string::npos);
  EXPECT_NE(without.find("CALL CHRFST"), std::string::npos);
}

}  // namespace
