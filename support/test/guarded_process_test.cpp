#include "../src/guarded_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "support/folder_lock.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

using namespace support;
using namespace std::chrono_literals;

namespace {

bool lives(pid_t pid) {
  if (kill(pid, 0) != 0) return false;
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  return stat.compare(stat.rfind(')') + 2, 1, "Z") != 0;
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

/// A command that puts the numbers of three sleeping processes into `list`: one in the command's group, one
/// in a session of its own, and one whose parent has ended.
std::string sleepers(const TemporaryFolder& folder) {
  const auto sleeper =
      folder
          .write("sleeper",
                 "#!/bin/sh\necho $$ >> " + (folder.path() / "list").string() + "\nexec sleep 100\n", true)
          .string();
  return sleeper + " & setsid " + sleeper + " & sh -c 'setsid " + sleeper + " &'; wait";
}

std::vector<pid_t> numbers_in(const TemporaryFolder& folder) {
  std::vector<pid_t> result;
  std::istringstream words(folder.read("list"));
  for (pid_t pid = 0; words >> pid;) result.push_back(pid);
  return result;
}

bool none_lives(const std::vector<pid_t>& pids) {
  for (const pid_t pid : pids)
    if (lives(pid)) return false;
  return true;
}

}  // namespace

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
