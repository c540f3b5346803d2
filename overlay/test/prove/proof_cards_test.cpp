// The short runs of a proof: every quantity varies, and the rest of the card stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "error_of.hpp"
#include "overlay/card/card.hpp"
#include "overlay/prove/prove.hpp"

namespace overlay {
namespace {

const std::string kCard =
    "RUNNR 7\nNSHOW 2000\nSEED 1 0 0\nSEED 2 0 0\nSEED 3 0 0\nSEED 4 0 0\nSEED 5 0 0\nPRMPAR 1\n"
    "ERANGE 30. 2.E5\nTHETAP 20. 20.\nPHIP 0. 360.\nHILOW 100.\nMAGNET 25.2 40.88\nLONGI T 20. F F\n"
    "OBSLEV 1270.E2\nCWAVLG 250. 700.\nTELESCOPE 1.E2 2.E2 0. 7.E2\nTELESCOPE 3.E2 4.E2 0. 7.E2\nTELFIL "
    "|gzip > light.gz\n*(IACT) TELFIL "
    "other.dat\n"
    "*(IACT) TELSAMPLE 1 2 3\nATMOSPHERE 61 T\nDIRECT /data/runs/\nPAROUT F F\nEXIT\nNSHOW 3\n";
const CardLimits kCorsika{{"IACT", "ATMEXT", "SLANT"}, false};
constexpr std::uint64_t kSteps = 400000;

std::string value(const std::string& card, const char* keyword, int word = 1) {
  const Card read(card);
  const std::string* rest = read.last(keyword);
  return rest == nullptr ? "none" : card_word(*rest, word);
}

/// The values of a word in the first period of runs.
std::set<std::string> values(const CardLimits& limits, const char* keyword, int word = 1,
                             std::uint64_t steps = kSteps) {
  std::set<std::string> found;
  for (int i = 0; i < kCardPeriod; ++i)
    found.insert(value(proof_card(kCard, limits, i, steps).card, keyword, word));
  return found;
}

TEST(ProofCards, EveryQuantityTakesAllItsValuesInOnePeriod) {
  using Set = std::set<std::string>;
  EXPECT_EQ(values(kCorsika, "PRMPAR"), (Set{"1", "3", "6", "14", "5626"}));
  EXPECT_EQ(values(kCorsika, "THETAP"), (Set{"0.00", "20.00", "40.00", "55.00", "65.00", "70.00"}));
  EXPECT_EQ(values(kCorsika, "CERSIZ"), (Set{"1.0", "5.0", "20.0"}));
  EXPECT_EQ(values(kCorsika, "ATMOSPHERE", 1), (Set{"61", "0"}));
  EXPECT_EQ(values(kCorsika, "ATMOSPHERE", 2), (Set{"T", "F"}));
  EXPECT_EQ(values(kCorsika, "LONGI", 1), (Set{"T", "F"}));
  EXPECT_GE(values(kCorsika, "LONGI", 2).size(), 4u);
  EXPECT_GE(values(kCorsika, "CSCAT").size(), 3u);
  EXPECT_EQ(values(kCorsika, "PHIP").size(), static_cast<std::size_t>(kCardPeriod));
  EXPECT_GE(values(kCorsika, "ERANGE").size(), 7u);
  EXPECT_EQ(values(kCorsika, "OBSLEV"), (Set{"1270.E2", "2200.E2", "4200.E2", "6000.E2"}));
  EXPECT_EQ(values(kCorsika, "CWAVLG"), (Set{"250.", "300."}));
  std::set<std::size_t> telescopes;
  for (int i = 0; i < kCardPeriod; ++i) {
    const Card card(proof_card(kCard, kCorsika, i, kSteps).card);
    telescopes.insert(static_cast<std::size_t>(
        std::count_if(card.lines().begin(), card.lines().end(),
                      [](const CardLine& line) { return line.keyword == "TELESCOPE"; })));
  }
  EXPECT_EQ(telescopes, (std::set<std::size_t>{1, 2, 60}));
}

TEST(ProofCards, SeedsAreOfEachRunsOwnAndAsManyAsTheCardHas) {
  std::set<std::string> seeds;
  for (int i = 0; i < 100; ++i) {
    const Card card(proof_card(kCard, kCorsika, i, kSteps).card);
    int count = 0;
    for (const auto& line : card.lines())
      if (line.keyword == "SEED") {
        ++count;
        EXPECT_TRUE(seeds.insert(card_word(line.rest, 1)).second);
      }
    EXPECT_EQ(count, 5);
  }
}

TEST(ProofCards, OutputsAreFilesInTheRunFolderAndAllElseStays) {
  const auto card = proof_card(kCard, kCorsika, 0, kSteps).card;
  EXPECT_EQ(value(card, "TELFIL"), "telescope.dat");
  EXPECT_EQ(card.find("other.dat"), std::string::npos);
  EXPECT_PRED2(holds, card, "*(IACT) TELSAMPLE 1 2 3\n");
  EXPECT_EQ(value(card, "DIRECT"), "./");
  EXPECT_EQ(value(card, "PAROUT"), "T");
  EXPECT_EQ(value(card, "RUNNR"), "1");
  EXPECT_PRED2(holds, card, "MAGNET 25.2 40.88\n");
  EXPECT_TRUE(card.ends_with("EXIT\nNSHOW 3\n"));  // CORSIKA reads nothing behind EXIT
  EXPECT_EQ(proof_card(kCard, kCorsika, 0, kSteps).card, card);
}

TEST(ProofCards, WithCurvedGeometryZenithAnglesGoToEightyFiveDegrees) {
  const CardLimits curved{{"IACT", "ATMEXT", "SLANT", "CURVED"}, false};
  EXPECT_EQ(values(curved, "THETAP"), (std::set<std::string>{"0.00", "45.00", "70.00", "80.00"})) << "from";
  EXPECT_FALSE(values(curved, "OBSLEV").contains("6000.E2"));  // CORSIKA has one level with CURVED
  const auto card = "VIEWCONE 0. 10.\n" + kCard;
  for (int i = 0; i < kCardPeriod; ++i)
    EXPECT_LE(std::stod(value(proof_card(card, curved, i, kSteps).card, "THETAP")), 75.);
}

TEST(ProofCards, TheStandInGetsWhatItKnows) {
  const CardLimits standin{{"IACT", "ATMEXT"}, true};
  EXPECT_EQ(values(standin, "PRMPAR"), (std::set<std::string>{"1", "3", "6"}));
  EXPECT_EQ(values(standin, "ATMOSPHERE", 1), (std::set<std::string>{"0", "1"}));
  EXPECT_FALSE(values(standin, "OBSLEV").contains("6000.E2"));  // it has one level
}

}  // namespace
}  // namespace overlay
