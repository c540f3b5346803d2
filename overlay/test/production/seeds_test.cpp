// Seeds: two callers of the ledger at once never get the same places; runs that share random numbers are
// named, whatever files tell of them, and others are not.
#include "overlay/production/seeds.hpp"

#include <thread>
#include <tuple>

#include "example.hpp"
#include "identity/synthetic_files.hpp"

namespace overlay {
namespace {

struct SeedLedger : FolderTest {
  std::int64_t take(std::int64_t places, const std::string& production) const {
    LedgerRuns runs{places};
    return take_places(ledger, places, production, runs);
  }
  const fs::path ledger = folder.path() / "new" / "seeds.ledger";
};

TEST_F(SeedLedger, TwoCallersAtOnceNeverShareAPlace) {
  constexpr int kRounds = 250;
  using Blocks = std::map<std::int64_t, std::int64_t>;
  Blocks blocks, others;  // the place behind the last, by the first
  const auto take_all = [&](std::int64_t size, Blocks& taken) {
    for (int round = 0; round < kRounds; ++round) {
      const auto first = take(size, "race");
      taken[first] = first + size;
    }
  };
  std::thread other(take_all, 3, std::ref(others));
  take_all(5, blocks);
  other.join();
  blocks.merge(others);
  for (std::int64_t place = 0; place < 8 * kRounds; place = blocks.at(place))
    ASSERT_TRUE(blocks.contains(place));
  EXPECT_TRUE(others.empty());
}

TEST_F(SeedLedger, RunsOfTwoProductionsNeverHaveTheSameNumber) {
  folder.write("new/seeds.ledger", "0\t100\tolder\tdate\n");
  const auto numbers = [&](std::int64_t count, std::int64_t first, std::int64_t from = 1,
                           const ProductionPlan* of = nullptr, bool look = false) {
    LedgerRuns runs{count, first, from, of, look};
    take_places(ledger, count, "of " + std::to_string(first), runs);
    return runs.first;
  };
  EXPECT_EQ(numbers(10, 7), 7) << "an older line does not say";
  EXPECT_EQ(numbers(1, 17), 17);
  const auto before = support::read_file(ledger);
  for (const std::int64_t first : {1, 7, 16, 17})
    EXPECT_ERROR("leave --first-run out, or give 18", numbers(7, first)) << first;
  EXPECT_EQ(numbers(7, 0, 1, nullptr, true), 18);
  EXPECT_EQ(support::read_file(ledger), before) << "nothing was taken";
  EXPECT_EQ(numbers(7, 0), 18);
  EXPECT_EQ(numbers(6, 0), 1) << "there is room before all";
  EXPECT_EQ(numbers(1, 0, 20), 25);
  auto plan = example_plan();
  plan.name = "of 7";
  plan.ranges[0].first_place = 100;
  EXPECT_EQ(numbers(2, 0, 17, &plan), 26);
  plan.ranges[0].first_place = 110;
  EXPECT_ERROR("does not have production of 7", numbers(2, 0, 1, &plan));
}

TEST_F(SeedLedger, ALedgerThatIsUsedUpSaysSo) {
  EXPECT_EQ(take(kPlaces - 10, "two\nlines"), 0);
  EXPECT_PRED2(holds, support::read_file(ledger), "0\t1677711\ttwo lines\t");
  EXPECT_ERROR("seeds left for 10 of ", take(11, "next"));
  EXPECT_EQ(take(10, "last"), kPlaces - 10);
  EXPECT_ERROR("seeds left for 0 of ", take(1, "next"));
  EXPECT_ERROR("--seeds offsets", take(2'000'000, "next"));
}

TEST_F(SeedLedger, ALineThatWasCutOffIsWrittenAnew) {
  folder.write("new/seeds.ledger", "# head\n0\t100\tone\tdate\n100\t5");
  EXPECT_EQ(take(7, "two"), 100);
  EXPECT_TRUE(support::read_file(ledger).starts_with("# head\n0\t100\tone\tdate\n100\t7\ttwo\t"));
}

TEST_F(SeedLedger, WhatIsNoLedgerIsLeftAlone) {
  for (const std::string text :
       {"my thesis\n", "12 13\n", "-1\t5\tx\n", "99999999999\t5\tx\n", "0\t0\tx\n"}) {
    folder.write("new/seeds.ledger", text);
    EXPECT_ERROR("line 1", take(1, "x"));
    EXPECT_EQ(support::read_file(ledger), text);
  }
  fs::remove(ledger);
  fs::create_directory(ledger);
  EXPECT_ERROR("--ledger", take(1, "x"));
}

RunSeeds with_name(const std::string& name, std::optional<RunSeeds> run) {
  EXPECT_TRUE(run) << name;
  run->name = name;
  return *run;
}
RunSeeds card(const std::string& name, const std::string& text) {
  return with_name(name, seeds_of_card(text));
}
RunSeeds card(const std::string& name, int number, const std::vector<std::int64_t>& seeds) {
  std::string text = "RUNNR " + std::to_string(number) + "\nNSHOW 10\n";
  for (const auto seed : seeds) text += "SEED " + std::to_string(seed) + " 0 0\n";
  return card(name, text + "EXIT\n");
}

/// Of a log as CORSIKA writes it, with one shower printed.
RunSeeds log(const std::string& name, int number, std::int64_t seed, long first, long last,
             bool whole = true) {
  const auto line = [&](long calls) {
    return fmt::format(" SEQUENCE =  1  SEED ={}  CALLS ={}  BILLIONS ={}\n", seed, calls % kBillion,
                       calls / kBillion);
  };
  return with_name(
      name, seeds_of_log(fmt::format("RUNNR {}\nNSHOW  1\n RANDOM NUMBER GENERATOR AT BEGIN OF RUN :\n{}"
                                     " AND RANDOM NUMBER GENERATOR AT {} OF EVENT :       1\n{}{}",
                                     number, line(first), whole ? "END" : "BEGIN", line(last),
                                     whole ? " == END OF RUN ==\n" : "")));
}

/// All that a comparison says.
std::string lines_of(const SeedReport& report) {
  return support::join(report.repeats) + support::join(report.overlaps) + support::join(report.unknown);
}

TEST(CheckSeeds, APlannedProductionSharesNothing) {
  for (const auto mode : {"planned", "offsets"}) {
    const support::TemporaryFolder folder;
    auto plan = example_plan();
    plan.seeds = mode;
    plan.stride = 500'000'000;
    plan.ranges[0].runs_per_setting = 1500;
    write_plan(plan, kExampleTemplate, folder.path());
    const auto runs = read_run_seeds(folder.path());
    ASSERT_EQ(runs.size(), 3000U);
    const auto report = compare_seeds(runs);
    EXPECT_TRUE(report.clean()) << (report.overlaps.empty() ? report.repeats : report.overlaps).front();
  }
}

TEST(CheckSeeds, SeedsOfOneStartAreOneStreamWhateverTheirText) {
  constexpr std::int64_t kPeriod = 942438978;
  const std::tuple<std::int64_t, std::int64_t, bool> pairs[] = {
      {950000000, 7561022, true},  // two logs of CORSIKA 7.7410 that differ in seeds and times alone
      {5, 5 + kPeriod, true},
      {5 + kPeriod, 5 + 2 * kPeriod, true},
      {0, kPeriod, true},
      {0, 1, false},
      {4, 5, false},
      {-5, 5, false},
      {-5, -6, false},
      {-5, kPeriod - 5, false},
      {-5, -5 - kPeriod, true}};
  for (const auto& [a, b, same] : pairs) {
    EXPECT_EQ(start_state(a) == start_state(b), same) << a << " " << b;
    const auto cards = compare_seeds({card("a", 1, {a, 11}), card("b", 2, {b, 11})});
    EXPECT_EQ(cards.repeats.size(), same ? 1U : 0U) << a << " " << b;
    EXPECT_EQ(cards.overlaps.size(), same ? 0U : 1U) << "of seed 11 alone: " << a << " " << b;
    const auto logs = compare_seeds({log("a", 1, a, 0, 10), log("b", 2, b, 0, 10)});
    EXPECT_EQ(logs.repeats.size(), same ? 1U : 0U) << a << " " << b;
  }
  const auto named = compare_seeds({card("a", 1, {7561022, 2, 3, 4}), card("b", 2, {950000000, 2, 3, 4}),
                                    card("c", 3, {9, 950000000, 10, 11})});
  EXPECT_PRED2(holds, lines_of(named),
               "repeat: a, b (by its seeds 950000000, 2, 3, 4): the same seeds in all");
  EXPECT_PRED2(holds, lines_of(named), "overlap: seed 950000000: c sequence 2, a sequence 1 (seed 7561022)");
}

TEST(CheckSeeds, NumbersAreSkippedAsCorsikaSkipsThem) {
  const std::tuple<const char*, std::int64_t, std::uint64_t> lines[] = {
      {"SEED 5 7 2\n", 5, 2'000'000'007},
      {"SEED -5 -7 2\n", -5, 2'000'000'000},
      {"SEED 0 7 -1\n", 0, 0},
      {"SEED 5 2000000000 0\n", 5, 2'000'000'000},
      {"SEED 3000000000 1 0\n", kSeedNotTold, 0},
      {"SEED x 1 0\n", kSeedNotTold, 1}};
  for (const auto& [line, seed, first] : lines) {
    const auto run = card("a", line);
    EXPECT_EQ(run.streams.at(0).seed, seed) << line;
    EXPECT_TRUE(seed == kSeedNotTold || run.streams[0].first == first) << line;
  }
  // A seed that is too wide for its place in the log.
  const std::string wide = " SEQUENCE =  1  SEED =*********  CALLS =        3  BILLIONS =        0\n";
  for (const std::string& none :
       {wide, std::string(" SEQUENCE = 99999999999  SEED = 1  CALLS = 1\n"), std::string("SEQUENCE CALLS\n"),
        std::string(" SEQUENCE =  1  CALLS = 99999999999999999999999\n")})
    EXPECT_FALSE(seeds_of_log(none)) << none;
}

TEST(CheckSeeds, RunsThatShareNumbersAreNamed) {
  const auto expect = [](const std::vector<RunSeeds>& runs, std::size_t repeats, std::size_t overlaps,
                         std::size_t counted, const std::string& said) {
    const auto report = compare_seeds(runs);
    EXPECT_PRED2(holds, lines_of(report), said);
    EXPECT_EQ(report.repeats.size(), repeats) << said;
    EXPECT_EQ(report.overlaps.size(), overlaps) << said;
    EXPECT_EQ(report.runs, counted) << said;
  };
  expect({card("a", 1, {10, 12, 14, 16}), card("b", 2, {12, 22, 24, 26})}, 0, 1, 2,
         "overlap: seed 12: a sequence 2, b sequence 1");
  expect({card("a", 1, {5, 5, 6, 7})}, 0, 1, 1, "overlap: seed 5");
  expect({card("a", 1, {5, 6})}, 0, 0, 1, "fewer than four SEED lines");
  expect({card("a", 1, {}), card("b", 2, {})}, 1, 0, 2, "repeat: a, b");
  const std::vector<RunSeeds> three{card("a", 1, {4, 6}), card("b", 2, {4, 6}), card("c", 3, {4, 6})};
  expect(three, 1, 0, 3, "repeat: a, b, c");
  EXPECT_EQ(compare_seeds(three).repeating, 2U);
  expect({card("a", "SEED x 1 0\n"), card("b", "SEED x 1 0\n")}, 0, 0, 0,
         "2 sequences have no seed that can be read");
  const auto whole = log("a", 7, 42, 1'999'999'999, 5'000'000'001);
  const auto behind = log("b", 8, 42, 5'000'000'001, 6'000'000'000);
  expect({whole, behind}, 0, 0, 2, "");
  EXPECT_FALSE(holds(lines_of(compare_seeds({whole, behind})), "how far"));
  expect({whole, log("b", 8, 42, 5'000'000'000, 6'000'000'000)}, 0, 1, 2,
         "a sequence 1 from number 1999999999 to 5000000001, b sequence 1 from number");
  const auto broken = log("a", 7, 42, 0, 1000, false);
  expect({broken, log("b", 8, 42, 2000, 3000)}, 0, 0, 2, "how far the earlier run drew is not known");
  expect({broken, log("b", 8, 42, 999, 3000)}, 0, 1, 2, "overlap: ");
  const auto of_7 = card("card", "RUNNR 7\nNSHOW 1\nSEED 42 0 0\nEXIT\n");
  expect({of_7, log("log", 7, 42, 0, 1000)}, 0, 0, 1, "count as the same run");
  expect({of_7, log("log", 8, 42, 0, 1000)}, 1, 0, 2, "repeat: ");
  expect({of_7, of_7}, 1, 0, 2, "repeat: ");
}

void expect_stream(const StreamUse& use, std::int64_t seed, std::uint64_t first, std::uint64_t end,
                   bool end_known) {
  EXPECT_EQ(std::tuple(use.seed, use.first, use.end, use.end_known), std::tuple(seed, first, end, end_known));
}

TEST(CheckSeeds, LogsTellHowFarARunDrew) {
  const auto whole_run = log("a", 7, 42, 1'999'999'999, 5'000'000'001);
  EXPECT_EQ(whole_run.number, 7);
  ASSERT_EQ(whole_run.streams.size(), 1U);
  expect_stream(whole_run.streams[0], 42, 1'999'999'999, 5'000'000'001, true);
  EXPECT_FALSE(log("a", 7, 42, 0, 1000, false).streams[0].end_known);
  // The table in the stand-in's log.
  const std::string table = "   SEQUENCE        SEED       CALLS    BILLIONS\n";
  const auto log = " CARD: RUNNR 5\n CARD: NSHOW 1\n GENERATOR AT THE START OF THE RUN\n" + table +
                   "           1          11           3           2\n"
                   "           2          12           0           0\n OBSERVATION DEPTH 1\n     1 2 3 4\n"
                   " GENERATOR AT THE END OF THE EVENT\n" +
                   table + "           1          11           9           2\n";
  for (const bool whole : {false, true}) {
    const auto run = with_name("log", seeds_of_log(log + (whole ? " END OF RUN\n" : "")));
    EXPECT_EQ(run.number, 5);
    ASSERT_EQ(run.streams.size(), 2U);
    expect_stream(run.streams[0], 11, 2'000'000'003, 2'000'000'009, whole);
    EXPECT_EQ(run.streams[1].seed, 12);
  }
}

/// A telescope or particle file of two events, whose headers say how far two sequences got.
std::string output_file(bool telescopes, float seed, float millions, const std::string& card) {
  auto bytes =
      telescopes ? synthetic::telescope_file(261122, card, 2) : synthetic::particle_file(261122, 273, 2);
  const auto blocks = blocks_of(bytes);
  const auto put = [&](const BlockPlace& header, std::size_t word, float value) {
    synthetic::put_float(bytes, header.payload + 4 * (word - 1), value);
  };
  put(blocks.runs.at(0), 2, 77);
  for (std::size_t event = 0; event < 2; ++event) {
    const float values[] = {2, seed, 5, event == 0 ? 0 : millions, 9, 0, 0};
    for (std::size_t i = 0; i < 7; ++i) put(blocks.events.at(event), 13 + i, values[i]);
  }
  return bytes;
}

TEST(CheckSeeds, HeadersOfOutputFilesTellSeedsAndHowFarARunGot) {
  for (const auto& [telescopes, seed] : {std::pair{true, 42}, {false, 42}, {true, -42}, {false, 0}}) {
    const auto run = seeds_of_output(output_file(telescopes, static_cast<float>(seed), 3, "no card\n"));
    ASSERT_TRUE(run) << telescopes;
    EXPECT_EQ(run->number, 77);
    ASSERT_EQ(run->streams.size(), 2U);
    expect_stream(run->streams[0], seed, 5, 3'000'005, false);
    EXPECT_EQ(run->streams[1].seed, 9);
    EXPECT_FALSE(run->rounded);
  }
  EXPECT_FALSE(seeds_of_output("no such file"));
  EXPECT_FALSE(seeds_of_card("dear diary\n"));
}

TEST(CheckSeeds, SeedsThatHeadersRoundAreTakenFromTheCardInTheFile) {
  const auto rounded = with_name("f", seeds_of_output(output_file(true, 123456789, 0, "no card\n")));
  EXPECT_TRUE(rounded.rounded);
  EXPECT_EQ(rounded.streams[0].seed, 123456792);
  EXPECT_PRED2(holds, lines_of(compare_seeds({rounded})), "beyond 2^24");
  const auto exact = seeds_of_output(output_file(true, 123456789, 0, "SEED 123456789 5 0\nSEED 9 0 0\n"));
  EXPECT_FALSE(exact->rounded);
  EXPECT_EQ(exact->streams[0].seed, 123456789);
}

}  // namespace
}  // namespace overlay
