#include "overlay/build/source.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error_of.hpp"
#include "overlay/build/tree_copy.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

using namespace overlay;

TEST(Source, ReleaseOfATree) {
  EXPECT_EQ(release_of(FAKE_TREE), "7.7990");
  support::TemporaryFolder folder;
  EXPECT_NE(error_of([&] { release_of(folder.path()); }).find("no CORSIKA 7 tree"), std::string::npos);
}

TEST(Source, ReleaseOfACheckoutWithoutConfigure) {
  support::TemporaryFolder folder;
  folder.write("tree/coconut", "#!/usr/bin/perl\n");
  folder.write("tree/src/corsika.F", "#define __DATE__ x\n#define __CVERSION__ 7.8050\n");
  const auto tree = folder.path() / "tree";
  EXPECT_NE(error_of([&] { release_of(tree); }).find("no CORSIKA 7 tree: it has no configure"),
            std::string::npos);
  for (const char* line :
       {"AC_INIT(corsika,78010)", "AC_INIT([corsika], [78010], [x@y.z])", "AC_INIT(corsika, 7.8010 )"}) {
    folder.write("tree/configure.ac", std::string("# top\n") + line + "\nAC_OUTPUT\n");
    EXPECT_EQ(release_of(tree), "7.8010") << line;
  }
  folder.write("tree/configure.ac", "AC_INIT([corsika], m4_esyscmd([git describe]))\n");
  EXPECT_EQ(release_of(tree), "7.8050") << "by the source itself";
  folder.write("tree/configure", "PACKAGE_VERSION='v7-8-0'\n");
  EXPECT_EQ(release_of(tree), "7.8050");
  folder.write("tree/src/corsika.F", "      PROGRAM MAIN\n");
  EXPECT_NE(error_of([&] { release_of(tree); }).find("its configure says 'v7-8-0'"), std::string::npos);
}

TEST(Source, AFolderThatWasBuiltInHasTheChecksumOfItsSources) {
  support::TemporaryFolder folder;
  copy_sources(FAKE_TREE, folder.path() / "tree");
  const SourceRequest request{(folder.path() / "tree").string(), folder.path() / "out", "", std::nullopt};
  const auto before = obtain_source(request).id;
  folder.write("tree/include/config.h", "#define __IACT__ 1\n");
  folder.write("tree/src/corsika.o", "an object");
  folder.write("tree/.git/index", "what a `git status` changes");
  EXPECT_EQ(obtain_source(request).id, before);
  folder.write("tree/src/corsika.F", "      PROGRAM OTHER\n");
  EXPECT_NE(obtain_source(request).id, before);
}

TEST(Source, TwoProcessesAndOneThatWasKilledUnpackOneArchive) {
  support::TemporaryFolder folder;
  copy_sources(FAKE_TREE, folder.path() / "corsika-77990");
  const auto archive = folder.path() / "corsika-77990.tar.gz";
  support::run({.argv = {"tar", "-czf", archive.string(), "-C", folder.path().string(), "corsika-77990"}});
  const SourceRequest request{archive.string(), folder.path() / "out", "", std::nullopt};
  folder.write("out/source/.unfinished-abcdef/tree/configure", "left by one that was killed");
  folder.write("out/source/mine", "a user's own");
  constexpr int kProcesses = 4;
  for (int i = 0; i < kProcesses; ++i)
    if (fork() == 0) {
      try {
        _exit(release_of(obtain_source(request).folder) == "7.7990" ? 0 : 1);
      } catch (...) {
        _exit(2);
      }
    }
  for (int i = 0; i < kProcesses; ++i) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  const auto entries = std::filesystem::directory_iterator(request.out / "source");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2) << "the tree, and the user's own file";
  EXPECT_EQ(folder.read("out/source/mine"), "a user's own");
  const auto list = folder.read("out/known-releases.toml");
  EXPECT_EQ(list.find("[[release]]"), list.rfind("[[release]]")) << "recorded once:\n" << list;
}

TEST(Source, AnEmptyFolderOfTheUsersStays) {
  support::TemporaryFolder folder;
  const auto archive = folder.write("corsika-77990.tar.gz", "not an archive");
  const auto out = folder.path() / "out";
  std::filesystem::create_directory(out);
  EXPECT_NE(error_of([&] {
              obtain_source({archive.string(), out, "", std::nullopt});
            }).find("not a whole"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(out));
}
