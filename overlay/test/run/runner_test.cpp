// One run of a program: its card, log, environment, limits and failures.
#include "overlay/run/runner.hpp"

#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "overlay/card/card.hpp"
#include "overlay/identity/output_files.hpp"
#include "sleepers.hpp"

namespace overlay {
namespace {

/// Shell scripts in the place of a program.
class Runner : public FolderTest {
 protected:
  /// The run, below `folder`: run/card (a card with EXIT), program, err. A script that comes to its end says
  /// so, unless `end` is another.
  RunSpec spec(const std::string& script, const std::string& end = "echo END OF RUN\n") {
    folder.write("run/card", "EXIT\n");
    RunSpec run;
    run.label = "stock";
    run.executable = folder.write("program", "#!/bin/bash\n" + script + end, true);
    run.folder = folder.path() / "run";
    run.errors = folder.path() / "err";
    return run;
  }
  std::string error_of(const RunSpec& run) {
    return ::error_of([&] { run_program(run); });
  }
};

TEST_F(Runner, ReadsTheCardWritesTheLogAndCountsCpuTimeOfChildrenToo) {
  const RunResult result = run_program(spec(
      "read word; echo got $word; echo oops >&2; (i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done)\n"));
  EXPECT_EQ(folder.read("run/log"), "got EXIT\nEND OF RUN\n");
  EXPECT_EQ(folder.read("err"), "oops\n");
  EXPECT_GT(result.cpu_s(), 0.01);
  EXPECT_GE(result.wall_s, 0);
  EXPECT_GT(result.peak_rss_kib, 0);
  EXPECT_GT(result.dates.second, result.dates.first - 1);
}

TEST_F(Runner, ALimitBeyondWhatTheClockHoldsIsNoLimit) {
  for (const double limit : {1e10, 1e300, HUGE_VAL}) {
    RunSpec run = spec("sleep 0.1; echo done\n");
    run.timeout_s = limit;
    EXPECT_EQ(error_of(run), "") << limit;
    EXPECT_EQ(folder.read("run/log"), "done\nEND OF RUN\n") << limit;
  }
}

TEST_F(Runner, EnvironmentIsOursLessWhatWouldDisturb) {
  const std::map<std::string, std::string> ours{
      {"RANMAR_BACKEND", "cuda"}, {"CHERENKOV_BACKEND", "gpu"}, {"RANMAR_DEVICE", "3"}};
  for (const auto& [name, value] : ours) setenv(name.c_str(), value.c_str(), 1);
  RunSpec run = spec("echo [$RANMAR_BACKEND$CHERENKOV_BACKEND] $RANMAR_DEVICE $RANMAR_SUMMARY\n");
  run.environment = {{"RANMAR_SUMMARY", "1"}};
  run_program(run);
  for (const auto& [name, value] : ours) unsetenv(name.c_str());
  EXPECT_EQ(folder.read("run/log"), "[] 3 1\nEND OF RUN\n");
}

TEST_F(Runner, AFullDiskIsNamed) {
  for (const char* script : {"cat > /dev/full || exit 1\n", "cat > /dev/full; exit 0\n",
                             "echo 'Fortran runtime error: No space left on device' >&2; exit 2\n"}) {
    EXPECT_PRED2(holds, error_of(spec(script)), "the disk is full: the stock run ");
    EXPECT_PRED2(holds, error_of(spec(script)), (folder.path() / "run").string());
  }
}

// Whatever group or session they are in.
TEST_F(Runner, AllThatARunStartedEndsWithItsTimeLimit) {
  RunSpec run = spec("echo begun\n" + support::sleepers(folder) + "\n");
  run.timeout_s = 1.5;
  const std::string error = error_of(run);
  EXPECT_PRED2(holds, error, "did not end within");
  EXPECT_PRED2(holds, error, "its log ends: begun");
  ASSERT_EQ(support::numbers_in(folder).size(), 3U);
  EXPECT_TRUE(support::none_lives(support::numbers_in(folder)));
}

// The command behind `TELFIL |command` may read on when the program has ended.
TEST_F(Runner, WhatARunLeavesGoesOn) {
  const RunResult result = run_program(spec("(sleep 0.3; echo late > ../late) &\n"));
  EXPECT_LT(result.wall_s, 0.3);
  EXPECT_TRUE(support::eventually([&] { return fs::exists(folder.path() / "late"); }));
}

TEST_F(Runner, AnyBytesInACardALogAndAPathSurvive) {
  RunSpec run = spec("");
  folder.write("r\xe9sultats/card", "USER Jos\xe9\n");
  run.folder = folder.path() / "r\xe9sultats";
  run.executable = folder.write("copy", "#!/bin/sh\ncat; echo caf\351 END OF RUN\n", true);
  run_program(run);
  EXPECT_EQ(folder.read("r\xe9sultats/log").substr(0, 10), "USER Jos\xe9\n");
}

TEST_F(Runner, FailuresSayWhatHappened) {
  const std::string ours = "echo 'ranmar: no such backend' >&2; exit 3\n";
  for (const auto& [script, says] :
       {std::pair<std::string, const char*>{"echo last words; exit 3\n",
                                            "exit status 3; its log ends: last words"},
        {"kill -SEGV $$\n", "signal 11"},
        {"echo no table >&2; " + ours, "it said: no table ("},
        {ours, "it said: ranmar: no such backend"}})
    EXPECT_PRED2(holds, error_of(spec(script)), says);
  RunSpec missing = spec("");
  missing.executable = folder.path() / "nowhere";
  EXPECT_PRED2(holds, error_of(missing), "cannot execute");
}

/// Runs that end with status 0 and without END OF RUN in their logs.
TEST_F(Runner, ARunThatStopsWithStatus0Failed) {
  using Why = RunFailed::Why;
  const std::string begun = "echo ' GENERATOR AT BEGIN OF EVENT'\n";
  const std::tuple<std::string, Why, const char*> cases[] = {
      {"echo ' ANGLE TOO LARGE'; echo ' SEE KEYWORD: THETAP'\n", Why::card,
       "refused its card; CORSIKA says: ANGLE TOO LARGE SEE KEYWORD: THETAP"},
      {"echo ' DATAC : UNKNOWN KEYWORD: X'; echo '   1 SYNTAX ERROR(S) IN INPUT DATA CARDS.'\n", Why::card,
       "refused its card; CORSIKA says: DATAC : UNKNOWN KEYWORD: X"},
      {begun + "echo ' PARTICLE NOT DEFINED'\n", Why::stopped,
       "has no line END OF RUN in its log; CORSIKA says: PARTICLE NOT DEFINED"},
      {begun + "echo ' ENERGY TOO LOW'; echo ' SEE KEYWORD: ERANGE'\n", Why::card,
       "refused its card; CORSIKA says: ENERGY TOO LOW SEE KEYWORD: ERANGE"},
      {"echo cut\n", Why::stopped, "has no line END OF RUN in its log; its log ends: cut"}};
  RunSpec run;
  for (const auto& [script, why, message] : cases) {
    run = spec(script, "");
    try {
      run_program(run);
      ADD_FAILURE() << script;
    } catch (const RunFailed& failed) {
      EXPECT_EQ(failed.why, why) << failed.what();
      EXPECT_EQ(failed.label, "stock");
      EXPECT_EQ(failed.what(), fmt::format("the stock run {} (see {}/log)", message, run.folder.string()));
    }
  }
  EXPECT_EQ(error_of(spec("echo ' == END OF RUN =='\n", "")), "");
}

TEST_F(Runner, ACardIsCheckedUntilTheFirstShowerBeginsAndACheckCanEndARun) {
  const auto began = std::chrono::steady_clock::now();
  check_card(spec("echo ' GENERATOR AT BEGIN OF EVENT'\nsleep 60\n"));
  check_card(spec("exit 3\n"));  // says nothing of the card
  EXPECT_THROW(check_card(spec("echo ' ANGLE TOO LARGE'; echo ' SEE KEYWORD: THETAP'\n", "")), RunFailed);
  RunSpec run = spec("sleep 60\n");
  run.check = [] { throw support::Interrupted(); };
  EXPECT_THROW(run_program(run), support::Interrupted);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
}

class FirstShowerLine : public Runner {
 protected:
  RunResult run(const std::string& script) { return run_program(spec(script)); }
  static constexpr const char* kLine = "echo ' AND RANDOM NUMBER GENERATOR AT BEGIN OF EVENT :       1'\n";
  static constexpr const char* kWork = "for ((i = 0; i < 60000; ++i)); do :; done\n";
};

TEST_F(FirstShowerLine, StartupIsWhatComesBeforeIt) {
  const RunResult late = run(std::string(kWork) + kWork + kWork + kLine + kWork);
  ASSERT_TRUE(late.startup_cpu_s);
  EXPECT_GT(late.startup_cpu_s.value(), 0.5 * late.cpu_s());
  EXPECT_LT(late.startup_cpu_s.value(), 0.95 * late.cpu_s());

  const RunResult early = run(std::string(kLine) + kWork + kWork + kWork + kLine + "sleep 0.05\n");
  ASSERT_TRUE(early.startup_cpu_s);
  EXPECT_LT(early.startup_cpu_s.value(), 0.3 * early.cpu_s());
}

TEST_F(FirstShowerLine, NothingWhereTheLogNeverSaysSo) {
  EXPECT_FALSE(run("echo GENERATOR AT THE END OF THE EVENT\nsleep 0.05\n").startup_cpu_s);
}

// What a run leaves: lines of our libraries, counters of a log; the program in the place of a card's command,
// as a CORSIKA would start it, and the command behind it.

TEST(Summary, KeysAndValues) {
  const std::string text =
      "Note: x\nranmar: no card, going on\nranmar: backend=simd sequences=4 draws=123456\ncherenkov: steps=3 "
      "bunches=70\n";
  const auto said = part_said(text, "ranmar:", "draws");
  EXPECT_EQ(said.line, "ranmar: backend=simd sequences=4 draws=123456");
  EXPECT_EQ(said.others, std::vector<std::string>{"ranmar: no card, going on"});
  EXPECT_EQ(said.values.at("backend"), "simd");
  EXPECT_EQ(number_in(said.values, "draws"), 123456u);
  for (const char* none : {"backend", "waits"}) EXPECT_FALSE(number_in(said.values, none)) << none;
  EXPECT_EQ(number_in(part_said(text, "cherenkov:", "bunches").values, "bunches"), 70U);
}

using namespace std::chrono_literals;

class TelescopePipe : public FolderTest {
 protected:
  /// What CORSIKA does: starts what the card names by a shell in the run folder, writes, closes.
  void send(const std::string& card, const std::string& light) {
    folder.write("run/card", card);
    keep_telescope_data(run);
    const std::string changed = folder.read("run/card");
    ASSERT_NE(changed, card);
    const std::string line =
        "cd '" + run.string() + "' && export RUNNR=7 && " + *telescope_command(Card(changed));
    std::FILE* pipe = popen(line.c_str(), "w");
    ASSERT_NE(pipe, nullptr);
    ASSERT_EQ(std::fwrite(light.data(), 1, light.size(), pipe), light.size());
    ASSERT_EQ(pclose(pipe), 0);
  }
  std::string behind(const std::string& command, std::chrono::milliseconds limit = 60s) {
    return run_behind_telescope_pipe(command, run, folder.path() / "log", limit);
  }

