#include "support/folder_lock.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>

#include "folder_test.hpp"

using namespace support;
using namespace std::chrono_literals;

namespace {

using LockedFolder = FolderTest;

/// A process that holds the lock until it is killed.
pid_t holder_of(const fs::path& folder) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t pid = fork();
  if (pid == 0) {
    FolderLock lock(folder);
    if (write(ends[1], "x", 1) == 1) pause();
    _exit(0);
  }
  char c = 0;
  EXPECT_EQ(read(ends[0], &c, 1), 1);
  close(ends[0]);
  close(ends[1]);
  return pid;
}

}  // namespace

TEST_F(LockedFolder, WaitsAndSaysForWhomAndIsFreeAfterAKill) {
  const pid_t holder = holder_of(folder.path());
  std::string who;
  std::thread killer([&] {
    std::this_thread::sleep_for(400ms);
    kill(holder, SIGKILL);
    waitpid(holder, nullptr, 0);
  });
  const auto start = std::chrono::steady_clock::now();
  {
    FolderLock lock(folder.path(), [&](const std::string& text) { who = text; });
    EXPECT_GT(std::chrono::steady_clock::now() - start, 300ms);
  }
  killer.join();
  EXPECT_NE(who.find("process " + std::to_string(holder) + " on "), std::string::npos) << who;
  EXPECT_TRUE(fs::is_empty(folder.path())) << "the lock's file is left";
}

TEST_F(LockedFolder, AFolderThatItsHolderRemovesIsMadeAgain) {
  const auto shared = folder.path() / "shared";
  fs::create_directory(shared);
  auto first = std::make_unique<FolderLock>(shared);
  std::thread remover;
  {
    FolderLock second(shared, [&](const std::string&) {
      remover = std::thread([&] {
        first.reset();
        fs::remove(shared);
      });
    });
    EXPECT_TRUE(fs::exists(shared / ".overlay-lock"));
  }
  remover.join();
}

TEST_F(LockedFolder, OneAtATime) {
  // Processes add to a number in a file, with a pause between reading and writing.
  folder.write("count", "0");
  constexpr int kProcesses = 4, kTimes = 10;
  for (int p = 0; p < kProcesses; ++p)
    if (fork() == 0) {
      for (int i = 0; i < kTimes; ++i) {
        FolderLock lock(folder.path());
        const int count = std::stoi(folder.read("count"));
        std::this_thread::sleep_for(1ms);
        folder.write("count", std::to_string(count + 1));
      }
      _exit(0);
    }
  for (int p = 0; p < kProcesses; ++p) wait(nullptr);
  EXPECT_EQ(folder.read("count"), std::to_string(kProcesses * kTimes));
}

TEST_F(LockedFolder, ALinkIsNotFollowed) {
  const TemporaryFolder outside;
  fs::create_symlink(outside.path() / "target", folder.path() / ".overlay-lock");
  EXPECT_ERROR("cannot write", FolderLock lock(folder.path()));
  EXPECT_FALSE(fs::exists(outside.path() / "target"));
}
