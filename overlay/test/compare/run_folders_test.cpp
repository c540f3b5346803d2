// Run folders of comparisons: what is deleted, what two of them at once do.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error_of.hpp"
#include "overlay/compare/compare.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

class RunFoldersTest : public ::testing::Test {
 protected:
  RunFoldersTest() {
    set.profile.name = "test";
    set.card = "NSHOW 1\nDIRECT ./\n";
    set.out = folder.path() / "out";
    program("cat > DAT000001\n");
  }
  void program(const std::string& script) {
    set.programs["stock"] = folder.write("program", "#!/bin/sh\necho ' END OF RUN'\n" + script, true);
  }
  RunResult run(auto&& runs, const std::string& what = "1") const {
    return runs.run("stock", what, set.card);
  }

  support::TemporaryFolder folder;
  BuildSet set;
  CompareOptions options;
};

TEST_F(RunFoldersTest, TheNextComparisonDeletesWhatTheLastOneMadeAndWhatTheUserPutThereStays) {
  {
    RunFolders runs(set, options);
    for (const char* what : {"1", "2"}) run(runs, what);
  }
  EXPECT_TRUE(fs::exists(set.out / "runs/test/stock-2/run/DAT000001")) << "what a comparison made stays";
  for (const char* mine : {"notes.txt", "stock-7/run/DAT000001"})
    folder.write(std::string("out/runs/test/") + mine, "mine");
  RunFolders runs(set, options);
  run(runs);
  EXPECT_FALSE(fs::exists(set.out / "runs/test/stock-2"));
  EXPECT_ERROR("no comparison made it", run(runs, "7"));
  for (const char* mine : {"notes.txt", "stock-7/run/DAT000001"})
    EXPECT_EQ(folder.read(std::string("out/runs/test/") + mine), "mine");
}

TEST_F(RunFoldersTest, RunsThatStocksTablesMakeNecessaryAreCounted) {
  set.programs["patched"] = set.programs["stock"];
  RunFolders runs(set, options, 3);
  testing::internal::CaptureStderr();
  for (const char* build : {"stock", "patched"}) runs.run(build, "first", set.card);
  const std::string said = testing::internal::GetCapturedStderr();
  for (const char* count : {"run 1/3 stock", "run 2/4 patched"}) EXPECT_PRED2(holds, said, count);
}

TEST_F(RunFoldersTest, ProcessesAtOnceWaitForEachOther) {
  program("sleep 0.2; echo $PWD > DAT000001\n");
  for (int number = 0; number < 4; ++number) {
    if (fork() != 0) continue;
    int status = 1;
    try {
      RunFolders runs(set, options);
      const RunResult made = run(runs);
      status = folder.read("out/runs/test/stock-1/run/DAT000001") == made.folder.string() + "\n" ? 0 : 2;
    } catch (...) {
    }
    _exit(status);
  }
  for (int status = 0; wait(&status) > 0;) EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(RunFoldersTest, ACardThatWritesElsewhereIsRefusedBeforeAnyRun) {
  set.card = "NSHOW 1\nDIRECT " + folder.path().string() + "/data/\n";
  EXPECT_ERROR("the card writes outside of the run folder (DIRECT", RunFolders(set, options));
  EXPECT_FALSE(fs::exists(set.out));
}

// It was forgotten: the comparison after that took it for somebody else's.
TEST_F(RunFoldersTest, WhatCannotBeDeletedStaysListed) {
  { run(RunFolders(set, options)); }
  const fs::path stays = set.out / "runs/test/stock-1";
  if (mount("tmpfs", stays.c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "SKIPPED: a tmpfs cannot be mounted here";
  const std::string error = error_of([&] { run(RunFolders(set, options)); });
  umount(stays.c_str());
  EXPECT_EQ(error.find("cannot delete " + stays.string()), 0U) << error;
  EXPECT_EQ(error_of([&] { run(RunFolders(set, options)); }), "");
}

}  // namespace
}  // namespace overlay
