// Plans and cards of productions: what is written is read back, and whatever was changed since is refused.

#include <algorithm>

#include "example.hpp"

namespace overlay {
namespace {

using WrittenPlan = Production;

TEST_F(WrittenPlan, IsReadBackAsItWasWritten) {
  const support::TemporaryFolder again;
  write_plan(plan, kExampleTemplate, again.path());
  EXPECT_EQ(again.read("production.toml"), folder.read("production.toml"));
  for (const char* line :
       {"name = \"example\"\n", "compilers = \"gfortran 12 \\\"quoted\\\" \\\\ and more\"\n",
        "options = [\"CERENKOV\",\"IACT\"]\n", "substitutes = [\"B stands in for A\"]\n", "zenith = 30.5\n",
        "first_place = 7\n", "ZENITH = \"30.5\"\n", "seeds = \"planned\"\n",
        "\n[files]\n\"card.template\" = "})
    EXPECT_PRED2(holds, folder.read("production.toml"), line);
  EXPECT_EQ(plan.compilers, example_plan().compilers);
  EXPECT_EQ(plan.last_run(), 124);
  EXPECT_TRUE(changed_files(plan).empty());
}

TEST_F(WrittenPlan, ARunHasItsSeedsSettingAndCard) {
  const auto run = planned_run(plan, 113);
  EXPECT_EQ(run.setting, 1U);
  const std::vector<SequenceStart> starts{{191, 0, 0}, {192, 0, 0}, {193, 0, 0}, {194, 0, 0}};
  EXPECT_EQ(run.seeds, starts);  // 1 + 10 * (7 + 12), and on
  EXPECT_EQ(run_card(plan, folder.read("card.template"), run),
            "RUNNR 113\nNSHOW 2\nPRMPAR 1\nTHETAP 30.5 30.5\nSEED 191 0 0\nSEED 192 0 0\nSEED 193 0 0\n"
            "SEED 194 0 0\nDIRECT ./\nEXIT\n");
  EXPECT_EQ(manifest_path(plan, 113), "results/000/000113.json");
}

TEST_F(WrittenPlan, ATableOfRunsIsWrittenAndOffsetsFollowOneAnother) {
  const auto text = folder.read("runs.tsv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 25);
  EXPECT_PRED2(holds, text, "\n000113\t191\t192\t193\t194\t1\t30.5\t61\t1\n");
  plan.seeds = "offsets";
  plan.stride = 300'000'000;
  write_plan(plan, kExampleTemplate, path);
  EXPECT_PRED2(holds, folder.read("runs.tsv"), "\n000108\t71+100000000+2\t72+");
  const auto run = planned_run(plan, 108);  // the eighth: 7 * 300 million numbers are skipped
  EXPECT_EQ(run.seeds[3], (SequenceStart{74, 100'000'000, 2}));
  EXPECT_EQ(plan.places(plan.ranges[0]), 1);
}

TEST_F(WrittenPlan, RunsThatAreAddedKeepThoseThatAreThere) {
  const auto digest = plan.digest;
  add({201, 2, 500});
  add({301, 1, 600});
  EXPECT_EQ(plan.digest, digest);
  EXPECT_EQ(plan.run_numbers(), "101 to 124, 201 to 204, 301 to 302");
  EXPECT_EQ(plan.run_count(), 30);
  EXPECT_EQ(plan.runs_of_setting(), 15);
  EXPECT_EQ(plan.last_run(), 302);
  for (std::int64_t index = 0; index < 30; ++index) EXPECT_EQ(plan.index_of(plan.run_at(index)), index);
  for (const std::int64_t none : {100, 125, 200, 205, 303}) EXPECT_EQ(plan.index_of(none), -1) << none;
  for (const int run : {113, 203}) EXPECT_EQ(planned_run(plan, run).setting, 1U) << run;
  EXPECT_EQ(planned_run(plan, 113).seeds[0].seed, 191);
  EXPECT_EQ(planned_run(plan, 203).seeds[0].seed, planned_seed(502, 1));
  EXPECT_EQ(planned_run(plan, 302).seeds[0].seed, planned_seed(601, 1));
  EXPECT_PRED2(holds, folder.read("extension-1.tsv"), "\n000203\t5021\t5022\t5023\t5024\t1\t30.5\t61\t1\n");
  EXPECT_ERROR("101 to 124, 201 to 204", planned_run(plan, 125));
  EXPECT_ERROR("numbers above 302", add({150, 2, 700}));
  plan.ranges.pop_back();
  plan.seeds = "offsets";
  plan.stride = 1'000'000;
  EXPECT_EQ(planned_run(plan, 201).seeds[0], (SequenceStart{71, 24'000'000, 0})) << "behind the plan's own";
  const auto text = folder.read("extension-2.toml");
  for (const auto& other : {text + "\n", "# mine\n" + text, std::string("plan = \"x\"\n")}) {
    folder.write("extension-2.toml", other);
    EXPECT_ERROR("extension-2.toml was changed", read_plan(path));
  }
}

TEST_F(WrittenPlan, WhatIsNoProductionIsRefused) {
  EXPECT_ERROR("is no production", read_plan(path / "none"));
  const auto offsets = [](std::int64_t stride) {
    return [stride](ProductionPlan& plan) {
      plan.seeds = "offsets";
      plan.stride = stride;
    };
  };
  const std::pair<std::function<void(ProductionPlan&)>, const char*> cases[] = {
      {[](auto& plan) { plan.ranges[0].first_run = 0; }, "--first-run"},
      {[](auto& plan) { plan.ranges[0].first_run = 999'990; }, "NRREXT"},
      {[](auto& plan) { plan.ranges[0].runs_per_setting = 0; }, "cannot have 0 runs"},
      {[](auto& plan) { plan.ranges[0].first_place = kPlaces - 23; }, "--seeds offsets"},
      {[](auto& plan) { plan.ranges[0].first_place = kPlaces - 24; }, nullptr},
      {[](auto& plan) { plan.sequences = 11; }, "give 1 to 10"},
      {[](auto& plan) { plan.settings[0].values.erase("ZENITH"); }, "@ZENITH@"},
      {offsets(1'000'000'000'000), "at most 16 runs"},  // 24 of them pass 1.7 10^13
      {offsets(729'000'000'000), "at most 23 runs"},
      {offsets(699'000'000'000), nullptr}};
  for (const auto& [change, why] : cases) {
    auto wrong = example_plan();
    change(wrong);
    const auto error = error_of([&] { write_plan(wrong, kExampleTemplate, path); });
    EXPECT_TRUE(why == nullptr ? error.empty() : error.find(why) != std::string::npos) << error;
  }
}

TEST(ProductionPlan, SeedsAreBelowTheLimit) {
  EXPECT_LT(planned_seed(kPlaces - 1, kSeedsOfRun), kSeedLimit);
  EXPECT_GE(planned_seed(kPlaces, kSeedsOfRun), kSeedLimit);
  EXPECT_EQ(static_cast<std::int64_t>(static_cast<float>(planned_seed(kPlaces - 1, kSeedsOfRun))),
            planned_seed(kPlaces - 1, kSeedsOfRun));
}

/// The card of the first run of a setting.
std::string card_of(const ProductionCard& card, std::size_t setting) {
  ProductionPlan plan;
  plan.settings = card.settings;
  plan.ranges = {{7, 2, 0}};
  plan.showers = 5;
  plan.sequences = card.sequences;
  return run_card(plan, card.text, planned_run(plan, 7 + 2 * static_cast<std::int64_t>(setting)));
}

TEST(ProductionCard, IsTheProfilesCardAtEveryPointOfTheGrid) {
  const auto profile = load_profile("veritas-gamma");
  BuildRequest parameters;
  parameters.energies = "production";
  parameters.showers = 5;
  const auto card = production_card(profile, parameters, {{20., 45.}, {61, 62}, {"1", "14"}});
  ASSERT_EQ(card.settings.size(), 8U);
  EXPECT_EQ(card.sequences, 4);
  std::set<std::string> cards;
  for (std::size_t i = 0; i < 8; ++i) cards.insert(card_of(card, i));
  EXPECT_EQ(cards.size(), 8U);
  // As overlay build renders it, but for run number, showers, seeds and USER.
  parameters.zenith = 45.;
  parameters.atmosphere = 62;
  auto expected = render_card(with_parameters(profile, parameters));
  expected.replace(expected.find("RUNNR 1\n"), 8, "RUNNR 13\n");
  expected.erase(expected.find("USER overlay\n"), 13);
  const auto seeds = expected.find("SEED 11 0 0\nSEED 13 0 0\nSEED 15 0 0\nSEED 17 0 0\n");
  ASSERT_NE(seeds, std::string::npos);
  expected.replace(seeds, 48, "SEED 61 0 0\nSEED 62 0 0\nSEED 63 0 0\nSEED 64 0 0\n");
  EXPECT_EQ(card_of(card, 3), expected);
}

TEST(ProductionCard, AnOwnCardKeepsAllButWhatARunChanges) {
  const std::string own =
      "RUNNR 3\nUSER jane\nHOST node7\nSEED 5 0 0\nSEED 6 0 0\nNSHOW 100\nTHETAP 20. 30.\nPRMPAR 14\n"
      "ATMOSPHERE 6 F\nOBSLEV 1.E5\nEXIT\n";
  const auto made = [](const std::string& card, const ProductionGrid& grid) {
    Profile profile;
    profile.card_template = card;
    return production_card(profile, {}, grid);
  };
  EXPECT_EQ(card_of(made(own, {}), 0),
            "RUNNR 7\nSEED 1 0 0\nSEED 2 0 0\nSEED 3 0 0\nSEED 4 0 0\nNSHOW 5\nTHETAP 20. 30.\nPRMPAR 14\n"
            "ATMOSPHERE 6 F\nOBSLEV 1.E5\nEXIT\n");
  const auto grid = made(own, {{40.}, {61}, {"1"}});
  const auto card = card_of(grid, 0);
  for (const char* line : {"THETAP  40. 40.\n", "ATMOSPHERE 61 F\n", "PRMPAR 1\n"})
    EXPECT_PRED2(holds, card, line);
  EXPECT_EQ(grid.settings[0].atmosphere, 61);
  EXPECT_EQ(made("SEED 1 0 0\nSEED 1 0 0\nSEED 1 0 0\n" + own, {}).sequences, 5);
  EXPECT_PRED2(holds, card_of(made("TELFIL '|${SIM}/x {a}' ! me@here\n" + own, {}), 0),
               "TELFIL '|${SIM}/x {a}' ! me@here\n");
  EXPECT_ERROR("placeholder @x@ is not known", made("USER @x@\n", {}));
}

TEST(ProductionCard, WholePathsAndOutputsElsewhereAreRefused) {
  for (const std::string line : {"TELFIL telescope.dat", "TELFIL |simtel --fast", "ATMOSPHERE 10 Y / Namibia",
                                 "OBSLEV 1800.E2   / Gamsberg", "DIRECT out/ /data/"})
    EXPECT_EQ(card_problem("DIRECT ./\n" + line + "\nEXIT\n", {"IACT"}), "") << line;
  for (const std::string line :
       {"DIRECT /data/", "TELFIL |/opt/simtel", "TELFIL \"/data/x\"", "DIRECT '/data/'",
        "TELFIL '|simtel -c /data/x'", "TELFIL '|simtel --cfg=/data/x'", "IACT setenv SITE = /data/site",
        "IACT SETENV SITE ~/site", "ATMOSPHERE 99 Y\nIACT ATMOFILE ~/air"})
    EXPECT_PRED2(holds, card_problem(line + "\nEXIT\n", {"IACT"}), "whole path") << line;
  EXPECT_PRED2(holds, card_problem("DIRECT ../there/\nEXIT\n", {}), "outside of the run folder");
}

}  // namespace
}  // namespace overlay
