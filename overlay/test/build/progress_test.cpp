// What a user is told while builds are made.
#include "overlay/build/progress.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

TEST(BuildProgress, NamesTheStepOfEachBuildAndTheSourceThatIsCompiled) {
  support::TemporaryFolder folder;
  const auto now = [&] { return progress_of(folder.path(), {"stock", "patched"}); };
  EXPECT_EQ(now(), "");
  folder.write("stock/step.txt", "make\n");
  EXPECT_EQ(now(), "stock: compiling");
  folder.write("stock/make.log",
               std::string(9000, 'x') + "\ngcc -c -o a.o ../iact.c\ngfortran -c qgsjet01.f -o q.o\n");
  folder.write("patched/step.txt", "configure\n");
  EXPECT_EQ(now(), "stock: compiling qgsjet01.f; patched: configuring");
}

}  // namespace
}  // namespace overlay
