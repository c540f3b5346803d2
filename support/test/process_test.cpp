#include "support/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>

#include "sleepers.hpp"
#include "support/folder_lock.hpp"
#include "support/guarded_process.hpp"

using namespace support;
using namespace std::chrono_literals;

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

struct GuardedProcess : FolderTest {
  const std::string list = (folder.path() / "list").string();
  /// What a shell does until there is a number in the list.
  const std::string until_listed = "while [ ! -s " + list + " ]; do sleep 0.05; done; ";
};

TEST(Process, StatusOutputInputEnvironment) {
  const auto result = run({.argv = {"sh", "-c", "read x; echo \"$x $GREETING\"; echo oops >&2; exit 3"},
                           .environment = {{"GREETING", "world"}},
                           .input = "hello\n"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "hello world\noops\n");
  EXPECT_EQ(run({.argv = {"no-such-program"}}).status, 127);
  EXPECT_EQ(run({.argv = {"sh", "-c", "kill -9 $$"}}).status, 128 + 9);
}

TEST(Process, ClosedStandardDescriptorsAreOpenedBeforePipesGetTheirNumbers) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a pipe end that stays open keeps cat waiting
    for (int fd = 0; fd <= 2; ++fd) close(fd);
    open_standard_descriptors();
    const bool ran = run({.argv = {"cat"}, .input = "all of it"}).output == "all of it";
    const int next = open("/dev/null", O_RDONLY);
    _exit(!ran ? 1 : next <= 2 ? 2 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Process, LargeInputAndOutputAtOnce) {
  // Far more than pipes hold, to a program that writes while it reads.
  std::string input;
  for (int i = 0; i < 400000; ++i) input += "line " + std::to_string(i) + "\n";
  const auto result = run({.argv = {"cat"}, .input = input, .timeout = 20s});
  EXPECT_FALSE(result.timed_out);
  EXPECT_TRUE(result.output == input) << result.output.size() << " of " << input.size();
}

TEST(Process, ToolsReadAFileAndTheirErrorsAreDropped) {
  TemporaryFolder folder;
  EXPECT_EQ(run_tool({"cat"}, folder.write("in", "from a file")).output, "from a file");
  EXPECT_ERROR("cannot read", run_tool({"cat"}, folder.path() / "none"));
  EXPECT_EQ(run_tool({"sh", "-c", "echo kept; echo dropped >&2"}).output, "kept\n");
  EXPECT_EQ(run_tool({"no-such-program"}).status, 127);
  EXPECT_EQ(run_tool({"no-such-program"}).output, "");
}

TEST(Process, ToolsSpeakTheCLocale) {
  // objdump, ls and others translate what they print; LC_ALL is stronger than LANG and LC_MESSAGES.
  setenv("LC_ALL", "fr_FR.UTF-8", 1);
  Command command{{"sh", "-c", "echo $LC_ALL"}};
  EXPECT_EQ(run(command).output, "C\n");
  command.environment["LC_ALL"] = "de_DE.UTF-8";
  EXPECT_EQ(run(command).output, "de_DE.UTF-8\n");
  unsetenv("LC_ALL");
}

TEST(Process, TimeLimitEndsAProgramThatIgnoresSignals) {
  const Command command{.argv = {"sh", "-c", "trap '' TERM INT HUP; while :; do sleep 1; done"},
                        .timeout = 300ms};
  EXPECT_LT(seconds_of([&] { EXPECT_TRUE(run(command).timed_out); }), 20);
}

TEST(Process, TellsThatAProgramStillRuns) {
  int told = 0;
  run({.argv = {"sleep", "0.7"}, .meanwhile = [&told] { ++told; }});
  EXPECT_GE(told, 1);
}

TEST_F(GuardedProcess, AllDescendantsEndWhenWeAreKilledAndUntilThenALockIsHeld) {
  const TemporaryFolder locked;
  const pid_t overlay = fork();
  if (overlay == 0) {
    FolderLock lock(locked.path());
    run({.argv = {"sh", "-c", sleepers(folder)}});
    _exit(0);
  }
  ASSERT_TRUE(eventually([&] { return numbers_in(folder).size() == 3; }));
  for (const pid_t pid : numbers_in(folder)) EXPECT_TRUE(lives(pid));
  kill(overlay, SIGKILL);
  FolderLock lock(locked.path());
  EXPECT_TRUE(none_lives(numbers_in(folder)));
  waitpid(overlay, nullptr, 0);
}

TEST_F(GuardedProcess, WhatACommandLeavesBehindEndsWithItAndDoesNotKeepIt) {
  const std::string script =
      "setsid sh -c 'echo $$ > " + list + "; exec sleep 100' & " + until_listed + "echo done";
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(run({.argv = {"sh", "-c", script}}).output, "done\n"); }), 20);
  ASSERT_EQ(numbers_in(folder).size(), 1u);
  EXPECT_TRUE(none_lives(numbers_in(folder)));
}

TEST_F(GuardedProcess, WhatIsLeftMayGoOnWhereItIsAsked) {
  const std::string script =
      "(echo $$; exec sleep 100) > /dev/null & echo $! > " + list + "; " + until_listed + "exit 7";
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
