// Proofs with shell scripts in the place of the programs, and the cards of proofs.
#include "overlay/prove/prove.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <tuple>

#include "folder_test.hpp"
#include "identity/synthetic_files.hpp"
#include "overlay/card/card.hpp"
#include "support/error.hpp"

namespace overlay {
namespace {

/// As the runtime prints it at the end of a checked program, with counts of its own.
std::string equal_line(const std::string& counts) {
  return "echo 'cherenkov: check equal: " + counts + " every=1' >&2\n";
}
const std::string kCounts =
    "steps=1090 bunches=9000 hits=20 candidates=60 skipped=70 own_loop=80 each_bunch=85 no_light=90 "
    "one_bunch=100 over_100=11 several_bins=120 near_threshold=130";
/// The counts with one part of their text changed.
std::string counts_with(const std::string& part, const std::string& changed) {
  std::string counts = kCounts;
  return counts.replace(counts.find(part), part.size(), changed);
}

/// What the program prints at the end of a run with the stage on.
const std::string kTaken =
    "[ \"$CHERENKOV_BACKEND\" = cpu ] && echo 'cherenkov: backend=cpu steps=9 bunches=100 skipped=7' >&2\n";

class Prove : public FolderTest {
 protected:
  Prove() {
    set.profile.name = "test";
    set.cherenkov_stage.covered = "whole";
    set.card = "NSHOW 2\nSEED 1 0 0\nEXIT\n";
    set.out = folder.path() / "out";
    program("stock", "");
    patched(kCounts);
    options.steps = 5000;
    options.jobs = 2;
  }
  /// A patched program that does `first`, says at the end of the check what it counted, and then does
  /// `script`.
  void patched(const std::string& counts, const std::string& script = "", const std::string& first = "") {
    program("patched", first + "[ $CHERENKOV_BACKEND = check ] && " + equal_line(counts) + script);
  }
  /// A program that leaves one event and a log, and then does `script`.
  void program(const std::string& build, const std::string& script, const std::string& taken = kTaken) {
    set.programs[build] = synthetic::program(folder, build + "-program", 1, taken + script + "exit 0\n");
  }
  std::pair<Proof, ProofRun> prove() { return prove_programs(set, options); }
  std::string failure() { return prove().first.failure; }

