// Patching and reversing, what is refused, two at once.
#include "corsika_patches/patch.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "corsika_patches/rules.h"
#include "corsika_patches/tree_lock.h"
#include "patch_fixture.h"
#include "sample_tree.h"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

using namespace corsika_patches;
namespace fs = std::filesystem;

namespace {

using Patch = sample::PatchTest;

TEST_F(Patch, ReplacesEveryRoutineAndInlinesSites) {
  options_.manifest = folder_.path() / "manifest.json";
  const auto result = patch_tree(options_);
  EXPECT_EQ(result.outcome, PatchResult::Outcome::patched);
  EXPECT_EQ(result.release, "7.7410");
  EXPECT_EQ(result.routines.size(), 6U);
  ASSERT_EQ(result.sites.size(), 2U);
  EXPECT_TRUE(result.sites[0].inlined);
  EXPECT_EQ(result.sites[1].reason, "it is part of another statement");
  const auto text = source();
  for (const std::string line :
       {"#define RNM_V2 RD(2)\n",
        "#if __QGSII__\n#define RNM_NAME QGRAN\n#else\n#define RNM_NAME PSRAN\n#endif\n",
        "#define RNM_DUMMY INTEGER IDUM\n", "#define RNM_ENTRY1 HWRSET\n", "#define RNM_SEQUENCE 5\n",
        "#include \"ranmar_rmmaqd.inc\"\n", "#include \"ranmar_common.inc\"\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
  const auto manifest = nlohmann::json::parse(sample::read(*options_.manifest));
  EXPECT_EQ(manifest["routines"].size(), 6U);
  EXPECT_EQ(manifest["files"][0]["sha256_before"], support::sha256_of_text(sample::main_source()));
  EXPECT_EQ(manifest["files"][0]["sha256_after"], support::sha256_of_text(text));
  EXPECT_EQ(manifest["sites_summary"]["inlined"], 1);
  EXPECT_EQ(manifest["left_alone"].size(), 2U);
}

TEST_F(Patch, TwiceIsOnceAndReverseIsStock) {
  patch_tree(options_);
  const auto patched = source();
  EXPECT_EQ(patch_tree(options_).outcome, PatchResult::Outcome::already_patched);
  EXPECT_EQ(source(), patched);
  const auto again = program("apply");
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.out.find("already patched"), 0U);
  EXPECT_EQ(reverse_tree(options_).outcome, PatchResult::Outcome::reversed);
  expect_stock();
  EXPECT_EQ(reverse_tree(options_).outcome, PatchResult::Outcome::not_patched);
}

TEST_F(Patch, ReverseKeepsEditsOutsideAndRefusesEditsInside) {
  patch_tree(options_);
  const auto patched = source();
  sample::write(tree_ / "src/corsika.F", "C mine\n" + patched);
  reverse_tree(options_);
  EXPECT_EQ(source(), "C mine\n" + sample::main_source());
  const auto edited = sample::swapped(patched, "UNI = U(", "UNI = V(");
  sample::write(tree_ / "src/corsika.F", edited);
  EXPECT_THROW(reverse_tree(options_), support::Error);
  EXPECT_THROW(patch_tree(options_), support::Error);
  EXPECT_EQ(source(), edited);
}

TEST_F(Patch, OptionsMayChangeOnAPatchedTree) {
  patch_tree(options_);
  options_.inline_sites = false;
  EXPECT_EQ(patch_tree(options_).outcome, PatchResult::Outcome::patched);
  EXPECT_EQ(source().find("ranmar_draw.inc"), std::string::npos);
  reverse_tree(options_);
  expect_stock();
}

TEST_F(Patch, CrlfAndNoFinalLineEnd) {
  std::string crlf;
  for (const char c : sample::main_source()) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  crlf += "      SUBROUTINE LAST\r\n      END";
  sample::write(tree_ / "src/corsika.F", crlf);
  EXPECT_EQ(patch_tree(options_).routines.size(), 6U);
  const auto patched = source();
  for (std::size_t at = patched.find('\n'); at != std::string::npos; at = patched.find('\n', at + 1))
    EXPECT_EQ(patched[at - 1], '\r');
  reverse_tree(options_);
  EXPECT_EQ(source(), crlf);
}

TEST_F(Patch, DryRunPrintsADiffThatPatchTakes) {
  const auto run = program("apply", "", "--dry-run");
  EXPECT_EQ(run.status, 0) << run.err;
  expect_stock();
  sample::write(folder_.path() / "diff", run.out);
  const auto copy = folder_.path() / "copy";
  fs::copy(tree_, copy, fs::copy_options::recursive);
  EXPECT_EQ(sample::run("cd " + copy.string() + " && patch -s -p1 < ../diff").status, 0);
  patch_tree(options_);
  EXPECT_EQ(sample::read(copy / "src/corsika.F"), source());
}

TEST_F(Patch, FlagOffIsStock) {
  const auto copy = folder_.path() / "copy";
  fs::copy(tree_, copy, fs::copy_options::recursive);
  patch_tree(options_);
  EXPECT_GE(verify_off(copy, tree_, options_.rules), 8);
  sample::write(tree_ / "src/corsika.F", source() + "      X = 1\n");
  EXPECT_THROW(verify_off(copy, tree_, options_.rules), support::Error);
}

TEST_F(Patch, AManifestReplacesNothingElse) {
  const auto file = folder_.path() / "thesis.tex";
  sample::write(file, "years of work");
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  fs::create_symlink(file, folder_.path() / "link");
  for (const std::string name : {"thesis.tex", "pipe", "link", "tree", "tree/", "tree/src/corsika.h"}) {
    const auto run = program("apply", "", "--manifest " + (folder_.path() / name).string());
    EXPECT_EQ(run.status, 1) << name;
    expect_stock();
  }
  EXPECT_EQ(sample::read(file), "years of work");
  EXPECT_TRUE(fs::is_symlink(folder_.path() / "link"));
  EXPECT_TRUE(fs::is_fifo(folder_.path() / "pipe"));
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(program("apply", "", "--manifest " + (folder_.path() / "m.json").string()).status, 0);
}

TEST_F(Patch, ASourceBehindALinkOutOfTheTreeIsRefused) {
  const auto outside = folder_.path() / "outside";
  fs::rename(tree_ / "src", outside);
  fs::create_directory_symlink(outside, tree_ / "src");
  const auto run = program("apply");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("out of the tree"), std::string::npos) << run.err;
  EXPECT_EQ(program("check").status, 1);
  EXPECT_EQ(sample::read(outside / "corsika.F"), sample::main_source());
}

TEST_F(Patch, TwoAtOnceTheSecondSaysSo) {
  const TreeLock first(tree_);
  const auto run = program("apply");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("another corsika-patch is at work"), std::string::npos) << run.err;
  expect_stock();
}

