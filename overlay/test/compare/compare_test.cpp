// Comparisons with shell scripts in the place of the programs.
#include "overlay/compare/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "identity/synthetic_files.hpp"
#include "support/error.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

/// Shell scripts in the place of the programs.
class Compare : public ::testing::Test {
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
  void program(const std::string& build, const std::string& script) {
    overlay::BuiltProgram made;
    made.build = build;
    // The particle file that the card promises comes from the side of a program, whatever else it writes.
    const auto particles = folder.write("particles", synthetic::particle_file(261121, 273, 2));
    made.executable = folder.write(
        build, "#!/bin/sh\ncp '" + particles.string() + "' DAT000001\necho ' END OF RUN'\n" + script, true);
    made.fflags = made.cflags = "-O2";
    set.programs[build] = made;
  }

  static constexpr const char* kStock =
      "cat > copy; echo ' SEQUENCE = 1 SEED = 1 CALLS = 0 BILLIONS = 0'; echo ' SEQUENCE = 1 SEED = 1 CALLS "
      "= 7 BILLIONS = "
      "0'; echo \" PRESENT TIME : $(date +%s)\"\n";
  static constexpr const char* kPatched =
      "cat > copy; echo ' SEQUENCE = 1 SEED = 1 CALLS = 0 BILLIONS = 0'; echo ' SEQUENCE = 1 SEED = 1 CALLS "
      "= 7 BILLIONS = "
      "0'; echo \" PRESENT TIME : $(date +%s)\"; echo \"ranmar: backend=$RANMAR_BACKEND draws=7\" >&2\n";
  support::TemporaryFolder folder;
  overlay::BuildSet set;
  CompareOptions options;
};

TEST_F(Compare, SameOutputs) {
  options.backend = "reference";
  const Report report = compare_programs(set, options);
  EXPECT_TRUE(report.identity.identical);
  EXPECT_EQ(report.identity_pairs, 2);
  EXPECT_EQ(report.showers, 2);
  EXPECT_EQ(report.numbers, 7u);
  EXPECT_EQ(report.numbers_log, 7u);
  EXPECT_EQ(report.backend, "reference");
  ASSERT_NE(report.build("patched"), nullptr);
  EXPECT_EQ(report.build("patched")->cpu_s.size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(set.out / "runs/test/stock-1/copy"));
  EXPECT_FALSE(std::filesystem::exists(set.out / "runs/test/stock-2"));
}

TEST_F(Compare, RunsAgainInFreshFolders) {
  compare_programs(set, options);
  EXPECT_TRUE(compare_programs(set, options).identity.identical);
}

TEST_F(Compare, AnotherOutputIsFound) {
  program("patched", std::string(kPatched) + "echo more >> copy\n");
  const Report report = compare_programs(set, options);
  EXPECT_FALSE(report.identity.identical);
  ASSERT_FALSE(report.identity.reasons.empty());
  EXPECT_EQ(report.identity.reasons[0], "copy: one is longer");
}

TEST_F(Compare, ADifferenceInALaterPairIsFound) {
  program("patched", std::string(kPatched) + "case $PWD in *patched-2) echo more >> copy;; esac\n");
  const Report report = compare_programs(set, options);
  EXPECT_FALSE(report.identity.identical);
  EXPECT_EQ(report.identity.reasons[0], "pair 2: copy: one is longer");
}

/// Programs of which `stock` or both refuse their card as CORSIKA does: with status 0.
constexpr const char* kRefuses = "exec > log\necho ' ANGLE TOO LARGE'\necho ' SEE KEYWORD: THETAP'\nexit 0\n";

TEST_F(Compare, ACardThatStockRefusesLeavesNoVerdict) {
  program("stock", kRefuses);
  for (const char* patched : {kRefuses, kPatched}) {
    program("patched", patched);
    const Report report = compare_programs(set, options);
    EXPECT_FALSE(report.identity.identical);
    EXPECT_FALSE(report.identity.differs());
    const std::string why =
        "the stock run refused its card; CORSIKA says: ANGLE TOO LARGE SEE KEYWORD: THETAP";
    EXPECT_EQ(report.identity.could_not_compare.find(why), 0U) << report.identity.could_not_compare;
    const Derived derived = derive(report);
    EXPECT_EQ(closing_lines(report, derived)[0].find("Could not compare: " + why), 0U);
    EXPECT_NE(report_json(report, derived).find("\"identical\": null"), std::string::npos);
    for (const std::string& text :
         {report_json(report, derived), page_markdown(report_page(report, derived))}) {
      EXPECT_NE(text.find(why), std::string::npos);
      EXPECT_EQ(text.find("outputs differ"), std::string::npos);
    }
  }
}

TEST_F(Compare, AStockRunThatStopsInALaterPairLeavesNoVerdict) {
  program("stock",
          std::string(kStock) + "case $PWD in *stock-2) echo ' PARTICLE NOT DEFINED' > log;; esac\n");
  EXPECT_NE(
      compare_programs(set, options).identity.could_not_compare.find("CORSIKA says: PARTICLE NOT DEFINED"),
      std::string::npos);
}