  BuildSet set;
  ProofOptions options;
};

// Each card is run as productions run: by turns the check or the stage alone has a helper thread.
TEST_F(Prove, ManyEqualRunsAreAProofAndHelperThreadsTakeTurns) {
  const auto said = folder.path() / "said";
  patched(kCounts, "", "echo $CHERENKOV_BACKEND $CHERENKOV_THREADS >> '" + said.string() + "'\n");
  options.jobs = 1;
  const auto [proof, different] = prove();
  EXPECT_EQ(proof.failure, "");
  EXPECT_EQ(proof.runs.size(), static_cast<std::size_t>(kCardPeriod));
  EXPECT_EQ(proof.steps, 1090u * kCardPeriod);
  EXPECT_EQ(proof.kinds.at("over_100"), 11u * kCardPeriod);
  EXPECT_FALSE(proof.kinds.contains("steps"));
  for (const char* what : {"stock", "check", "stage"}) EXPECT_TRUE(proof.cpu_s.contains(what)) << what;
  EXPECT_TRUE(fs::is_empty(set.out / "runs")) << "nothing is left of the runs";
  for (const char* run : {"check 0", "check 1", "cpu 0", "cpu 1"})
    EXPECT_PRED2(holds, folder.read("said"), run);
}

TEST_F(Prove, WithStockTheStageSwitchedOffIsComparedToo) {
  patched(kCounts, "[ $CHERENKOV_BACKEND = off ] && echo more\n");
  EXPECT_PRED2(holds, failure(), "without the stage");
  set.programs.erase("stock");  // then it is what the others are compared with
  EXPECT_PRED2(holds, failure(), "the checked program leaves other outputs");
}

TEST_F(Prove, WhatIsNoProof) {
  const std::tuple<std::string, const char*, const char*> cases[] = {
      {"[ $CHERENKOV_BACKEND = check ] && exit 3\n", "exit status 3", "CHERENKOV_BACKEND=check"},
      {"[ \"$CHERENKOV_BACKEND\" = cpu ] && echo more\n", "the stage leaves other outputs than stock: log",
       "CHERENKOV_UNPROVEN=1"}};
  for (const auto& [script, difference, repeat] : cases) {
    patched(kCounts, script);
    const auto [proof, different] = prove();
    EXPECT_PRED2(holds, proof.failure, difference);
    EXPECT_PRED2(holds, different.repeat, repeat);
    EXPECT_NE(different.name, "");
  }
  program("patched", "[ $CHERENKOV_BACKEND = check ] && " + equal_line(kCounts), "");
  EXPECT_EQ(failure(), "the stage took no light where it ran alone");
}

// Where no steps are recorded, steps near threshold are those of CORSIKA's own loop.
TEST_F(Prove, StepsOfCorsikasLoopOrBunchByBunch) {
  const std::string both = "own_loop=80 each_bunch=85";
  patched(counts_with(both, "own_loop=165 each_bunch=0"));
  EXPECT_EQ(failure(), "");
  set.programs.erase("stock");
  const auto expect_missing = [this](const std::string& part, const std::string& changed, const char* kind) {
    patched(counts_with(part, changed));
    const auto [proof, different] = prove();
    EXPECT_PRED2(holds, proof.failure, kind);
    EXPECT_EQ(different.name + different.repeat, "") << "a kind that never comes is of no run";
  };
  expect_missing(both, "own_loop=0 each_bunch=0", "each_bunch");
  // With CURVED the stage bounds each bunch by itself, so no step is "not bounded".
  set.profile.options = {"CURVED"};
  EXPECT_EQ(failure(), "");
  expect_missing("over_100=11", "over_100=0", "over_100");
  expect_missing("near_threshold=130", "near_threshold=0", "near_threshold");
  // Bunch by bunch other kinds count.
  patched("steps=1000 bunches=9 hits=5 skipped=6 own_loop=1000 one_bunch=0");
  set.cherenkov_stage.covered = "bunches";
  EXPECT_EQ(failure(), "");
}

TEST_F(Prove, ACardAtWhichStockStopsWithStatusZeroIsLeftOut) {
  const std::string stops = "grep -q 'PRMPAR 6' card && : > DAT000001\n";
  program("stock", stops);
  patched(kCounts, "", stops);
  const auto [proof, different] = prove();
  EXPECT_EQ(proof.failure, "");
  EXPECT_GT(proof.left_out, 3u);
}

TEST_F(Prove, AProgramThatRunsNothingIsAnErrorAndAUserWhoStopsItEndsIt) {
  std::atomic<int> calls = 0;
  options.poll = [&] {
    if (++calls > 5) throw support::Interrupted();
  };
  EXPECT_THROW(prove(), support::Interrupted);
  options.poll = {};
  program("stock", "exit 4\n");
  EXPECT_ERROR("most runs of the proof fail with the stage off, too", prove());
}

const std::string kCard =
    "RUNNR 7\nNSHOW 2000\nSEED 1 0 0\nSEED 2 0 0\nSEED 3 0 0\nSEED 4 0 0\nSEED 5 0 0\nPRMPAR 1\n"
    "ERANGE 30. 2.E5\nTHETAP 20. 20.\nPHIP 0. 360.\nHILOW 100.\nMAGNET 25.2 40.88\nLONGI T 20. F F\n"
    "OBSLEV 1270.E2\nCWAVLG 250. 700.\nTELESCOPE 1.E2 2.E2 0. 7.E2\nTELESCOPE 3.E2 4.E2 0. 7.E2\nTELFIL "
    "|gzip > light.gz\n*(IACT) TELFIL other.dat\n"
    "*(IACT) TELSAMPLE 1 2 3\nATMOSPHERE 61 T\nDIRECT /data/runs/\nPAROUT F F\nEXIT\nNSHOW 3\n";

BuildSet set_with(const std::vector<std::string>& options, bool standin = false,
                  const std::string& card = kCard) {
  BuildSet set;
  set.profile.options = options;
  set.standin = standin;
  set.card = card;
  return set;
}

const BuildSet kCorsika = set_with({"IACT", "ATMEXT", "SLANT"});
constexpr std::uint64_t kSteps = 400000;

/// The values of a word in the first period of runs.
std::set<std::string> values(const BuildSet& set, const char* keyword, int word = 1) {
  std::set<std::string> found;
  for (int i = 0; i < kCardPeriod; ++i)
    found.insert(Card(proof_card(set, i, kSteps).card).word(keyword, word));
  return found;
}

TEST(ProofCards, EveryQuantityTakesAllItsValuesInOnePeriod) {
  using Set = std::set<std::string>;
  for (const auto& [keyword, word, all] : std::vector<std::tuple<const char*, int, Set>>{
           {"PRMPAR", 1, {"1", "3", "6", "14", "5626"}},
           {"THETAP", 1, {"0.00", "20.00", "40.00", "55.00", "65.00", "70.00"}},
           {"CERSIZ", 1, {"1.0", "5.0", "20.0"}},
           {"ATMOSPHERE", 1, {"61", "0"}},
           {"ATMOSPHERE", 2, {"T", "F"}},
           {"LONGI", 1, {"T", "F"}},
           {"OBSLEV", 1, {"1270.E2", "2200.E2", "4200.E2", "6000.E2"}},
           {"CWAVLG", 1, {"250.", "300."}}})
    EXPECT_EQ(values(kCorsika, keyword, word), all) << keyword;
  EXPECT_GE(values(kCorsika, "LONGI", 2).size(), 4u);
  EXPECT_GE(values(kCorsika, "CSCAT").size(), 3u);
  EXPECT_EQ(values(kCorsika, "PHIP").size(), static_cast<std::size_t>(kCardPeriod));
  EXPECT_GE(values(kCorsika, "ERANGE").size(), 7u);
  EXPECT_EQ(values(set_with({"IACT", "ATMEXT", "SLANT", "THIN"}), "THIN"), (Set{"", "1.E-2"}));
  std::set<long> telescopes;
  for (int i = 0; i < kCardPeriod; ++i)
    telescopes.insert(std::ranges::count(Card(proof_card(kCorsika, i, kSteps).card).lines(), "TELESCOPE",
                                         &CardLine::keyword));
  EXPECT_EQ(telescopes, (std::set<long>{1, 2, 60}));
}

TEST(ProofCards, SeedsAreOfEachRunsOwnAndAsManyAsTheCardHas) {
  std::set<std::string> seeds;
  for (int run = 0; run < 100; ++run) {
    const Card card(proof_card(kCorsika, run, kSteps).card);
    for (const auto& line : card.lines())
      if (line.keyword == "SEED") seeds.insert(card_word(line.rest, 1));
  }
  EXPECT_EQ(seeds.size(), 100u * 5);
}

TEST(ProofCards, OutputsAreFilesInTheRunFolderAndAllElseStays) {
  const auto card = proof_card(kCorsika, 0, kSteps).card;
  for (const auto& [keyword, first] :
       {std::pair{"TELFIL", "telescope.dat"}, {"DIRECT", "./"}, {"PAROUT", "T"}, {"RUNNR", "1"}})
    EXPECT_EQ(Card(card).word(keyword, 1), first);
  EXPECT_EQ(card.find("other.dat"), std::string::npos);
  for (const char* stays : {"*(IACT) TELSAMPLE 1 2 3\n", "MAGNET 25.2 40.88\n"})
    EXPECT_PRED2(holds, card, stays);
  EXPECT_TRUE(card.ends_with("EXIT\nNSHOW 3\n"));  // CORSIKA reads nothing behind EXIT
  EXPECT_EQ(proof_card(kCorsika, 0, kSteps).card, card);
}

TEST(ProofCards, WithCurvedGeometryZenithAnglesGoToEightyFiveDegrees) {
  const std::vector<std::string> options{"IACT", "ATMEXT", "SLANT", "CURVED"};
  const auto curved = set_with(options);
  EXPECT_EQ(values(curved, "THETAP"), (std::set<std::string>{"0.00", "45.00", "70.00", "80.00"})) << "from";
  EXPECT_FALSE(values(curved, "OBSLEV").contains("6000.E2"));  // CORSIKA has one level with CURVED
  const auto cone = set_with(options, false, "VIEWCONE 0. 10.\n" + kCard);
  for (int i = 0; i < kCardPeriod; ++i) {
    const Card card(proof_card(cone, i, kSteps).card);
    EXPECT_LE(std::stod(card.word("THETAP", 2)), 75.);
    EXPECT_EQ(card.word("THETAP", 1), card.word("THETAP", 2)) << "CORSIKA refuses a range";
  }
}

TEST(ProofCards, TheStandInGetsWhatItKnows) {
  const auto standin = set_with({"IACT", "ATMEXT"}, true);
  EXPECT_EQ(values(standin, "PRMPAR"), (std::set<std::string>{"1", "3", "6"}));
  EXPECT_EQ(values(standin, "ATMOSPHERE", 1), (std::set<std::string>{"0", "1"}));
  EXPECT_FALSE(values(standin, "OBSLEV").contains("6000.E2"));  // it has one level
}

}  // namespace
}  // namespace overlay
