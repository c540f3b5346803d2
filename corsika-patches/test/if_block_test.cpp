#include "corsika_patches/if_block.h"

#include <gtest/gtest.h>

using namespace corsika_patches;

namespace {

// The lines of the block around the first statement that begins with A=1; "none" where there is none.
std::string block(const std::string& body, const std::set<std::string>& on = {"__A__"}) {
  const FixedFormSource source(TextFile("      SUBROUTINE S\n" + body + "      END\n"));
  const auto found = if_block_around(source, find_units(source).at(0), "A=1", on);
  return found ? std::to_string(found->first) + " " + std::to_string(found->last) : "none";
}

const std::string kIf = "      IF ( X ) THEN\n", kEnd = "      ENDIF\n", kA = "      A = 1\n";

TEST(IfBlock, IsTheInnermostOne) {
  EXPECT_EQ(block(kIf + kA + kEnd), "1 3");
  EXPECT_EQ(block(kIf + kIf + kEnd + "      ELSEIF ( Y ) THEN\n" + kA + kIf + kEnd + kEnd), "1 8");
  EXPECT_EQ(block(kIf + "      IF ( Y\n     *  ) THEN\n" + kA + "      END IF\n" + kEnd), "2 5");
  EXPECT_EQ(block(kIf + "      IF ( Y ) B = 2\n" + kA + kEnd), "1 4");
  EXPECT_EQ(block(kIf + kEnd + kIf + kA + kEnd + kIf + kA + kEnd), "3 5");  // of the first such statement
}

TEST(IfBlock, IsOfOneBuild) {
  const std::string two = "#if __A__\n" + kIf + "#else\n" + kIf + kIf + "#endif\n" + kA + kEnd;
  EXPECT_EQ(block(two), "none") << "it begins and ends in different branches";
  EXPECT_EQ(block("#if __A__\n" + kIf + "#if __B__\n" + kIf + "#endif\n" + kA + kEnd + "#endif\n"), "2 7");
  EXPECT_EQ(block("#if !__A__\n" + kIf + kA + kEnd + "#endif\n" + kIf + kA + kEnd), "6 8");
  EXPECT_EQ(block("#if !__A__\n" + kIf + kA + kEnd + "#endif\n"), "none");
}

TEST(IfBlock, ThereIsNone) {
  EXPECT_EQ(block(kA), "none");
  EXPECT_EQ(block(kIf + kEnd + kA + kIf + kEnd), "none");
  EXPECT_EQ(block(kIf + "      B = 2\n" + kEnd), "none");
  EXPECT_EQ(block(kIf + kA), "none");
  EXPECT_EQ(block(kIf + kA + "  10  ENDIF\n"), "none") << "somebody may go there";
}

}  // namespace
