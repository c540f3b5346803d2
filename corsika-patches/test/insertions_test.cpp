#include "corsika_patches/insertions.h"

#include <gtest/gtest.h>

#include "corsika_patches/options.h"
#include "corsika_patches/patch.h"
#include "sample_tree.h"
#include "support/temporary_folder.hpp"

using namespace corsika_patches;
namespace fs = std::filesystem;

namespace {

const char* const kFortran =
    "      SUBROUTINE LIGHT(N)\n#if __LIGHT__\n      X = N\n      IF ( N .GT. 3 ) THEN\n        X = 1\n      "
    "ENDIF\n"
    "      CALL FILL\n#endif\n      END\n      SUBROUTINE FILL\n      A = A + 1\n      END\n";
const char* const kC = "static int counted;\nvoid light(void) { counted++; }\n";

/// A sample tree with a routine that makes light, and rules for a stage that takes it.
class InsertedStage : public ::testing::Test {
 protected:
  void SetUp() override {
    sample::write_tree(tree_);
    sample::write(tree_ / "light.F", kFortran);
    sample::write(tree_ / "light.c", kC);
    options_.tree = tree_;
    options_.rules = {sample::rules(folder_.path()), folder_.path() / "stage.toml"};
    write_rules(digest("FILL"));
  }
  std::string digest(const std::string& name) const {
    const FixedFormSource source{TextFile(sample::read(tree_ / "light.F"))};
    for (const auto& unit : find_units(source))
      if (unit.has_name(name)) return active_digest(source, unit, {"__LIGHT__"});
    return "";
  }
  void write_rules(const std::string& shape, const std::string& more = "") const {
    sample::write(
        folder_.path() / "stage.toml",
        "name = \"stage\"\nflag = \"__STAGE__\"\noptions = [\"__LIGHT__\"]\n"
        "[[insertion]]\nrule = \"loop\"\nfile = \"light.F\"\nroutine = \"LIGHT\"\n"
        "before = \"IF(N.GT.3)THEN\"\ninclude = \"stage.inc\"\n"
        "[[insertion]]\nrule = \"c\"\nfile = \"light.c\"\ninclude = \"stage.h\"\nwords = [\"counted\"]\n"
        "[[known]]\nname = \"FILL\"\nfile = \"light.F\"\nshapes = [\"" +
            shape + "\"]\n" + more);
  }
  std::string left_out() const {
    auto options = options_;
    options.dry_run = true;
    return patch_tree(options).stages.at(0).insertions.left_out;
  }

