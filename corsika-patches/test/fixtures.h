// A sample tree and the program corsika-patch on it, without and with a stage: what the tests of patching
// share.
#pragma once

#include <gtest/gtest.h>

#include "corsika-patches/patch.h"
#include "error_of.hpp"
#include "sample_tree.h"
#include "support/error.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace sample {

/// What a command of a shell prints, and its exit status.
inline support::CommandResult run(const std::string& command) {
  return support::run({.argv = {"bash", "-c", command}});
}

class PatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_tree(tree_);
    options_.tree = tree_;
    options_.rules = {rules(folder_.path())};
    arguments_ = " --tree " + tree_.string() + " --rules " + options_.rules[0].string();
  }
  /// The text of a file with the patch in it; the tree's where it is not patched.
  std::string patched(const std::string& name = "src/corsika.F") const {
    const auto texts = corsika_patches::plan_patch(options_).texts;
    return texts.contains(name) ? texts.at(name) : read_file(options_.tree / name);
  }
  support::CommandResult program(const std::string& what, const std::string& more = "",
                                 const std::string& before = "") const {
    return sample::run(before + " " CORSIKA_PATCH_PROGRAM " " + what + arguments_ + " " + more);
  }
  /// apply --out, which is refused in one line that has `says`, and leaves nothing.
  void expect_refused(const std::string& says, const std::string& more = "",
                      const std::string& before = "") const {
    const auto stock = read_file(tree_ / "src/corsika.F");
    const auto run = program("apply", "--out " + out_.string() + " " + more, before);
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.output.find("corsika-patch: error: "), 0U) << run.output;
    EXPECT_PRED2(::holds, run.output, says);
    EXPECT_EQ(run.output.find('\n'), run.output.size() - 1) << run.output;
    EXPECT_FALSE(std::filesystem::exists(out_));
    EXPECT_EQ(read_file(tree_ / "src/corsika.F"), stock);
    expect_nothing_left();
  }
  /// What `look` gives after one change of a file, which is undone again. `to` goes to the end where there is
  /// no `from`.
  template <typename Look>
  auto changed(const std::string& file, const std::string& from, const std::string& to, Look&& look) const {
    const auto path = tree_ / file;
    const bool there = std::filesystem::exists(path);
    const auto stock = there ? read_file(path) : "";
    write(path, from.empty() ? stock + to : swapped(stock, from, to));
    const auto seen = look();
    there ? write(path, stock) : static_cast<void>(std::filesystem::remove(path));
    return seen;
  }
  /// Why the tree is refused after such a change; empty where it is not.
  std::string refusal(const std::string& file, const std::string& from, const std::string& to) const {
    return changed(file, from, to, [&] { return error_of([&] { corsika_patches::plan_patch(options_); }); });
  }
  void expect_nothing_left() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      EXPECT_EQ(entry.path().filename().string().find("corsika-patch"), std::string::npos) << entry.path();
  }

  const support::TemporaryFolder folder_{"patches-test"};
  const std::filesystem::path tree_ = folder_.path() / "tree", out_ = folder_.path() / "out";
  corsika_patches::PatchOptions options_;
  std::string arguments_;
};

inline const std::string kLightFortran = fixed(
    "#if __LIGHT__ || __LAMP__; C  our own words; SUBROUTINE LIGHT( X,N,\n     *                  Y,ON );"
    "IMPLICIT NONE; #include \"light.h\"; DOUBLE PRECISION X,Y; INTEGER N; LOGICAL ON(3);"
    "WRITE(*,*) 'LIGHT: HERE'; #if __COLOUR__; X = 3.D0; #endif; CALL FILL; END; #endif; SUBROUTINE FILL;"
    "#if __FINE__; A = A + 1; #else; A = A + 2; #endif; END; DOUBLE PRECISION FUNCTION DEPTH( H );"
    "DEPTH = H; END");
inline const std::string kLightHeader = fixed(
    "#ifdef __LAMPINC__; COMMON /LAMP/ POWER,WIDTH(3); DOUBLE PRECISION POWER,WIDTH; #undef __LAMPINC__;"
    "#endif");
constexpr const char* kLightC =
    "#include <stdio.h>\n#define WIDE 1.\nstatic int counted;\nint hit_(double *x);\n"
    "int hit_(double *x)\n{\n  counted++;\n  return *x < WIDE;\n}\n";

/// Tests on that tree.
class StageTest : public PatchTest {
 protected:
  void SetUp() override {
    PatchTest::SetUp();
    write(tree_ / "light.F", kLightFortran);
    write(tree_ / "light.h", kLightHeader);
    write(tree_ / "light.c", kLightC);
    options_.rules.push_back(folder_.path() / "stage.toml");
    write_rules();
  }
  /// Rules for a stage; `more` stands at their end.
  void write_rules(const std::string& more = "") const {
    write(folder_.path() / "stage.toml",
          lines("name = 'stage'; flag = '__STAGE__'; options = ['__FINE__']; needed = ['__LIGHT__'];"
                "not_covered = ['__DARK__']; by_bunch = ['__COLOUR__'];"
                "[[wrap]]; file = 'light.F'; routine = 'LIGHT';"
                "stock = 'STKLG'; step = 'STGSTP'; end = 'STGEND'; not_covered_routine = 'STGNOT';"
                "covered_macro = 'STAGE_COVERED'; by_bunch_macro = 'STAGE_BUNCH'; options_routine = "
                "'STGOPT'; include = 'stage.inc';"
                "roles = ['X', 'Y']; [[wrap_file]]; file = 'light.c'; functions = ['hit_'];"
                "arguments = { hit_ = '1' }; names_include = 'stage_names.h'; include = 'stage.h';"
                "words = ['counted']; [header]; file = 'light.h'; names = ['POWER', 'WIDTH'];" +
                more));
  }
  /// What is said of the stage in the tree as it is.
  corsika_patches::Json judged(const std::vector<std::string>& build = {}) const {
    auto options = options_;
    options.build = build;
    return corsika_patches::plan_patch(options).manifest["stages"].at(0);
  }
};

}  // namespace sample
