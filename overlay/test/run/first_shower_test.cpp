// The start-up time of real processes: shells that write the line of the first shower when we say.
#include "overlay/run/first_shower.hpp"

#include <gtest/gtest.h>

#include "shell_run.hpp"

namespace overlay {
namespace {

class FirstShowerLine : public ::testing::Test {
 protected:
  RunResult run(const std::string& script, std::vector<std::string> marks = first_shower_marks()) {
    RunSpec spec = shell_run(folder, "/bin/bash", script);
    spec.first_shower = std::move(marks);
    return run_program(spec);
  }
  static constexpr const char* kLine = "echo ' AND RANDOM NUMBER GENERATOR AT BEGIN OF EVENT :       1'\n";
  static constexpr const char* kWork = "for ((i = 0; i < 60000; ++i)); do :; done\n";
  support::TemporaryFolder folder;
};

TEST_F(FirstShowerLine, StartupIsWhatComesBeforeIt) {
  const RunResult late = run(std::string(kWork) + kWork + kWork + kLine + kWork);
  ASSERT_TRUE(late.startup);
  EXPECT_GT(late.startup->cpu_s, 0.5 * late.cpu_s());
  EXPECT_LT(late.startup->cpu_s, 0.95 * late.cpu_s());
  EXPECT_LE(late.startup->cpu_s, late.startup->wall_s + 0.02);
  EXPECT_LT(late.startup->wall_s, late.wall_s);

  const RunResult early = run(std::string(kLine) + kWork + kWork + kWork);
  ASSERT_TRUE(early.startup);
  EXPECT_LT(early.startup->cpu_s, 0.3 * early.cpu_s());
}

TEST_F(FirstShowerLine, SleepIsNoCpuTime) {
  const RunResult result = run(std::string("sleep 0.4\n") + kLine + "sleep 0.1\n");
  ASSERT_TRUE(result.startup);
  EXPECT_GT(result.startup->wall_s, 0.35);
  EXPECT_LT(result.startup->cpu_s, 0.2);
}

TEST_F(FirstShowerLine, TheFirstOfThemCounts) {
  const RunResult result = run(std::string(kLine) + kWork + kWork + kWork + kLine + "sleep 0.05\n");
  ASSERT_TRUE(result.startup);
  EXPECT_LT(result.startup->cpu_s, 0.3 * result.cpu_s());
}

TEST_F(FirstShowerLine, HalfALineIsNotYetIt) {
  const RunResult result =
      run(std::string("printf ' GENERATOR AT THE START'\nsleep 0.3\necho ' OF THE EVENT'\nsleep 0.05\n"));
  ASSERT_TRUE(result.startup);
  EXPECT_GT(result.startup->wall_s, 0.25);
}

TEST_F(FirstShowerLine, NothingWhereTheLogNeverSaysSoOrNobodyAsks) {
  EXPECT_FALSE(run("echo GENERATOR AT THE END OF THE EVENT\nsleep 0.05\n").startup);
  EXPECT_FALSE(run(std::string(kLine) + "sleep 0.05\n", {}).startup);
}

}  // namespace
}  // namespace overlay