  const support::TemporaryFolder folder_{"corsika-patches-test"};
  fs::path tree_ = folder_.path() / "tree";
  PatchOptions options_;
};

TEST_F(InsertedStage, IsCalledBesideStockTextAndTakenOutAgain) {
  const auto result = patch_tree(options_);
  ASSERT_EQ(result.stages.size(), 1U);
  EXPECT_EQ(result.stages[0].insertions.left_out, "");
  EXPECT_EQ(result.stages[0].insertions.sites.size(), 2U);
  const auto fortran = sample::read(tree_ / "light.F");
  EXPECT_NE(fortran.find("      X = N\n#if __STAGE__"), std::string::npos);
  EXPECT_NE(fortran.find("\n#include \"stage.inc\"\n#endif"), std::string::npos);
  const auto c = sample::read(tree_ / "light.c");
  EXPECT_EQ(c.find(kC), 0U);
  EXPECT_NE(c.find("\n#include \"stage.h\"\n#endif"), std::string::npos);
  EXPECT_EQ(patch_tree(options_).outcome, PatchResult::Outcome::already_patched);
  EXPECT_EQ(reverse_tree(options_).outcome, PatchResult::Outcome::reversed);
  EXPECT_EQ(sample::read(tree_ / "light.F"), kFortran);
  EXPECT_EQ(sample::read(tree_ / "light.c"), kC);
}

TEST_F(InsertedStage, AllOrNone) {
  write_rules(std::string(64, '0'));
  EXPECT_NE(left_out().find("FILL is in no shape that the rules know"), std::string::npos);
  patch_tree(options_);
  EXPECT_EQ(sample::read(tree_ / "light.F"), kFortran);
  EXPECT_EQ(sample::read(tree_ / "light.c"), kC);
  EXPECT_NE(sample::read(tree_ / "src/corsika.F"), sample::main_source());  // the rest is patched

  write_rules(digest("FILL"));
  sample::write(tree_ / "light.c", "void light(void) { my_counted++; }\n");
  EXPECT_EQ(left_out(), "light.c has no counted");
  fs::remove(tree_ / "light.c");
  EXPECT_EQ(left_out(), "the tree has no light.c");
  sample::write(tree_ / "light.c", kC);
  sample::write(tree_ / "light.F", sample::swapped(kFortran, "N .GT. 3", "N .GT. 4"));
  EXPECT_NE(left_out().find("LIGHT has no statement IF(N.GT.3)THEN"), std::string::npos);
  sample::write(tree_ / "light.F", sample::swapped(kFortran, "SUBROUTINE LIGHT", "SUBROUTINE DARK"));
  EXPECT_EQ(left_out(), "light.F has no routine LIGHT");
}

TEST_F(InsertedStage, IsToldWhichShapeItMeets) {
  const auto shape = digest("FILL");
  write_rules(shape, "macros = { " + shape + " = \"STAGE_OLD\" }\n");
  patch_tree(options_);
  EXPECT_NE(sample::read(tree_ / "light.F").find("#define STAGE_OLD\n#include \"stage.inc\""),
            std::string::npos);
  reverse_tree(options_);
  write_rules(std::string(64, '0'), "otherwise = \"STAGE_UNKNOWN\"\n");
  patch_tree(options_);
  EXPECT_NE(sample::read(tree_ / "light.F").find("#define STAGE_UNKNOWN\n#include \"stage.inc\""),
            std::string::npos);
}

// Before each of them, in whatever routine and under whatever options, by how it begins.
TEST_F(InsertedStage, BeforeEveryStatementThatBeginsSo) {
  const auto rules = [&](const std::string& before) {
    write_rules(digest("FILL"),
                "[[insertion]]\nrule = \"any\"\nfile = \"light.F\"\nroutine = \"*\"\nbefore = \"" + before +
                    "\"\ninclude = \"flush.inc\"\n");
  };
  rules("CALLSTOP(");
  EXPECT_EQ(left_out(), "light.F has no statement CALLSTOP(");
  const std::string dark =
      "      SUBROUTINE ENDING\n#if __DARK__\n      CALL STOP( 1 )\n#endif\n      WRITE(*,*) 'CALL STOP('\n  "
      "    B = 2\n";
  sample::write(tree_ / "light.F", kFortran + dark + "      END\n");
  EXPECT_EQ(left_out(), "light.F has no statement CALLSTOP(") << "none that the rules' options leave in";
  const std::string fortran =
      kFortran + dark +
      "      CALL STOP( B,\n     * 3 )\n      IF ( B .GT. 3 ) CALL STOP( B,4 )\n      END\n"
      "      SUBROUTINE LAST\n      CALL STOP( 5 )\n      END\n";
  sample::write(tree_ / "light.F", fortran);
  patch_tree(options_);
  const auto patched = sample::read(tree_ / "light.F");
  std::size_t at = 0;
  for (const char* call : {"CALL STOP( 1 )", "CALL STOP( B,\n", "IF ( B .GT. 3 ) CALL", "CALL STOP( 5 )"}) {
    const auto include = patched.find("#include \"flush.inc\"", at);
    ASSERT_NE(include, std::string::npos) << call;
    at = patched.find(call, include);
    ASSERT_NE(at, std::string::npos) << call;
    EXPECT_LT(at - include, 80U) << call;
  }
  EXPECT_EQ(patched.find("#include \"flush.inc\"", at), std::string::npos);
  reverse_tree(options_);
  EXPECT_EQ(sample::read(tree_ / "light.F"), fortran);

  sample::write(tree_ / "light.F", sample::swapped(fortran, "      CALL STOP( 5 )", " 10   CALL STOP( 5 )"));
  EXPECT_NE(left_out().find("CALLSTOP( has a label"), std::string::npos) << left_out();
}

}  // namespace
