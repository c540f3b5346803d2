// Cards of productions: the profile's, a user's own, and those that cannot go to other machines.
#include "overlay/production/card_template.hpp"

#include <gtest/gtest.h>

#include <set>

#include "error_of.hpp"
#include "overlay/build/profile.hpp"

namespace overlay {
namespace {

/// The card of the first run of a setting.
std::string card_of(const ProductionCard& card, std::size_t setting) {
  ProductionPlan plan;
  plan.settings = card.settings;
  plan.runs_per_setting = 2;
  plan.first_run = 7;
  plan.showers = 5;
  plan.sequences = card.sequences;
  return run_card(plan, card.text, planned_run(plan, 7 + 2 * static_cast<std::int64_t>(setting)));
}

TEST(ProductionCard, IsTheProfilesCardAtEveryPointOfTheGrid) {
  const auto profile = load_profile("veritas-gamma");
  Parameters parameters;
  parameters.production_energies = true;
  parameters.showers = 5;
  const auto card = profile_production_card(profile, parameters, {{20., 45.}, {61, 62}, {"1", "14"}}, false);
  ASSERT_EQ(card.settings.size(), 8U);
  EXPECT_EQ(card.sequences, 4);
  std::set<std::string> cards;
  for (std::size_t i = 0; i < 8; ++i) cards.insert(card_of(card, i));
  EXPECT_EQ(cards.size(), 8U);
  // As overlay build renders it, but for run number, showers and seeds.
  parameters.zenith = 45.;
  parameters.atmosphere = 62;
  auto expected = render_card(with_parameters(profile, parameters), false);
  expected.replace(expected.find("RUNNR 1\n"), 8, "RUNNR 13\n");
  const auto seeds = expected.find("SEED 11 0 0\nSEED 13 0 0\nSEED 15 0 0\nSEED 17 0 0\n");
  ASSERT_NE(seeds, std::string::npos);
  expected.replace(seeds, 48, "SEED 61 0 0\nSEED 62 0 0\nSEED 63 0 0\nSEED 64 0 0\n");
  EXPECT_EQ(card_of(card, 3), expected);
  EXPECT_NE(expected.find("ERANGE 50. 200000."), std::string::npos);  // by the zenith angle
  EXPECT_NE(expected.find("CSCAT 5 1000.E2"), std::string::npos);
}

TEST(ProductionCard, AnOwnCardKeepsAllButWhatARunChanges) {
  const std::string own =
      "RUNNR 3\nUSER jane\nHOST node7\nSEED 5 0 0\nSEED 6 0 0\nNSHOW 100\nTHETAP 20. 30.\nPRMPAR 14\n"
      "ATMOSPHERE 6 F\nOBSLEV 1.E5\nEXIT\n";
  EXPECT_EQ(card_of(own_production_card(own, {}), 0),
            "SEED 1 0 0\nSEED 2 0 0\nSEED 3 0 0\nSEED 4 0 0\nRUNNR 7\nNSHOW 5\nTHETAP 20. 30.\nPRMPAR 14\n"
            "ATMOSPHERE 6 F\nOBSLEV 1.E5\nEXIT\n");
  const auto grid = own_production_card(own, {{40.}, {61}, {"1"}});
  const auto card = card_of(grid, 0);
  EXPECT_NE(card.find("THETAP 40. 40.\n"), std::string::npos) << card;
  EXPECT_NE(card.find("ATMOSPHERE 61 F\n"), std::string::npos) << card;
  EXPECT_NE(card.find("PRMPAR 1\n"), std::string::npos) << card;
  EXPECT_EQ(grid.settings[0].atmosphere, 61);
  EXPECT_NE(error_of([] { own_production_card("USER {x}\n", {}); }).find("brace"), std::string::npos);
}

TEST(ProductionCard, MoreSeedLinesMeanMoreSequences) {
  std::string own;
  for (int i = 0; i < 6; ++i) own += "SEED 1 0 0\n";
  EXPECT_EQ(own_production_card(own, {}).sequences, 6);
}

TEST(ProductionCard, WholePathsAndOutputsElsewhereAreRefused) {
  EXPECT_EQ(card_problem("DIRECT ./\nTELFIL telescope.dat\nEXIT\n", {"IACT"}), "");
  EXPECT_EQ(card_problem("DIRECT ./\nTELFIL |simtel --fast\nEXIT\n", {"IACT"}), "");
  for (const std::string line :
       {"DIRECT /data/", "TELFIL |/opt/simtel", "TELFIL \"/data/x\"", "DIRECT '/data/'"})
    EXPECT_NE(card_problem(line + "\nEXIT\n", {"IACT"}).find("whole path"), std::string::npos) << line;
  EXPECT_NE(card_problem("DIRECT ../there/\nEXIT\n", {}).find("outside of the run folder"),
            std::string::npos);
}

}  // namespace
}  // namespace overlay
