// A sample tree with a routine that makes light, a header and a C file, and rules for a stage that takes
// their place: what the tests of stages share.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "corsika_patches/patch.h"
#include "patch_fixture.h"
#include "sample_tree.h"
#include "support/temporary_folder.hpp"

namespace sample {

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
class StageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_tree(tree_);
    write(tree_ / "light.F", kLightFortran);
    write(tree_ / "light.h", kLightHeader);
    write(tree_ / "light.c", kLightC);
    options_.tree = tree_;
    options_.rules = {rules(folder_.path()), folder_.path() / "stage.toml"};
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
  corsika_patches::Insertions judged(const std::vector<std::string>& build = {}) const {
    auto options = options_;
    options.build = build;
    return plan_patch(options).stages.at(0).insertions;
  }
  std::string patched(const std::string& file = "light.F") const { return sample::patched(options_, file); }
  /// Why the tree gets no stage, after one change of a file that is undone again.
  std::string left_out(const std::string& file, const std::string& from, const std::string& to) const {
    const auto stock = read(tree_ / file);
    write(tree_ / file, swapped(stock, from, to));
    const auto plan = judged();
    write(tree_ / file, stock);
    EXPECT_TRUE(plan.left_out()) << from << " -> " << to;
    EXPECT_EQ(plan.covered, "none");
    return plan.reason;
  }

  const support::TemporaryFolder folder_{"corsika-patches-test"};
  std::filesystem::path tree_ = folder_.path() / "tree";
  corsika_patches::PatchOptions options_;
};

}  // namespace sample
