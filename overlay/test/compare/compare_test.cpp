// Comparisons with shell scripts in the place of the programs.
#include "overlay/compare/compare.hpp"

#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "folder_test.hpp"
#include "identity/synthetic_files.hpp"

namespace overlay {
namespace {

bool identical(const Json& report) { return report["identity"]["identical"] == true; }
std::string first_reason(const Json& report) { return report["identity"]["reasons"].at(0); }
std::size_t times_of(const Json& report, const char* build) {
  return runs_of(report, build)->at("cpu_s").size();
}
/// Whether a note begins so.
bool is_noted(const Json& report, const std::string& begin) {
  return std::ranges::any_of(report["notes"],
                             [&](const std::string note) { return note.starts_with(begin); });
}

/// Shell scripts in the place of the programs.
class Compare : public FolderTest {
 protected:
  Compare() {
    set.profile.name = "test";
    set.card = "NSHOW 2\nEXIT\n";
    set.flags = "tuned";
    set.corsika_version = "7.7410";
    set.out = folder.path() / "out";
    program("stock", kStock);
    program("patched", kPatched);
    options.repeats = 2;
    options.sampled_repeats = 0;
    options.gprof = false;
  }
  RunResult run(auto&& runs, const std::string& what = "1") const { return runs.run("stock", what); }
  void program(const std::string& build, const std::string& script) {
    set.programs[build] = synthetic::program(folder, build, 2, script);
  }

