#include "overlay/build/source.hpp"

#include <gtest/gtest.h>

#include "overlay/build/steps.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"
#include "error_of.hpp"

using namespace overlay;

TEST(Source, ReleaseOfATree) {
  EXPECT_EQ(release_of(FAKE_TREE), "7.7990");
  support::TemporaryFolder folder;
  EXPECT_NE(error_of([&] { release_of(folder.path()); }).find("no CORSIKA 7 tree"), std::string::npos);
  copy_tree(FAKE_TREE, folder.path() / "tree");
  for (const char* digits : {"69900", "73500", "79000"}) {
    folder.write("tree/configure", std::string("PACKAGE_VERSION='") + digits + "'\n");
    EXPECT_NE(error_of([&] { release_of(folder.path() / "tree"); }).find("outside 7.4 to 7.8"),
              std::string::npos)
        << digits;
  }
  folder.write("tree/configure", "PACKAGE_VERSION='74005'\n");
  EXPECT_EQ(release_of(folder.path() / "tree"), "7.4005");
}

TEST(Source, ArchiveIsUnpackedOnceAndItsChecksumKept) {
  support::TemporaryFolder folder;
  copy_tree(FAKE_TREE, folder.path() / "corsika-77990");
  const auto archive = folder.path() / "corsika-77990.tar.gz";
  ASSERT_EQ(
      support::run({.argv = {"tar", "-czf", archive.string(), "-C", folder.path().string(), "corsika-77990"}})
          .status,
      0);
  SourceRequest request{archive.string(), folder.path() / "out", "", std::nullopt};
  const auto first = obtain_source(request);
  EXPECT_EQ(first.version, "7.7990");
  EXPECT_EQ(first.notes.size(), 1u);
  const auto time = std::filesystem::last_write_time(first.folder);
  const auto second = obtain_source(request);
  EXPECT_EQ(second.folder, first.folder);
  EXPECT_TRUE(second.notes.empty());
  EXPECT_EQ(std::filesystem::last_write_time(second.folder), time);
  EXPECT_FALSE(std::filesystem::exists(request.out / ".tmp"));
  request.sha256 = std::string(64, '0');
  EXPECT_NE(error_of([&] { obtain_source(request); }).find("wrong checksum"), std::string::npos);
}

TEST(Source, TimesOfGeneratedFilesAreInOrder) {
  support::TemporaryFolder folder;
  for (const char* name : {"configure", "aclocal.m4", "Makefile.in", "Makefile.am", "configure.ac"})
    folder.write(std::string("t/") + name, "");
  copy_tree(folder.path() / "t", folder.path() / "u");
  auto time = [&](const char* name) { return std::filesystem::last_write_time(folder.path() / "u" / name); };
  EXPECT_LT(time("configure.ac"), time("aclocal.m4"));
  EXPECT_LT(time("aclocal.m4"), time("Makefile.in"));
  EXPECT_LT(time("Makefile.in"), time("configure"));
}
