#include "corsika_patches/unified_diff.h"

#include <gtest/gtest.h>

#include "sample_tree.h"
#include "support/temporary_folder.hpp"

using namespace corsika_patches;

TEST(UnifiedDiff, PatchTurnsOneIntoTheOther) {
  std::string a;
  for (int i = 0; i < 200; ++i) a += "line " + std::to_string(i % 7) + "\n";
  const sample::Swaps cases = {{a, "top\n" + a},
                               {a, a + "end\n"},
                               {a, a.substr(0, 300) + "mid\nmid\n" + a.substr(300)},
                               {a, a + "no line end"},
                               {a + "no line end", a + "no line end\nmore"},
                               {a, a.substr(70)},
                               {"x\n", "y\n"}};
  for (const auto& [before, after] : cases) {
    const support::TemporaryFolder folder{"corsika-patches-test"};
    sample::write(folder.path() / "f", before);
    sample::write(folder.path() / "diff", unified_diff(before, after, "f"));
    const auto run = sample::run("cd " + folder.path().string() + " && patch -s -p1 < diff");
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    EXPECT_EQ(sample::read(folder.path() / "f"), after);
  }
  EXPECT_EQ(unified_diff(a, a, "f"), "");
}