  const std::string kStock =
      "cat > copy; echo ' SEQUENCE = 1 SEED = 1 CALLS = 0 BILLIONS = 0'; echo ' SEQUENCE = 1 SEED = 1 CALLS "
      "= 7 BILLIONS = 0'; echo \" PRESENT TIME : $(date +%s)\"\n";
  const std::string kPatched = kStock + "echo \"ranmar: backend=$RANMAR_BACKEND draws=7\" >&2\n";
  BuildSet set;
  CompareOptions options;
};

TEST_F(Compare, SameOutputs) {
  options.backend = "reference";
  program("patched", kPatched + "[ \"$CHERENKOV_BACKEND\" = auto ]\n");
  const Json report = compare_programs(set, options);
  EXPECT_TRUE(identical(report));
  EXPECT_EQ(report["identity"]["pairs"], 2);
  EXPECT_EQ(report["showers"], 2);
  EXPECT_EQ(report["rng"]["numbers"], 7u);
  EXPECT_EQ(report["backend"], "reference");
  EXPECT_EQ(times_of(report, "patched"), 2u);
  EXPECT_TRUE(fs::exists(set.out / "runs/test/stock-1/run/copy"));
  EXPECT_FALSE(fs::exists(set.out / "runs/test/stock-2"));
  EXPECT_EQ(runs_of(report, "patched-generator"), nullptr) << "without light no part is run alone";
  EXPECT_EQ(report["notes"].dump().find("Cherenkov stage"), std::string::npos);
  EXPECT_TRUE(identical(compare_programs(set, options))) << "again, in fresh folders";
}

/// What the patched program says where its stage took light.
constexpr const char* kLight =
    "[ \"$CHERENKOV_BACKEND\" = off ] || echo 'cherenkov: backend=cpu steps=5 left_to_corsika=1 bunches=9 "
    "traced=2 skipped=0' >&2\n";
/// Refuses its card as CORSIKA does: with status 0.
constexpr const char* kRefuses = "exec > log\necho ' ANGLE TOO LARGE'\necho ' SEE KEYWORD: THETAP'\nexit 0\n";

TEST_F(Compare, OutputsThatDifferAndRunsThatDoNotEndGiveAVerdict) {
  set.profile.options = {"CERENKOV", "IACT"};
  const std::array<std::string, 3> cases[] = {
      // stock, patched; why they differ, or "?" and why nobody knows
      {kStock, kPatched + "echo more >> copy\n", "copy: one is longer"},
      {kStock, kPatched + "case $PWD in *patched-2/run) echo more >> copy;; esac\n",
       "pair 2: copy: one is longer"},
      {kStock, kPatched + kLight + "[ $CHERENKOV_BACKEND = off ] && echo more >> copy; true\n",
       "patched-generator 1: copy: one is longer"},
      {kStock, kRefuses, "the patched run "},
      {kStock, "exit 1\n", "the patched run "},
      {kStock, "kill -SEGV $$\n", "the patched run "},
      {kStock, "kill -KILL $$\n", "?the patched run was ended by signal 9"}};
  for (const auto& [stock_script, patched_script, why] : cases) {
    program("stock", stock_script);
    program("patched", patched_script);
    const Json report = compare_programs(set, options);
    const std::string said =
        why[0] == '?' ? "?" + report["identity"].value("could_not_compare", "") : first_reason(report);
    EXPECT_EQ(said.find(why), 0U) << said;
    EXPECT_EQ(report["identity"]["identical"], why[0] == '?' ? Json() : Json(false)) << why;
    const bool differ = page_markdown(report_page(report)).find("outputs differ") != std::string::npos;
    EXPECT_EQ(differ, why[0] != '?') << why;
  }
}

TEST_F(Compare, TheFirstRunOfTheUsersCardThatStockRefusesEndsIt) {
  const auto refuses = [this](const std::string& run) {
    return kStock + "case $PWD in *" + run + "/run) echo ' PARTICLE NOT DEFINED' > log;; esac\n";
  };
  for (const auto& [run, script, why] : {std::tuple<std::string, std::string, std::string>{
                                             "stock-1", kRefuses, "ANGLE TOO LARGE SEE KEYWORD: THETAP"},
                                         {"stock-2", refuses("stock-2"), "PARTICLE NOT DEFINED"}}) {
    program("stock", script);
    EXPECT_EQ(error_of([&] { compare_programs(set, options); }),
              fmt::format("the stock run refused its card; CORSIKA says: {} (see {}/runs/test/{}/run/log)",
                          why, set.out.string(), run));
  }
  program("stock", refuses("stock-first"));
  EXPECT_TRUE(identical(compare_programs(set, options)))
      << "the short card may be bad where the user's is good";
}

TEST_F(Compare, WhatFailsBesideTheTimedRunsIsToldAndLosesNoTimes) {
  const std::string fails = "grep -q 'NSHOW   1' card && exit 1; true\n";  // the first, short run
  program("stock", kStock + fails);
  program("patched", kPatched + fails);
  for (const char* build : {"stock-shipped", "stock-gprof"}) program(build, "exit 1\n");
  program("patched-gprof", kPatched);
  options.shipped_repeats = 1;
  options.gprof = true;
  const Json report = compare_programs(set, options);
  EXPECT_TRUE(identical(report));
  EXPECT_EQ(times_of(report, "patched"), 2u);
  for (const char* told :
       {"runs begin in fresh folders", "no times of stock as shipped: the stock-shipped run failed",
        "no gprof profile: the stock-gprof run failed"})
    EXPECT_PRED2(is_noted, report, told);
}

TEST_F(Compare, AProgramThatIsBuiltAgainMeanwhileEndsIt) {
  program("stock",
          kStock + "case $PWD in *stock-2/run) touch '" + set.programs["patched"].string() + "' ;; esac\n");
  EXPECT_ERROR("patched was built again while it was being compared", compare_programs(set, options));
}

TEST_F(Compare, OptionsAreCheckedFirst) {
  for (const auto change :
       {+[](CompareOptions& o) { o.repeats = 0; }, +[](CompareOptions& o) { o.backend = "fast"; },
        +[](CompareOptions& o) { o.timeout_s = -1; }, +[](CompareOptions& o) { o.parts_repeats = -1; },
        +[](CompareOptions& o) { o.cherenkov = "fpga"; }}) {
    CompareOptions changed = options;
    change(changed);
    EXPECT_THROW(check_options(changed), support::Error);
  }
}

TEST_F(Compare, BuildsThatAreNeededAndThatQuickIsOnePairAndTwoBuilds) {
  using Builds = std::vector<std::string>;
  options.gprof = true;
  EXPECT_EQ(needed_builds(options, "shipped", false),
            (Builds{"stock", "patched", "stock-gprof", "patched-gprof"}));
  EXPECT_EQ(needed_builds(options, "tuned", false)[2], "stock-shipped");
  EXPECT_EQ(needed_builds(options, "tuned", true)[2], "patched-stage");
  options.cherenkov = "off";
  EXPECT_EQ(needed_builds(options, "tuned", true)[2], "stock-shipped");
  CompareOptions quick;
  quick.quick = true;
  EXPECT_EQ(with_defaults(quick).repeats, 1);
  EXPECT_EQ(with_defaults(quick).parts_repeats, 1);
  EXPECT_EQ(needed_builds(quick, "tuned", true), (Builds{"stock", "patched"}));
  quick.shipped_repeats = 1;  // what is asked for stays
  EXPECT_EQ(needed_builds(quick, "tuned", true), (Builds{"stock", "patched", "stock-shipped"}));
}

TEST_F(Compare, EachPartIsRunAloneAndOneRunThatDiffersIsTold) {
  set.profile.options = {"CERENKOV", "IACT"};
  program("patched", kPatched + kLight);
  for (const bool same : {true, false}) {
    program("patched-stage", kStock + (same ? "" : "case $PWD in *-1/run) printf x >> DAT000001 ;; esac\n"));
    const Json report = compare_programs(set, options);
    EXPECT_EQ(times_of(report, "patched-generator"), 2u);
    EXPECT_EQ(times_of(report, "patched-stage"), 2u);
    EXPECT_EQ(report["identity"]["parts_identical"], same);
    EXPECT_EQ(identical(report), same);
  }
}

TEST_F(Compare, WhatTheStageSaidIsTold) {
  options.repeats = 1;
  set.profile.options = {"CERENKOV", "IACT"};
  const std::string note = "cherenkov: note: stage took 1 of 9 steps with light: REASON; MEND";
  program("patched", kPatched + kLight + "echo '" + note + "' >&2\n");
  EXPECT_EQ(compare_programs(set, options)["notes"].front(), "the patched program said: " + note);
  set.cherenkov_stage.covered = "whole";
  set.cherenkov_stage.works = true;
  program("patched", kPatched);
  testing::internal::CaptureStderr();
  EXPECT_EQ(compare_programs(set, options)["notes"].front(),
            "the Cherenkov stage did not run: the run came to no step with light");
  EXPECT_NE(testing::internal::GetCapturedStderr().find(" stock first (a short one): "), std::string::npos);
}

/// A program that makes a table at its first run and says what it found.
constexpr const char* kTable =
    "if [ -e tables.dat ]; then echo found; else echo made; echo table > tables.dat; fi; grep NSHOW card\n";

TEST_F(Compare, TablesAreMadeOnceAndGivenToBothAndOtherTablesAreOtherBytes) {
  set.card = "NSHOW 2\nERANGE 300. 3000.\nEXIT\n";
  program("stock", kStock + kTable);
  for (const bool same : {true, false}) {
    std::string table = kTable;
    if (!same) table.replace(table.find("echo table"), 10, "echo other");
    program("patched", kPatched + table);
    const Json report = compare_programs(set, options);
    EXPECT_EQ(report["startup"]["tables"], std::vector<std::string>{"tables.dat"});
    EXPECT_EQ(report["identity"]["first_run_identical"], same);
    EXPECT_EQ(identical(report), same);
    EXPECT_EQ(report["identity"]["reasons"].size(), same ? 0U : 1U) << "nothing else differs";
    EXPECT_EQ(holds(report["identity"]["reasons"].dump(), "tables.dat: stock and patched write different"),
              !same);
    for (const std::string run : {"stock-1", "patched-1"})
      EXPECT_PRED2(holds, folder.read("out/runs/test/" + run + "/run/log"), "found\nNSHOW 2\n") << run;
    EXPECT_FALSE(fs::exists(set.out / "runs/test/stock-first"));
  }
}

/// Programs that send a made-up telescope file to the command of their card, as CORSIKA does.
class CardCommand : public Compare {
 protected:
  CardCommand() {
    set.profile.options = {"CERENKOV", "IACT"};
    options.parts_repeats = 0;
    sends("stock", 'p');
    sends("patched", 'p');
  }
  void sends(const std::string& build, char light) {
    std::string bytes = synthetic::telescope_file(261121);
    bytes[bytes.find("pppp")] = light;
    const auto file = folder.write(build + ".light", bytes);
    folder.write(
        build,
        "#!/bin/sh\ncommand=$(sed -n \"s/^TELFIL '|\\(.*\\)'$/\\1/p\" card)\nsh -c \"$command\" < '" +
            file.string() + "'\necho ' END OF RUN'\n",
        true);
  }
  Json compare(const std::string& command) {
    set.card = "NSHOW 1\nPAROUT F\nTELESCOPE 0. 0. 0. 7.E2\nTELFIL '|" + command + "'\n";
    return compare_programs(set, options);
  }
};

TEST_F(CardCommand, TheBytesOfThePipeAreComparedAndTheCommandGetsThemOnceFromEachProgram) {
  const Json report = compare("sh -c \"tee -a copy >/dev/null && echo once >>ran\"");
  EXPECT_TRUE(identical(report)) << report["identity"]["reasons"];
  EXPECT_EQ(report["identity"]["events"], 1U);
  for (const std::string run : {"out/runs/test/stock-1/run/", "out/runs/test/patched-1/run/"}) {
    EXPECT_EQ(folder.read(run + "ran"), "once\n");
    EXPECT_EQ(folder.read(run + "copy"), synthetic::telescope_file(261121));
  }
  sends("patched", 'q');
  EXPECT_EQ(first_reason(compare("cat")), "light-pipe.bytes: bytes differ");
}

TEST_F(CardCommand, ACommandThatFailsIsToldAndTheVerdictStays) {
  for (const auto& [command, why] :
       {std::pair<std::string, std::string>{"sh -c \"cat >/dev/null; exit 3\"", "3"},
        {"no-such-program -x", "127"}}) {
    const Json report = compare(command);
    EXPECT_PRED2(holds, closing_lines(report)[0], "Same bytes: yes");
    EXPECT_PRED2(holds, closing_lines(report)[1],
                 "But your command (TELFIL |" + command + ") failed with exit status " + why);
  }
}

// Run folders: what is deleted, what two comparisons at once do.
using RunFoldersTest = Compare;

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
  for (const char* build : {"stock", "patched"}) runs.run(build, "first");
  const std::string said = testing::internal::GetCapturedStderr();
  for (const char* count : {"run 1/3 stock", "run 2/4 patched"}) EXPECT_PRED2(holds, said, count);
}

TEST_F(RunFoldersTest, ProcessesAtOnceWaitForEachOther) {
  program("stock", "sleep 0.2; echo $PWD > DAT000001\n");
  const auto compared = [this]() noexcept {
    RunFolders runs(set, options);
    const RunResult made = run(runs);
    return folder.read("out/runs/test/stock-1/run/DAT000001") == made.folder.string() + "\n";
  };
  for (int number = 0; number < 4; ++number)
    if (fork() == 0) _exit(compared() ? 0 : 1);
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
