#include "support/guarded_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "sleepers.hpp"
#include "support/folder_lock.hpp"
#include "support/process.hpp"

using namespace support;

TEST(GuardedProcess, AllDescendantsEndWhenWeAreKilled) {
  TemporaryFolder folder;
  const pid_t overlay = fork();
  if (overlay == 0) {
    run({.argv = {"sh", "-c", sleepers(folder)}});
    _exit(0);
  }
  ASSERT_TRUE(eventually([&] { return numbers_in(folder).size() == 3; }));
  for (const pid_t pid : numbers_in(folder)) EXPECT_TRUE(lives(pid));
  kill(overlay, SIGKILL);
  waitpid(overlay, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return none_lives(numbers_in(folder)); }));
}

TEST(GuardedProcess, ALockIsHeldUntilAllDescendantsHaveEnded) {
  TemporaryFolder folder, locked;
  const pid_t overlay = fork();
  if (overlay == 0) {
    FolderLock lock(locked.path());
    run({.argv = {"sh", "-c", sleepers(folder)}});
    _exit(0);
  }
  ASSERT_TRUE(eventually([&] { return numbers_in(folder).size() == 3; }));
  kill(overlay, SIGKILL);
  FolderLock lock(locked.path());
  EXPECT_TRUE(none_lives(numbers_in(folder)));
  waitpid(overlay, nullptr, 0);
}

TEST(GuardedProcess, WhatACommandLeavesBehindEndsWithIt) {
  TemporaryFolder folder;
  const auto list = folder.path() / "list";
  run({.argv = {"sh", "-c",
                "setsid sh -c 'echo $$ > " + list.string() + "; exec sleep 100' & while [ ! -s " +
                    list.string() + " ]; do sleep 0.05; done"}});
  ASSERT_EQ(numbers_in(folder).size(), 1u);
  EXPECT_TRUE(none_lives(numbers_in(folder)));
}

TEST(GuardedProcess, WhatIsLeftMayGoOnWhereItIsAsked) {
  TemporaryFolder folder;
  const auto list = (folder.path() / "list").string();
  const std::string script = "(echo $$; exec sleep 100) > /dev/null & echo $! > " + list + "; while [ ! -s " +
                             list + " ]; do sleep 0.05; done; exit 7";
  const char* const argv[] = {"sh", "-c", script.c_str(), nullptr};
  ChildStart start{};
  start.program = "/bin/sh";
  start.argv = const_cast<char* const*>(argv);
  start.envp = environ;
  start.leave_descendants_running = true;
  const GuardedChild started = start_guarded(start);
  ASSERT_GT(started.guard, 0);
  EXPECT_GT(started.child, 0);
  EXPECT_NE(started.child, started.guard);
  int status = 0;
  ASSERT_EQ(waitpid(started.guard, &status, 0), started.guard);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  ASSERT_EQ(numbers_in(folder).size(), 1u);
  EXPECT_FALSE(none_lives(numbers_in(folder)));
  kill(numbers_in(folder)[0], SIGKILL);
}
