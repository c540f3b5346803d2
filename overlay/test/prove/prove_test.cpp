// Runs of a proof, with shell scripts in the place of the programs that print what a checked program does.
#include "overlay/prove/prove.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <tuple>

#include "error_of.hpp"
#include "identity/synthetic_files.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

/// As the runtime prints it at the end of a checked program, with counts of its own.
std::string equal_line(const std::string& counts) {
  return "echo 'cherenkov: check equal: " + counts + " every=1' >&2\n";
}
const std::string kCounts =
    "steps=1090 bunches=9000 hits=20 candidates=60 skipped=70 own_loop=80 each_bunch=85 no_light=90 "
    "one_bunch=100 "
    "over_100=11 "
    "several_bins=120 near_threshold=130";
const std::string kDifferenceLine =
    "cherenkov: error: check: step 12: photons of the event: CORSIKA 1.5 (3ff8000000000000), stage 2 "
    "(4000000000000000)";

/// The counts with one part of their text changed.
std::string counts_with(const std::string& part, const std::string& changed) {
  std::string counts = kCounts;
  return counts.replace(counts.find(part), part.size(), changed);
}

/// What the program prints at the end of a run with the stage on.
const std::string kTaken =
    "[ \"$CHERENKOV_BACKEND\" = cpu ] && echo 'cherenkov: backend=cpu steps=9 bunches=100 skipped=7' >&2\n";

class Prove : public ::testing::Test {
 protected:
  Prove() {
    set.profile.name = "test";
    set.cherenkov_stage.covered = "whole";
    set.card = "NSHOW 2\nSEED 1 0 0\nEXIT\n";
    set.out = folder.path() / "out";
    program("stock", "");
    program("patched", "[ $CHERENKOV_BACKEND = check ] && " + equal_line(kCounts));
    options.steps = 5000;
    options.jobs = 2;
  }
  /// A patched program that says at the end of the check what it counted, and then does `script`.
  void patched(const std::string& counts, const std::string& script = "") {
    program("patched", "[ $CHERENKOV_BACKEND = check ] && " + equal_line(counts) + script);
  }
  /// A program that leaves one event and a log, and then does `script`.
  void program(const std::string& build, const std::string& script, const std::string& taken = kTaken) {
    BuiltProgram made;
    const auto particles = folder.write("particles", synthetic::particle_file(261121, 273, 1));
    made.executable = folder.write(build + "-program",
                                   "#!/bin/sh\ncp '" + particles.string() +
                                       "' DAT000001\necho ' END OF RUN'\n" + taken + script + "exit 0\n",
                                   true);
    set.programs[build] = made;
  }
  ProofResult prove() { return prove_programs(set, options); }

  support::TemporaryFolder folder;
  BuildSet set;
  ProofOptions options;
};

TEST_F(Prove, ManyEqualRunsAreAProof) {
  options.jobs = 1;
  const ProofResult result = prove();
  EXPECT_TRUE(result.equal) << result.difference;
  EXPECT_EQ(result.proof.runs.size(), static_cast<std::size_t>(kCardPeriod));
  EXPECT_EQ(result.proof.steps, 1090u * kCardPeriod);
  EXPECT_EQ(result.proof.kinds.at("over_100"), 11u * kCardPeriod);
  EXPECT_FALSE(result.proof.kinds.contains("steps"));
  for (const char* what : {"stock", "check", "stage"}) EXPECT_TRUE(result.proof.cpu_s.contains(what)) << what;
  // Nothing is left of the runs.
  EXPECT_TRUE(std::filesystem::is_empty(set.out / "runs"));
}

TEST_F(Prove, TheLineOfTheCheckNamesRunCardAndSeeds) {
  program("patched", "[ $CHERENKOV_BACKEND = check ] && { echo '" + kDifferenceLine + "' >&2; exit 1; }\n");
  const ProofResult result = prove();
  EXPECT_FALSE(result.equal);
  EXPECT_EQ(result.difference, kDifferenceLine);
  EXPECT_PRED2(holds, result.run, "zenith");
  EXPECT_PRED2(holds, result.card, "SEED 2");
  EXPECT_TRUE(result.repeat.starts_with("CHERENKOV_BACKEND=check CHERENKOV_THREADS=")) << result.repeat;
}

// Each card is run as productions run: by turns the check or the stage alone has a helper thread.
TEST_F(Prove, HelperThreadsTakeTurns) {
  const auto said = folder.path() / "said";
  program("patched", "echo $CHERENKOV_BACKEND $CHERENKOV_THREADS >> '" + said.string() +
                         "'\n[ $CHERENKOV_BACKEND = check ] && " + equal_line(kCounts));
  EXPECT_TRUE(prove().equal);
  const std::string all = support::read_file(said);
  for (const char* run : {"check 0", "check 1", "cpu 0", "cpu 1"}) EXPECT_PRED2(holds, all, run) << run;
}