  fs::path run = folder.write("run/card", "").parent_path();
  const std::string light = std::string(300000, 'p') + '\0' + "end";
};

TEST_F(TelescopePipe, ACardWithoutACommandStays) {
  folder.write("run/card", "TELFIL light.dat\n");
  keep_telescope_data(run);
  EXPECT_EQ(folder.read("run/card"), "TELFIL light.dat\n");
  EXPECT_NO_THROW(wait_for_telescope_data(run)) << "no command was started";
}

TEST_F(TelescopePipe, KeepsTheBytesAndHandsThemToTheCommandWithTheEnvironmentThatCorsikaGaveIt) {
  send("TELFIL '|dd of=copy'\n", light);
  wait_for_telescope_data(run);
  EXPECT_EQ(folder.read(std::string("run/") + kPipedTelescopeData), light);
  EXPECT_FALSE(fs::exists(run / "copy")) << "the command runs later";
  EXPECT_EQ(behind("cat > copy; echo run $RUNNR ${LC_ALL-none}"), "");
  const char* locale = std::getenv("LC_ALL");
  EXPECT_EQ(folder.read("log"), std::string("run 7 ") + (locale == nullptr ? "none" : locale) + "\n");
  EXPECT_EQ(folder.read("run/copy"), light);
  const auto files = output_files(run);
  EXPECT_EQ(files.size(), 2U) << "the data, and what the command wrote";
  EXPECT_TRUE(files.contains("copy") && files.contains(kPipedTelescopeData));
}

TEST_F(TelescopePipe, ACommandThatFailsSaysSoAndBytesThatDoNotComeAreAnError) {
  send("TELFIL |cat\n", light);
  EXPECT_EQ(behind("cat > /dev/null; echo no array >&2; exit 3"),
            "failed with exit status 3; it said: no array");
  EXPECT_EQ(behind("head -c 10 > /dev/null"), "ended before it had read all of the light");
  EXPECT_EQ(behind("sleep 60", 1s), "did not end within 1 s");
  fs::remove(run / "light-pipe.end");
  EXPECT_ERROR("is not whole", wait_for_telescope_data(run, 20ms));
}

}  // namespace
}  // namespace overlay
