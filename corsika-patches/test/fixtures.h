// A sample tree and the program corsika-patch on it, without and with a stage: what the tests of patching
// share.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "corsika-patches/patch.h"
#include "sample_tree.h"
#include "support/temporary_folder.hpp"

namespace sample {

/// The text of a file with the patch in it; the tree's where it is not patched.
inline std::string patched(const corsika_patches::PatchOptions& options, const std::string& name) {
  const auto texts = corsika_patches::plan_patch(options).texts;
  return texts.contains(name) ? texts.at(name) : read(options.tree / name);
}

class PatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_tree(tree_);
    options_.tree = tree_;
    options_.rules = {rules(folder_.path())};
    arguments_ = " --tree " + tree_.string() + " --rules " + options_.rules[0].string();
  }
  std::string patched(const std::string& file = "src/corsika.F") const {
    return sample::patched(options_, file);
  }
  sample::Run program(const std::string& what, const std::string& more = "",
                      const std::string& before = "") const {
    return sample::run(before + " " CORSIKA_PATCH_PROGRAM " " + what + arguments_ + " " + more);
  }
  /// apply --out, which is refused in one line that has `says`, and leaves nothing.
  void expect_refused(const std::string& says, const std::string& more = "",
                      const std::string& before = "") const {
    const auto stock = read(tree_ / "src/corsika.F");
    const auto run = program("apply", "--out " + out_.string() + " " + more, before);
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.err.find("corsika-patch: error: "), 0U) << run.err;
    EXPECT_NE(run.err.find(says), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
    EXPECT_FALSE(std::filesystem::exists(out_));
    EXPECT_EQ(read(tree_ / "src/corsika.F"), stock);
    expect_nothing_left();
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

constexpr const char* kLightFortran =
    "#if __LIGHT__ || __LAMP__\nC  our own words\n"
    "      SUBROUTINE LIGHT( X,N,\n     *                  Y,ON )\n"
    "      IMPLICIT NONE\n#include \"light.h\"\n"
    "      DOUBLE PRECISION X,Y\n      INTEGER N\n      LOGICAL ON(3)\n"
    "      WRITE(*,*) 'LIGHT: HERE'\n"
    "#if __COLOUR__\n      X = 3.D0\n#endif\n      CALL FILL\n      END\n#endif\n"
    "      SUBROUTINE FILL\n#if __FINE__\n      A = A + 1\n#else\n      A = A + 2\n#endif\n      END\n"
    "      DOUBLE PRECISION FUNCTION DEPTH( H )\n      DEPTH = H\n      END\n";
constexpr const char* kLightHeader =
    "#ifdef __LAMPINC__\n      COMMON /LAMP/ POWER,WIDTH(3)\n      DOUBLE PRECISION POWER,WIDTH\n#undef "
    "__LAMPINC__\n#endif\n";
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
          "name = \"stage\"\nflag = \"__STAGE__\"\noptions = [\"__FINE__\"]\nneeded = [\"__LIGHT__\"]\n"
          "not_covered = [\"__DARK__\"]\nby_bunch = [\"__COLOUR__\"]\n"
          "whole_with = { __COLOUR__ = \"STAGE_COLOURS\" }\n"
          "[[wrap]]\nfile = \"light.F\"\nroutine = \"LIGHT\"\nstock = \"STKLG\"\nstep = \"STGSTP\"\nend = "
          "\"STGEND\"\nnot_covered = \"STGNOT\"\noptions_include = \"stage_options.inc\"\ncovered = "
          "\"STAGE_COVERED\"\ninclude = \"stage.inc\"\nroles = [\"X\", \"Y\"]\n"
          "[[wrap_file]]\nfile = \"light.c\"\nfunctions = [\"hit_\"]\narguments = { hit_ = \"1\" "
          "}\nnames_include = "
          "\"stage_names.h\"\ninclude "
          "= \"stage.h\"\nwords = [\"counted\"]\n"

          "[header]\nfile = \"light.h\"\nnames = [\"POWER\", \"WIDTH\"]\n" +
              more);
  }
  /// What is said of the stage in the tree as it is.
  corsika_patches::Json judged(const std::vector<std::string>& build = {}) const {
    auto options = options_;
    options.build = build;
    return corsika_patches::plan_patch(options).manifest["stages"].at(0);
  }
  /// Whether the tree gets no stage after one change of a file, which is undone again, and why.
  ::testing::AssertionResult left_out(const std::string& file, const std::string& from, const std::string& to,
                                      const std::string& why) const {
    const auto stock = read(tree_ / file);
    write(tree_ / file, swapped(stock, from, to));
    const auto stage = judged();
    write(tree_ / file, stock);
    const bool ok = stage["action"] == "left out" && stage["covered"] == "none" &&
                    stage["reason"].get<std::string>().find(why) != std::string::npos;
    return (ok ? ::testing::AssertionSuccess() : ::testing::AssertionFailure()) << from << ": " << stage;
  }
};

}  // namespace sample
