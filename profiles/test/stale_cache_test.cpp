#include "profiles/stale_cache.hpp"

#include <gtest/gtest.h>

#include "temporary_folder.hpp"

using namespace profiles;
namespace fs = std::filesystem;

namespace {

const char* const kBefore = "# comment\nCMAKE_GENERATOR:INTERNAL=Ninja\nCMAKE_HOME_DIRECTORY:INTERNAL=";

}  // namespace

TEST(StaleCache, OfAnotherSourceFolderIsDeleted) {
  TemporaryFolder folder;
  folder.write("CMakeCache.txt", kBefore + std::string("/elsewhere/superbuild\nOTHER:INTERNAL=1\n"));
  folder.write("CMakeFiles/rules.ninja", "rules");
  folder.write("patched/stamp", "kept");
  EXPECT_EQ(forget_other_source(folder.path(), "/here/superbuild"), "/elsewhere/superbuild");
  EXPECT_FALSE(fs::exists(folder.path() / "CMakeCache.txt"));
  EXPECT_FALSE(fs::exists(folder.path() / "CMakeFiles"));
  EXPECT_TRUE(fs::exists(folder.path() / "patched/stamp"));
}

TEST(StaleCache, OfTheSameFolderIsKept) {
  TemporaryFolder folder, source;
  folder.write("CMakeCache.txt", kBefore + source.path().string() + "\n");
  fs::create_directory_symlink(source.path(), folder.path() / "link");
  EXPECT_EQ(forget_other_source(folder.path(), source.path()), "");
  EXPECT_EQ(forget_other_source(folder.path(), folder.path() / "link"), "") << "the same by another name";
  EXPECT_TRUE(fs::exists(folder.path() / "CMakeCache.txt"));
}

TEST(StaleCache, NoCacheIsNothingToDelete) {
  TemporaryFolder folder;
  EXPECT_EQ(forget_other_source(folder.path(), "/here"), "");
  EXPECT_EQ(forget_other_source(folder.path() / "none", "/here"), "");
}