TEST_F(Compare, APatchedRunThatDoesNotEndWhereStockEndedDiffers) {
  for (const char* patched : {kRefuses, "exit 1\n", "kill -SEGV $$\n"}) {
    program("patched", patched);
    const Report report = compare_programs(set, options);
    EXPECT_TRUE(report.identity.differs()) << patched;
    EXPECT_EQ(report.identity.reasons.at(0).find("the patched run "), 0U);
  }
}

TEST_F(Compare, APatchedRunThatSomebodyKilledLeavesNoVerdict) {
  program("patched", "kill -KILL $$\n");
  EXPECT_NE(compare_programs(set, options).identity.could_not_compare.find("was ended by signal 9"),
            std::string::npos);
}

TEST_F(Compare, WhatFailsAfterTheTimedRunsLosesNoTimes) {
  program("stock-shipped", "exit 1\n");
  program("stock-gprof", "exit 1\n");
  program("patched-gprof", kPatched);
  options.shipped_repeats = 1;
  options.gprof = true;
  const Report report = compare_programs(set, options);
  EXPECT_TRUE(report.identity.identical);
  EXPECT_EQ(report.build("patched")->cpu_s.size(), 2u);
  for (const char* lacks : {"no times of stock as shipped: the stock-shipped run failed",
                            "no gprof profile: the stock-gprof run failed"})
    EXPECT_TRUE(std::any_of(report.notes.begin(), report.notes.end(), [&](const std::string& note) {
      return note.find(lacks) == 0;
    })) << lacks;
}

TEST_F(Compare, AProgramThatIsBuiltAgainMeanwhileEndsIt) {
  program("stock", std::string(kStock) + "case $PWD in *stock-2) touch '" +
                       set.programs["patched"].executable.string() + "' ;; esac\n");
  const auto error = error_of([&] { compare_programs(set, options); });
  EXPECT_NE(error.find("patched was built again while it was being compared"), std::string::npos) << error;
}

TEST_F(Compare, OptionsAreCheckedFirst) {
  const auto wrong = [&](auto change) {
    CompareOptions changed = options;
    change(changed);
    EXPECT_THROW(check_options(changed), support::Error);
  };
  wrong([](CompareOptions& o) { o.repeats = 0; });
  wrong([](CompareOptions& o) { o.backend = "fast"; });
  wrong([](CompareOptions& o) { o.core = 100000; });
  wrong([](CompareOptions& o) { o.timeout_s = -1; });
  wrong([](CompareOptions& o) { o.parts_repeats = -1; });
  wrong([](CompareOptions& o) { o.cherenkov = "fpga"; });
  wrong([](CompareOptions& o) { o.categories = "/nowhere"; });
}

TEST_F(Compare, BuildsThatAreNeeded) {
  options.gprof = true;
  EXPECT_EQ(needed_builds(options, "shipped", false),
            (std::vector<std::string>{"stock", "patched", "stock-gprof", "patched-gprof"}));
  EXPECT_EQ(needed_builds(options, "tuned", false)[2], "stock-shipped");
  EXPECT_EQ(needed_builds(options, "tuned", true)[2], "patched-stage");
  options.cherenkov = "off";
  EXPECT_EQ(needed_builds(options, "tuned", true)[2], "stock-shipped");
}

TEST_F(Compare, QuickIsOnePairAndTwoBuilds) {
  CompareOptions quick;
  quick.quick = true;
  const RunCounts counts = run_counts(quick);
  EXPECT_EQ(counts.pairs, 1);
  EXPECT_EQ(counts.parts, 1);
  EXPECT_EQ(counts.sampled + counts.shipped, 0);
  EXPECT_FALSE(counts.gprof);
  EXPECT_EQ(needed_builds(quick, "tuned", true), (std::vector<std::string>{"stock", "patched"}));
  quick.shipped_repeats = 1;  // what is asked for stays
  EXPECT_EQ(run_counts(quick).shipped, 1);
}

TEST_F(Compare, TheWholeOverlayIsComparedByDefault) {
  EXPECT_EQ(CompareOptions().cherenkov, "auto");
  program("patched",
          std::string(kPatched) + "echo stage=$CHERENKOV_BACKEND >> $PWD/../stage-$(basename $PWD)\n");
  compare_programs(set, options);
  EXPECT_EQ(folder.read("out/runs/test/stage-patched-1"), "stage=auto\n");
}

/// What the patched program says where its stage took light.
constexpr const char* kLight =
    "[ \"$CHERENKOV_BACKEND\" = off ] || echo 'cherenkov: backend=cpu steps=5 left_to_corsika=1 bunches=9 "
    "traced=2 "
    "skipped=0' >&2\n";