TEST_F(Patch, ManyAtOncePatchOnce) {
  const auto patched = [&] {
    patch_tree(options_);
    const auto text = source();
    reverse_tree(options_);
    return text;
  }();
  std::string all;
  for (int i = 0; i < 6; ++i) all += command_ + " apply" + arguments_ + " & ";
  sample::run(all + "wait");
  EXPECT_EQ(source(), patched);
  expect_nothing_left();
}

TEST_F(Patch, NumbersOfSequencesThatTheLibraryDoesNotHoldAreRefused) {
  const auto stock = sample::header();
  for (const std::string count : {"100", "65", "7", "0", "99999999999999999999"}) {
    sample::write(tree_ / "src/corsika.h", sample::swapped(stock, "KSEQ = 9", "KSEQ = " + count));
    const auto run = program("apply");
    EXPECT_EQ(run.status, 1) << count;
    EXPECT_NE(run.err.find("src/corsika.h:8: KSEQ is " + count + "; the generator takes 8 to 64 sequences"),
              std::string::npos)
        << run.err;
    expect_stock();
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
  const auto run = program("apply");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("this is a second RMMARD, beside src/corsika.F:"), std::string::npos) << run.err;
  EXPECT_EQ(source(), sample::main_source() + sample::rmmard());
}

TEST_F(Patch, FullDiskLeavesTheTree) {
  const auto run = program("apply", "ulimit -f 4;");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err.find("corsika-patch: error: cannot write"), 0U) << run.err;
  expect_stock();
}

