// Patched copies, and what is refused.
#include "corsika-patches/patch.h"

#include <gtest/gtest.h>

#include "corsika-patches/rules.h"
#include "fixtures.h"
#include "sample_tree.h"
#include "support/checksum.hpp"

using namespace corsika_patches;
namespace fs = std::filesystem;

namespace {

using Patch = sample::PatchTest;

TEST_F(Patch, ReplacesEveryRoutineAndInlinesSites) {
  const auto manifest = plan_patch(options_).manifest;
  EXPECT_EQ(manifest["release"], "7.7410");
  EXPECT_EQ(manifest["routines"].size(), 6U);
  ASSERT_EQ(manifest["sites"].size(), 2U);
  EXPECT_EQ(manifest["sites"][0]["action"], "inlined");
  EXPECT_EQ(manifest["sites"][1]["reason"], "it is part of another statement");
  const auto text = patched();
  for (const std::string line :
       {"#define RNM_V2 RD(2)\n",
        "#if __QGSII__\n#define RNM_NAME QGRAN\n#else\n#define RNM_NAME PSRAN\n#endif\n",
        "#define RNM_DUMMY INTEGER IDUM\n", "#define RNM_ENTRY1 HWRSET\n", "#define RNM_SEQUENCE 5\n",
        "#include \"ranmar_rmmaqd.inc\"\n", "#include \"ranmar_common.inc\"\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
  EXPECT_EQ(manifest["files"][0]["sha256_before"], support::sha256_of_text(sample::main_source()));
  EXPECT_EQ(manifest["files"][0]["sha256_after"], support::sha256_of_text(text));
  EXPECT_EQ(manifest["sites_summary"]["inlined"], 1);
  EXPECT_EQ(manifest["left_alone"].size(), 2U);
  options_.inline_sites = false;
  EXPECT_EQ(patched().find("ranmar_draw.inc"), std::string::npos);
}

TEST_F(Patch, ACopyIsTheTreeWithThePatch) {
  fs::create_symlink("corsika.h", tree_ / "src/link");
  fs::permissions(tree_ / "src/corsika.F", fs::perms(0440));
  fs::permissions(tree_ / "src", fs::perms(0550));
  const auto manifest = folder_.path() / "m.json";
  const auto run = program("apply", "--out " + out_.string() + "/ --manifest " + manifest.string());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.find("patched\n"), 0U);
  EXPECT_EQ(sample::read(tree_ / "src/corsika.F"), sample::main_source());
  EXPECT_EQ(sample::read(out_ / "src/corsika.F"), patched());
  EXPECT_EQ(sample::without_blocks(patched()), sample::main_source());
  EXPECT_EQ(fs::status(out_ / "src/corsika.F").permissions(), fs::perms(0640));
  EXPECT_EQ(sample::read(manifest), manifest_text(plan_patch(options_)));
  sample::write(out_ / "src/corsika.F", sample::main_source());
  EXPECT_EQ(sample::run("diff -r --no-dereference " + tree_.string() + " " + out_.string()).out, "");
  expect_nothing_left();
  fs::permissions(tree_ / "src", fs::perms(0750));
}

TEST_F(Patch, APatchedTreeIsRefused) {
  sample::write(tree_ / "src/corsika.F", patched());
  expect_refused("is patched already");
}

TEST_F(Patch, NothingThatIsThereIsReplaced) {
  const auto file = folder_.path() / "thesis.tex";
  sample::write(file, "years of work");
  fs::create_symlink(folder_.path() / "nowhere", folder_.path() / "link");
  for (const std::string name : {"thesis.tex", "link", "tree", "tree/src/corsika.h"}) {
    const auto there = (folder_.path() / name).string();
    expect_refused("is there already", "--manifest " + there);
    const auto run = program("apply", "--out " + there);
    EXPECT_EQ(run.status, 1) << name;
    EXPECT_NE(run.err.find("is there already"), std::string::npos) << run.err;
  }
  EXPECT_NE(program("apply", "--out " + (tree_ / "src/copy").string()).err.find("lies in the tree"),
            std::string::npos);
  EXPECT_EQ(sample::read(file), "years of work");
  expect_refused("", "--manifest " + (folder_.path() / "no/such/manifest.json").string());
}

TEST_F(Patch, CrlfAndNoFinalLineEnd) {
  std::string crlf;
  for (const char c : sample::main_source()) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  crlf += "      SUBROUTINE LAST\r\n      END";
  sample::write(tree_ / "src/corsika.F", crlf);
  EXPECT_EQ(plan_patch(options_).manifest["routines"].size(), 6U);
  const auto text = patched();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    EXPECT_EQ(text[at - 1], '\r');
  EXPECT_EQ(sample::without_blocks(text), crlf);
}

TEST_F(Patch, DryRunPrintsADiffThatPatchTakes) {
  sample::write(tree_ / "src/corsika.F", sample::main_source() + "C  no line end");
  const auto run = program("apply", "--dry-run");
  EXPECT_EQ(run.status, 0) << run.err;
  const auto text = patched();
  sample::write(folder_.path() / "diff", run.out);
  EXPECT_EQ(sample::run("cd " + tree_.string() + " && patch -s -p1 < ../diff").status, 0);
  EXPECT_EQ(sample::read(tree_ / "src/corsika.F"), text);
}

TEST_F(Patch, ASourceBehindALinkOutOfTheTreeIsRefused) {
  const auto outside = folder_.path() / "outside";
  fs::rename(tree_ / "src", outside);
  fs::create_directory_symlink(outside, tree_ / "src");
  expect_refused("out of the tree");
  EXPECT_EQ(sample::read(outside / "corsika.F"), sample::main_source());
}

TEST_F(Patch, OfManyAtOnceOneMakesTheCopy) {
  std::string all;
  for (int i = 0; i < 6; ++i)
    all += CORSIKA_PATCH_PROGRAM " apply" + arguments_ + " --out " + out_.string() + " & ";
  sample::run(all + "wait");
  EXPECT_EQ(sample::read(out_ / "src/corsika.F"), patched());
  expect_nothing_left();
}

TEST_F(Patch, NumbersOfSequencesThatTheLibraryDoesNotHoldAreRefused) {
  const auto stock = sample::header();
  for (const std::string count : {"100", "65", "7", "0", "99999999999999999999"}) {
    sample::write(tree_ / "src/corsika.h", sample::swapped(stock, "KSEQ = 9", "KSEQ = " + count));
    expect_refused("src/corsika.h:8: KSEQ is " + count + "; the generator takes 8 to 64 sequences");
  }
  for (const std::string count : {"8", "9", "16", "64"}) {
    sample::write(tree_ / "src/corsika.h", sample::swapped(stock, "KSEQ = 9", "KSEQ = " + count));
    EXPECT_EQ(program("check").status, 0) << count;
  }
}

TEST_F(Patch, TheRulesKnowWhatTheLibraryHolds) {
  const auto header = sample::read(CORSIKA_PATCHES_DRAW_PATH);
  EXPECT_NE(header.find("kMaxSequences = 64;"), std::string::npos);
  EXPECT_NE(sample::read(default_rules()).find("most_sequences = 64 "), std::string::npos);
}

TEST_F(Patch, ASecondRmmardIsRefused) {
  sample::write(tree_ / "src/corsika.F", sample::main_source() + sample::rmmard());
  expect_refused("this is a second RMMARD, beside src/corsika.F:");
}

TEST_F(Patch, AFullDiskLeavesNothing) { expect_refused("cp failed: ", "", "ulimit -f 4;"); }

TEST_F(Patch, ChangedBodiesAndReleasesAreRefusedInOneLine) {
  struct Case {
    std::string file, from, to, says;
  };
  for (const auto& c : {Case{"src/corsika.F", "NFILL = 33", "NFILL = 34", "RMMAQD"},
                        Case{"src/corsika.F", "SUBROUTINE RMMAQD", "SUBROUTINE RMMAQX", "RMMAQD"},
                        Case{"configure.ac", "77410", "69000", "6.9000"},
                        Case{"configure.ac", "77410", "80000", "7.4 to 7.8"},
                        Case{"src/corsika.F", "#if __URQMD__", "C", "conditional"}}) {
    const auto stock = sample::read(tree_ / c.file);
    sample::write(tree_ / c.file, sample::swapped(stock, c.from, c.to));
    expect_refused(c.says);
    sample::write(tree_ / c.file, stock);
  }
}

TEST_F(Patch, TreeWithoutARelease) {
  fs::remove(tree_ / "configure.ac");
  const auto manifest = plan_patch(options_).manifest;
  EXPECT_TRUE(manifest["release"].is_null());
  EXPECT_EQ(manifest["notes"].size(), 1U);
}

TEST_F(Patch, ANameThatDoesNotDrawIsLeft) {
  sample::write(
      tree_ / "src/corsika.F",
      sample::main_source() + "      DOUBLE PRECISION FUNCTION RNDM()\n      RNDM = 0.5D0\n      END\n");
  EXPECT_EQ(plan_patch(options_).manifest["routines"].back()["action"], "left alone");
}

TEST_F(Patch, WrongUseAndTraits) {
  for (const std::string use : {"apply --out x", "apply --tree x", "apply --tree x --out y --dry-run"})
    EXPECT_EQ(sample::run(CORSIKA_PATCH_PROGRAM " " + use).status, 2) << use;
  EXPECT_EQ(sample::run(CORSIKA_PATCH_PROGRAM " --help").status, 0);
  EXPECT_EQ(sample::run(CORSIKA_PATCH_PROGRAM " check --tree /no/such").status, 1);
  EXPECT_NE(program("traits").out.find("QGRAN/PSRAN"), std::string::npos);
  EXPECT_EQ(program("check").out.find("can be patched"), 0U);
}

// What the patcher says of a build, and what the include of the same build does.
TEST(CherenkovRules, CoverTheOptionsThatTheIncludesCover) {
  const std::string include = CORSIKA_PATCHES_INCLUDES "/cherenkov_options.inc";
  PatchOptions options;
  options.tree = CORSIKA_PATCHES_STANDIN;
  const std::vector<std::string> all = {"CERENKOV", "IACT", "ATMEXT", "SLANT"};
  const auto compare = [&](const std::vector<std::string>& build) {
    std::string defines;
    for (const auto& name : build) defines += " -D__" + name + "__=1";
    const auto covered = sample::run("cpp -dM -traditional-cpp" + defines + " -x c " + include);
    ASSERT_EQ(covered.status, 0) << covered.err;
    options.build = build;
    const auto stage = plan_patch(options).manifest["stages"].at(0);
    EXPECT_EQ(stage["covered"] != "none", covered.out.find("CHERENKOV_COVERED") != std::string::npos)
        << defines << stage;
  };
  compare(all);
  for (const std::string missing : {"IACT", "ATMEXT", "SLANT"}) {
    auto build = all;
    std::erase(build, missing);
    compare(build);
  }
  for (const std::string more :
       {"CURVED", "THIN", "UPWARD", "IACTEXT", "CEFFIC", "CERWLEN", "NOCLONG", "AUGCERLONG", "VOLUMEDET"}) {
    auto build = all;
    build.push_back(more);
    compare(build);
  }
}

// A program without the stage has none of the library's functions, so FSTACK must not call one there.
TEST_F(Patch, FstackCallsTheStageOnlyWhereItIs) {
  options_.rules.clear();
  options_.tree = folder_.path() / "standin";
  fs::copy(CORSIKA_PATCHES_STANDIN, options_.tree, fs::copy_options::recursive);
  const auto source = options_.tree / "src/corsika.F";
  sample::write(source, sample::read(source) + "      SUBROUTINE FSTACK\n      RETURN\n      END\n");
  const std::string text = sample::patched(options_, "src/corsika.F"),
                    head = "      SUBROUTINE FSTACK\n#include";
  ASSERT_NE(text.find(head), std::string::npos);
  const auto file = folder_.path() / "fstack.F";
  sample::write(file,
                text.substr(text.find(head), text.find("      END\n", text.find(head)) - text.find(head)));
  const auto calls = [&](const std::string& more) {
    return sample::run("cpp -traditional-cpp -D__IACT__=1 -D__ATMEXT__=1 " + more +
                       " -I" CORSIKA_PATCHES_INCLUDES " " + file.string())
        .out;
  };
  EXPECT_NE(calls("").find("CALL CHRFLS"), std::string::npos);
  const auto without = calls("-D__THIN__=1");
  EXPECT_EQ(without.find("CALL CHRFLS"), std::string::npos);
  EXPECT_NE(without.find("CALL CHRFST"), std::string::npos);
}

// The project's own stand-in program must stay in shapes that the rules know.
TEST(StandIn, IsPatched) {
  PatchOptions options;
  options.tree = CORSIKA_PATCHES_STANDIN;
  const auto manifest = plan_patch(options).manifest;
  EXPECT_GE(manifest["routines"].size(), 16U);
  for (const auto& routine : manifest["routines"]) EXPECT_EQ(routine["action"], "replaced") << routine;
  EXPECT_EQ(manifest["stages"].at(0)["covered"], "whole") << manifest["stages"];
  EXPECT_EQ(manifest["sources"].size(), 6U);
  options.build = {"CERENKOV", "IACT", "ATMEXT", "SLANT", "CEFFIC"};
  EXPECT_EQ(plan_patch(options).manifest["stages"].at(0)["covered"], "bunches");
}

}  // namespace