TEST_F(Compare, EachPartIsRunAlone) {
  set.profile.options = {"CERENKOV", "IACT"};
  program("patched", std::string(kPatched) + kLight);
  program("patched-stage", kStock);
  const Report report = compare_programs(set, options);
  ASSERT_NE(report.build("patched-generator"), nullptr);
  EXPECT_EQ(report.build("patched-generator")->cpu_s.size(), 2u);
  ASSERT_NE(report.build("patched-stage"), nullptr);
  EXPECT_EQ(report.build("patched-stage")->cpu_s.size(), 2u);
  EXPECT_EQ(report.parts_identical, true);
  EXPECT_TRUE(report.identity.identical);
}

TEST_F(Compare, APartThatLeavesOtherBytesIsFound) {
  set.profile.options = {"CERENKOV", "IACT"};
  program("patched",
          std::string(kPatched) + kLight + "[ $CHERENKOV_BACKEND = off ] && echo more >> copy; true\n");
  const Report report = compare_programs(set, options);
  EXPECT_EQ(report.parts_identical, false);
  EXPECT_FALSE(report.identity.identical);
  EXPECT_EQ(report.identity.reasons[0], "patched-generator 1: copy: one is longer");
}

TEST_F(Compare, WhatTheStageSaidIsTold) {
  options.repeats = 1;
  set.profile.options = {"CERENKOV", "IACT"};
  const std::string note =
      "cherenkov: note: stage took 1 of 9 steps with light: CERQEF F F F; give CERQEF T T T";
  program("patched", std::string(kPatched) + kLight + "echo '" + note + "' >&2\n");
  EXPECT_EQ(compare_programs(set, options).notes.front(), "the patched program said: " + note);
  set.cherenkov_stage.covered = CherenkovStage::Covered::kWholeLoop;
  set.cherenkov_stage.works = true;
  program("patched", kPatched);
  EXPECT_EQ(compare_programs(set, options).notes.front(),
            "the Cherenkov stage did not run: the run came to no step with light");
}

TEST_F(Compare, WithoutLightNoPartIsRunAlone) {
  const Report report = compare_programs(set, options);
  EXPECT_EQ(report.build("patched-generator"), nullptr);
  EXPECT_TRUE(report.notes.empty() || report.notes[0].find("Cherenkov") == std::string::npos);
}

TEST_F(Compare, TheFirstShowerIsSeenInEveryRun) {
  const std::string shower = "echo ' AND RANDOM NUMBER GENERATOR AT BEGIN OF EVENT : 1'; sleep 0.05\n";
  program("stock", kStock + shower);
  program("patched", kPatched + shower);
  const Report report = compare_programs(set, options);
  EXPECT_TRUE(report.build("stock")->has_startup());
  EXPECT_TRUE(report.build("patched")->has_startup());
}

/// A program that makes a table at its first run and says what it found.
constexpr const char* kTable =
    "if [ -e tables.dat ]; then echo found; else echo made; echo table > tables.dat; fi; grep NSHOW card\n";

TEST_F(Compare, TablesAreMadeOnceAndGivenToBoth) {
  program("stock", std::string(kStock) + kTable);
  program("patched", std::string(kPatched) + kTable);
  set.card = "NSHOW 2\nERANGE 300. 3000.\nEXIT\n";
  const Report report = compare_programs(set, options);
  EXPECT_EQ(report.tables, std::vector<std::string>{"tables.dat"});
  EXPECT_EQ(report.first_run_identical, true);
  EXPECT_TRUE(report.identity.identical);
  for (const char* run : {"stock-1", "patched-1"}) {
    const std::string log = folder.read(std::string("out/runs/test/") + run + "/log");
    EXPECT_NE(log.find("found\nNSHOW 2\n"), std::string::npos) << run << ": " << log;
  }
  EXPECT_FALSE(std::filesystem::exists(set.out / "runs/test/stock-first"));
}

TEST_F(Compare, OtherTablesAreOtherBytes) {
  program("stock", std::string(kStock) + kTable);
  std::string other = kTable;
  other.replace(other.find("echo table"), 10, "echo other");
  program("patched", std::string(kPatched) + other);
  const Report report = compare_programs(set, options);
  EXPECT_EQ(report.first_run_identical, false);
  EXPECT_FALSE(report.identity.identical);
  ASSERT_EQ(report.identity.reasons.size(), 1U) << "nothing else differs";
  EXPECT_EQ(report.identity.reasons.back().find("tables.dat: stock and patched write different tables"), 0u);
}

TEST_F(Compare, AFirstRunThatFailsIsToldAndNoMore) {
  const std::string fails = "grep -q 'NSHOW   1' card && exit 1; true\n";
  program("stock", kStock + fails);
  program("patched", kPatched + fails);
  const Report report = compare_programs(set, options);
  EXPECT_TRUE(report.identity.identical);
  const auto told = [](const std::string& note) { return note.find("runs begin in fresh folders") == 0; };
  EXPECT_TRUE(std::any_of(report.notes.begin(), report.notes.end(), told));
}

}  // namespace
}  // namespace overlay