TEST_F(Patch, ReadOnlyLeavesTheTree) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  fs::permissions(tree_ / "src", fs::perms::owner_write, fs::perm_options::remove);
  const auto run = program("apply");
  fs::permissions(tree_ / "src", fs::perms::owner_write, fs::perm_options::add);
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err.find("corsika-patch: error: cannot write"), 0U) << run.err;
  expect_stock();
}

TEST_F(Patch, UnwritableManifestLeavesTheTree) {
  const auto run = program("apply", "", "--manifest " + (folder_.path() / "no/such/manifest.json").string());
  EXPECT_EQ(run.status, 1);
  expect_stock();
}

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
    const auto run = program("apply");
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find(c.says), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
    sample::write(tree_ / c.file, stock);
    expect_stock();
  }
}

TEST_F(Patch, TreeWithoutARelease) {
  fs::remove(tree_ / "configure.ac");
  const auto result = patch_tree(options_);
  EXPECT_EQ(result.release, "");
  EXPECT_EQ(result.notes.size(), 1U);
}

TEST_F(Patch, ANameThatDoesNotDrawIsLeft) {
  sample::write(
      tree_ / "src/corsika.F",
      sample::main_source() + "      DOUBLE PRECISION FUNCTION RNDM()\n      RNDM = 0.5D0\n      END\n");
  const auto result = patch_tree(options_);
  EXPECT_EQ(result.routines.back().action, "left alone");
}

TEST_F(Patch, ExtractsStockTextAlsoFromAPatchedTree) {
  const auto stock = extract_unit(tree_, "psran");
  EXPECT_EQ(stock.text.find("#if __QGSII__"), 0U);
  EXPECT_EQ(stock.conditions, (std::vector<std::string>{"if __QGSJET__"}));
  EXPECT_EQ(stock.kind, "function");
  patch_tree(options_);
  EXPECT_EQ(extract_unit(tree_, "QGRAN").text, stock.text);
  EXPECT_THROW(extract_unit(tree_, "QGRAN", 1), support::Error);
}

TEST_F(Patch, WrongUseAndTraits) {
  EXPECT_EQ(sample::run(command_ + " apply").status, 2);
  EXPECT_EQ(sample::run(command_ + " --help").status, 0);
  EXPECT_EQ(sample::run(command_ + " apply --tree /no/such").status, 1);
  EXPECT_NE(program("traits").out.find("QGRAN/PSRAN"), std::string::npos);
  EXPECT_EQ(program("check").out.find("can be patched"), 0U);
  expect_stock();
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
    const auto plan = read_insertions(options).at(0).insertions;
    EXPECT_EQ(plan.covered != "none", covered.out.find("CHERENKOV_COVERED") != std::string::npos)
        << defines << ": " << plan.reason;
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
  patch_tree(options_);
  const std::string text = sample::read(source), head = "      SUBROUTINE FSTACK\n#include";
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
TEST_F(Patch, StandInIsPatchedAndReversed) {
  const fs::path standin = CORSIKA_PATCHES_STANDIN;
  if (!fs::exists(standin / "src/corsika.F")) GTEST_SKIP() << "no stand-in here";
  const auto copy = folder_.path() / "standin";
  fs::copy(standin, copy, fs::copy_options::recursive);
  PatchOptions options;
  options.tree = copy;
  const auto result = patch_tree(options);
  EXPECT_GE(result.routines.size(), 16U);
  for (const auto& routine : result.routines) EXPECT_EQ(routine.action, "replaced") << routine.name;
  ASSERT_EQ(result.stages.size(), 1U);
  EXPECT_EQ(result.stages[0].insertions.covered, "whole") << result.stages[0].insertions.reason;
  EXPECT_EQ(result.sources.size(), 6U);
  options.build = {"CERENKOV", "IACT", "ATMEXT", "SLANT", "CEFFIC"};
  const auto effic = read_insertions(options).at(0).insertions;
  EXPECT_EQ(effic.covered, "bunches") << effic.reason;
  reverse_tree(options);
  EXPECT_EQ(sample::read(copy / "src/corsika.F"), sample::read(standin / "src/corsika.F"));
}

}  // namespace
