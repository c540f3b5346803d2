#include "corsika_patches/patch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "corsika_patches/sha256.h"
#include "sample_tree.h"

using namespace corsika_patches;
namespace fs = std::filesystem;

namespace {

class Patch : public ::testing::Test {
 protected:
  void SetUp() override {
    sample::write_tree(tree_);
    options_.tree = tree_;
    options_.rules = {sample::rules(folder_.path())};
    command_ = std::string(CORSIKA_PATCH_PROGRAM);
    arguments_ = " --tree " + tree_.string() + " --rules " + options_.rules[0].string();
  }
  std::string source() const { return sample::read(tree_ / "src/corsika.F"); }
  sample::Run program(const std::string& what, const std::string& before = "",
                      const std::string& after = "") const {
    return sample::run(before + " " + command_ + " " + what + arguments_ + " " + after);
  }
  /// Nothing but the stock files in the tree.
  void expect_stock() const {
    EXPECT_EQ(source(), sample::main_source());
    for (const auto& entry : fs::recursive_directory_iterator(tree_))
      EXPECT_EQ(entry.path().filename().string().find("corsika-patch"), std::string::npos) << entry.path();
  }

  sample::Folder folder_;
  fs::path tree_ = folder_.path() / "tree";
  PatchOptions options_;
  std::string command_, arguments_;
};

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
  EXPECT_EQ(manifest["files"][0]["sha256_before"], sha256(sample::main_source()));
  EXPECT_EQ(manifest["files"][0]["sha256_after"], sha256(text));
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
  EXPECT_THROW(reverse_tree(options_), Error);
  EXPECT_THROW(patch_tree(options_), Error);
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
  EXPECT_THROW(verify_off(copy, tree_, options_.rules), Error);
}

TEST_F(Patch, InterruptedPatchIsFinishedOrCleanedUp) {
  patch_tree(options_);
  const auto patched = source();
  reverse_tree(options_);
  for (const std::string point : {"staged", "journal", "renamed"}) {
    program("apply", "CORSIKA_PATCH_KILL=" + point);
    if (point == "journal") {
      EXPECT_EQ(program("check").status, 1);
    }
    const auto next = program("apply");
    EXPECT_EQ(next.status, 0) << next.err;
    EXPECT_EQ(source(), patched);
    EXPECT_EQ(program("reverse").status, 0);
    expect_stock();
    program("apply", "CORSIKA_PATCH_KILL=" + point);
    EXPECT_EQ(program("reverse").status, 0);
    expect_stock();
  }
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
  EXPECT_THROW(extract_unit(tree_, "QGRAN", 1), Error);
}

TEST_F(Patch, WrongUseAndTraits) {
  EXPECT_EQ(sample::run(command_ + " apply").status, 2);
  EXPECT_EQ(sample::run(command_ + " --help").status, 0);
  EXPECT_EQ(sample::run(command_ + " apply --tree /no/such").status, 1);
  EXPECT_NE(program("traits").out.find("QGRAN/PSRAN"), std::string::npos);
  EXPECT_EQ(program("check").out.find("can be patched"), 0U);
  expect_stock();
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
  reverse_tree(options);
  EXPECT_EQ(sample::read(copy / "src/corsika.F"), sample::read(standin / "src/corsika.F"));
}

}  // namespace
