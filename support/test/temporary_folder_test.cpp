#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

using namespace support;
namespace fs = std::filesystem;

TEST(TemporaryFolder, HasANameOfItsOwnAndGoes) {
  fs::path first;
  {
    TemporaryFolder a, b;
    first = a.path();
    EXPECT_NE(a.path(), b.path());
    EXPECT_EQ(fs::status(a.path()).permissions(), fs::perms::owner_all);
    a.write("x/y", "text");
    EXPECT_EQ(a.read("x/y"), "text");
  }
  EXPECT_FALSE(fs::exists(first));
}

TEST(TemporaryFolder, GoesWithReadOnlyFoldersAndNotWithWhatLinksPointTo) {
  TemporaryFolder outside;
  const auto kept = outside.write("kept", "x");
  fs::path place;
  {
    TemporaryFolder inside(outside.path(), ".part");
    place = inside.path();
    EXPECT_EQ(place.parent_path(), outside.path());
    inside.write("locked/file", "x");
    fs::create_directory_symlink(outside.path(), inside.path() / "locked" / "link");
    fs::permissions(inside.path() / "locked", fs::perms::owner_read | fs::perms::owner_exec);
    // The superuser may write there all the same.
  }
  EXPECT_FALSE(fs::exists(place));
  EXPECT_TRUE(fs::exists(kept));
}
