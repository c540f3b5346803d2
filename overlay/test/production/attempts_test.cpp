// Marks of workers at work, attempts that failed, and when a run is poisoned.
#include "overlay/production/attempts.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stepped_clock.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

class Attempts : public ::testing::Test {
 protected:
  void fail(const std::string& outcome, long shower) {
    RunningAttempt mark(production.path(), 101);
    Attempt attempt;
    attempt.outcome = outcome;
    attempt.shower = shower;
    attempt.exit = 75;
    attempt.reason = "for a test";
    mark.failed(attempt);
  }
  support::TemporaryFolder production;
};

TEST_F(Attempts, AMarkIsThereWhileAWorkerIsAtWork) {
  {
    const RunningAttempt mark(production.path(), 101);
    const auto running = attempts_at(production.path(), 101);
    ASSERT_EQ(running.size(), 1U);
    EXPECT_EQ(running[0].outcome, "running");
    EXPECT_EQ(running[0].host, host_name());
    note_vanished(production.path(), 101);
    EXPECT_EQ(attempts_at(production.path(), 101).at(0).outcome, "running");
  }
  EXPECT_TRUE(attempts_at(production.path(), 101).empty());
  EXPECT_FALSE(std::filesystem::exists(production.path() / "attempts/000101"));
}

TEST_F(Attempts, AWorkerGivesSignsOfLifeThoughItsClockWasSetBack) {
  RunningAttempt mark(production.path(), 101);
  const auto sign = mark.folder() / "started.json";
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(5);
  std::filesystem::last_write_time(sign, long_ago);
  mark.beat();
  ASSERT_EQ(std::filesystem::last_write_time(sign), long_ago) << "one sign a minute";
  const SteppedClock clock(-7200);
  mark.beat();
  EXPECT_GT(std::filesystem::last_write_time(sign), long_ago);
}

TEST_F(Attempts, ADamagedFileKeepsNoOtherFromBeingRead) {
  fail("crash", 7);
  for (const char* text : {R"({"exit": "75"})", R"({"id": 7})", R"({"exit": 1e300, "shower": -1e19})",
                           R"({"exit": 5000000000, "process": 1e300, "machine": 3})",
                           R"({"namespace": -5, "host": null})", "[]", "{"}) {
    production.write("attempts/000101/damaged.json", text);
    production.write("attempts/000101/running/started.json", text);
    const auto attempts = attempts_at(production.path(), 101);
    ASSERT_EQ(attempts.size(), 3U) << text;
    EXPECT_EQ(attempts[0].exit, 0) << text;
    EXPECT_EQ(attempts[1].shower, 7) << text;
    note_vanished(production.path(), 101);
    EXPECT_EQ(attempts_at(production.path(), 101).at(2).outcome, "running") << text;
  }
}

TEST_F(Attempts, AKilledWorkersMarkBecomesAnAttempt) {
  const pid_t child = fork();
  if (child == 0) {
    const RunningAttempt mark(production.path(), 101);
    _exit(0);  // no destructor, as with kill -9
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(attempts_at(production.path(), 101).at(0).outcome, "running");
  note_vanished(production.path(), 101);
  const auto attempts = attempts_at(production.path(), 101);
  ASSERT_EQ(attempts.size(), 1U);
  EXPECT_EQ(attempts[0].outcome, "vanished");
  EXPECT_FALSE(poisoned(production.path(), 101));
}

TEST_F(Attempts, AZombiesMarkBecomesAnAttempt) {
  const pid_t child = fork();
  if (child == 0) {
    const RunningAttempt mark(production.path(), 101);
    _exit(0);
  }
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);  // its status is not taken
  note_vanished(production.path(), 101);
  EXPECT_EQ(attempts_at(production.path(), 101).at(0).outcome, "vanished");
  int status = 0;
  waitpid(child, &status, 0);
}

TEST_F(Attempts, TwoCrashesAtOneShowerPoisonARun) {
  fail("crash", 7);
  fail("crash", 8);
  fail("killed", 7);
  fail("disk-full", 7);
  EXPECT_FALSE(poisoned(production.path(), 101));
  fail("incomplete", 7);
  const auto why = poisoned(production.path(), 101);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("run 101 stopped at shower 7"), std::string::npos) << *why;
  EXPECT_EQ(attempts_at(production.path(), 101).size(), 5U);
  EXPECT_FALSE(poisoned(production.path(), 102));
}

}  // namespace
}  // namespace overlay