TEST_F(Prove, WithStockTheStageSwitchedOffIsComparedToo) {
  patched(kCounts, "[ $CHERENKOV_BACKEND = off ] && echo more\n");
  EXPECT_PRED2(holds, prove().difference, "without the stage");
  set.programs.erase("stock");  // then it is what the others are compared with
  EXPECT_PRED2(holds, prove().difference, "the checked program leaves other outputs");
}

TEST_F(Prove, WhatIsNoProof) {
  const std::tuple<std::string, std::string, const char*, const char*> cases[] = {
      {kCounts, "[ $CHERENKOV_BACKEND = check ] && exit 3\n", "exit status 3", "CHERENKOV_BACKEND=check"},
      {kCounts, "[ \"$CHERENKOV_BACKEND\" = cpu ] && echo more\n",
       "the stage leaves other outputs than stock: log", "CHERENKOV_UNPROVEN=1"},
      {counts_with("over_100=11", "over_100=0"), "", "over_100", ""}};
  for (const auto& [counts, script, difference, repeat] : cases) {
    patched(counts, script);
    const ProofResult result = prove();
    EXPECT_FALSE(result.equal);
    EXPECT_PRED2(holds, result.difference, difference);
    EXPECT_PRED2(holds, result.repeat, repeat);
    EXPECT_EQ(result.run.empty(), result.repeat.empty()) << "a kind that never comes is of no run";
  }
}

TEST_F(Prove, AStageThatTakesNothingIsNoProof) {
  program("patched", "[ $CHERENKOV_BACKEND = check ] && " + equal_line(kCounts) + "exit 0\n", "");
  EXPECT_EQ(prove().difference, "the stage took no light where it ran alone");
}

// Where no steps are recorded, steps near threshold are those of CORSIKA's own loop.
TEST_F(Prove, StepsOfCorsikasLoopOrBunchByBunch) {
  const std::string both = "own_loop=80 each_bunch=85";
  patched(counts_with(both, "own_loop=165 each_bunch=0"));
  EXPECT_TRUE(prove().equal);
  patched(counts_with(both, "own_loop=0 each_bunch=0"));
  EXPECT_PRED2(holds, prove().difference, "each_bunch");
  // With CURVED the stage bounds each bunch by itself, so no step is "not bounded".
  set.profile.options = {"CURVED"};
  EXPECT_TRUE(prove().equal);
  patched(counts_with("near_threshold=130", "near_threshold=0"));
  EXPECT_PRED2(holds, prove().difference, "near_threshold");
}

TEST_F(Prove, BunchByBunchOtherKindsCount) {
  program("patched", "[ $CHERENKOV_BACKEND = check ] && " +
                         equal_line("steps=1000 bunches=9 hits=5 skipped=6 own_loop=1000 one_bunch=0"));
  EXPECT_FALSE(prove().equal);
  set.cherenkov_stage.covered = "bunches";
  EXPECT_TRUE(prove().equal);
}

TEST_F(Prove, ACardAtWhichStockStopsWithStatusZeroIsLeftOut) {
  const std::string stops = "grep -q 'PRMPAR 6' card && : > DAT000001\n";
  program("stock", stops);
  program("patched", stops + "[ $CHERENKOV_BACKEND = check ] && " + equal_line(kCounts));
  const ProofResult result = prove();
  EXPECT_TRUE(result.equal) << result.difference;
  EXPECT_GT(result.left_out, 3u);
}

TEST_F(Prove, AProgramThatRunsNothingIsAnError) {
  program("stock", "exit 4\n");
  EXPECT_PRED2(holds, error_of([&] { prove(); }), "most runs of the proof fail with the stage off, too");
}

TEST_F(Prove, AUserWhoStopsItEndsIt) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(prove_programs(set, options,
                              [&] {
                                if (++calls > 5) throw support::Interrupted();
                              }),
               support::Interrupted);
}

TEST(CheckLines, AreReadFromWhatAProgramSays) {
  const std::string said = "Note: something\ncherenkov: check equal: " + kCounts + " every=1\n";
  const auto counts = check_counts(said);
  EXPECT_EQ(counts.size(), 12u);
  EXPECT_EQ(counts.at("steps"), 1090u);
  EXPECT_EQ(counts.at("near_threshold"), 130u);
  EXPECT_TRUE(check_difference(said).empty());
  EXPECT_EQ(check_difference("a\n" + kDifferenceLine + "\nb\n"), kDifferenceLine);
  EXPECT_EQ(check_difference(kDifferenceLine), kDifferenceLine);
  EXPECT_EQ(check_difference("somebody: check: step 1\ncherenkov: check: step 2: x"),
            "cherenkov: check: step 2: x");
  EXPECT_TRUE(check_counts("cherenkov: backend=cpu steps=3\n").empty());
}

}  // namespace
}  // namespace overlay
