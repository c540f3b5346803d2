#include "corsika_patches/tree_scan.h"

#include <gtest/gtest.h>

#include "corsika_patches/patch.h"
#include "sample_tree.h"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

using namespace corsika_patches;

namespace {
/// The refusal of a sample tree with one more file (or text at the end of corsika.F) in it; "" where it is
/// accepted.
std::string refusal_with(const std::string& file, const std::string& text) {
  const support::TemporaryFolder folder{"corsika-patches-test"};
  const auto tree = folder.path() / "tree";
  sample::write_tree(tree);
  const auto before = file == "src/corsika.F" ? sample::main_source() : std::string();
  sample::write(tree / file, before + text);
  PatchOptions options;
  options.tree = tree;
  options.rules = {sample::rules(folder.path())};
  try {
    plan_patch(options);
  } catch (const support::Error& error) {
    return error.what();
  }
  return "";
}
bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST(TreeScan, ReadersOfTheStateAreRefused) {
  const auto reader =
      refusal_with("src/other.f", "      SUBROUTINE PEEK\n      COMMON /crranma4/ C\n      END\n");
  EXPECT_TRUE(says(reader, "src/other.f:2") && says(reader, "PEEK")) << reader;
  const auto define = refusal_with(
      "src/corsika.F", "      SUBROUTINE LOOK\n#define __RANMA4INC__\n#include \"corsika.h\"\n      END\n");
  EXPECT_TRUE(says(define, "LOOK")) << define;
  EXPECT_TRUE(
      says(refusal_with("bernlohr/iact.c", "extern struct { double c; } crranma4_;\n"), "bernlohr/iact.c:1"));
  EXPECT_TRUE(says(refusal_with("conex/conex.h", "      COMMON /CRRANMA4/ C\n"), "conex/conex.h"));
}

TEST(TreeScan, AnExtraCopyIsRefused) {
  sample::FunctionParts p;
  p.head = "      DOUBLE PRECISION FUNCTION MYRAN(IDUM)\n";
  p.name = "MYRAN";
  const auto message = refusal_with("src/corsika.F", sample::function(p));
  EXPECT_TRUE(says(message, "MYRAN")) << message;
  EXPECT_TRUE(says(refusal_with("epos/epos-extra.f", sample::rmmard()), "RMMARD"));
}

TEST(TreeScan, BystandersAreNot) {
  EXPECT_EQ(refusal_with("src/other.f", "C COMMON /CRRANMA4/\n      CALL RMMARD(X,1,1)\n      END\n"), "");
  EXPECT_EQ(
      refusal_with("src/corsika.F",
                   "      SUBROUTINE CONST\n#define __RANMA3INC__\n#include \"corsika.h\"\n      END\n"),
      "");
  EXPECT_EQ(refusal_with("src/corsikacompilefile.f", "      COMMON /CRRANMA4/C\n"), "");
  EXPECT_EQ(refusal_with("urqmd/numrec.f", "      RNMX = 1.\n      END\n"), "");
}

TEST(TreeScan, ReservedNamesAreRefused) {
  EXPECT_TRUE(
      says(refusal_with("src/corsika.F", "      SUBROUTINE X\n      RNMWIN = 1\n      END\n"), "RNMWIN"));
  EXPECT_TRUE(
      says(refusal_with("src/corsika.F", "      SUBROUTINE X\n      CALL RNMX(1)\n      END\n"), "RNMX"));
}
