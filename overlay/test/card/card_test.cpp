// Cards: lines, words, and changed texts.
#include "overlay/card/card.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace overlay {
namespace {

TEST(Card, KeywordsInAnyCaseUntilExit) {
  const Card card("runnr 12\nNShow\t4  ! showers\n* NSHOW 5\nC NSHOW 6\nexit\nNSHOW 7\n");
  EXPECT_EQ(card.showers(), 4);
  EXPECT_EQ(card.run_number(), 12);
  EXPECT_EQ(card.lines().size(), 2U);
}

TEST(Card, TheEndOfTheTextEndsACardTooAndTheLastValueCountsElseCorsikasDefaults) {
  EXPECT_EQ(Card("NSHOW 4\nNSHOW 6").showers(), 6);
  EXPECT_EQ(Card("NSHOW 4\r\nRUNNR 9\r\n").run_number(), 9);
  EXPECT_EQ(Card("EXIT\n").showers(), 10);
  EXPECT_EQ(Card("NSHOW 0\n").showers(), 1);
  EXPECT_EQ(Card("").run_number(), 1);
  EXPECT_EQ(Card("").atmosphere(), 0);
}

TEST(Card, ALineThatBeginsWithABlankIsNoKeyword) {
  EXPECT_FALSE(Card(" TELFIL x\n\tTELFIL x\n      TELFIL x\n").has("TELFIL"));
}

TEST(Card, LinesOfTheIactPackageMayStandInComments) {
  const Card card("*(IACT) TELFIL a\n* (IACT) TELFIL b\n* IACT TELFIL c\nIACT telfil d\n");
  ASSERT_EQ(card.lines().size(), 3U);
  EXPECT_EQ(card.lines()[1].rest, " TELFIL b");
  EXPECT_EQ(*card.last("IACT"), " telfil d");
}

TEST(Card, AtmosphereInLowerCaseWithATab) {
  EXPECT_EQ(Card("Atmosphere\t61 T\n").atmosphere(), 61);
  EXPECT_EQ(Card("NSHOW 1\nATMOD 1\n").atmosphere(), 0);
}

TEST(Card, WordsEndAtBlanksAndAtAComment) {
  EXPECT_EQ(card_word(" T 20. F!T", 3), "F");
  EXPECT_EQ(card_word(" T 20. F!T", 4), "");
  EXPECT_EQ(card_word("  \"a b\" c", 1), "a b");
  EXPECT_EQ(card_word("  \"a b\" c", 2), "c");
  EXPECT_EQ(card_word("  'a b", 1), "a b") << "a quote that is not closed";
  EXPECT_EQ(card_word("  '", 2), "");
  EXPECT_EQ(card_word("", 1), "");
}

TEST(Card, LogicalsAndNumbers) {
  for (const char* yes : {"T", "t", ".true.", "yes", "On", "1"}) EXPECT_TRUE(card_logical(yes, false)) << yes;
  for (const char* no : {"F", "f", ".False.", "no", "OFF", "0"}) EXPECT_FALSE(card_logical(no, true)) << no;
  EXPECT_TRUE(card_logical("maybe", true));
  EXPECT_EQ(card_integer("12", 0), 12);
  EXPECT_EQ(card_integer("12x", 5), 5);
  EXPECT_EQ(card_integer("99999999999999999999", 5), 5);
}

TEST(Card, AnyBytesSurvive) {
  std::string text = "USER Jos\xe9\nNSHOW 2\n";
  text.insert(text.begin() + 8, '\0');
  const Card card(text);
  EXPECT_EQ(card.showers(), 2);
  EXPECT_EQ(card.last("USER")->size(), 6U);
}

TEST(CardWithShowers, ReplacesNothingButTheNumber) {
  EXPECT_EQ(card_with_showers("RUNNR 1\r\nnshow 10 many\r\nexit\r\nNSHOW 3", 2),
            "RUNNR 1\r\nNSHOW   2\r\nexit\r\nNSHOW 3");
  EXPECT_EQ(card_with_showers("NSHOW 1\nNSHOW 3", 2), "NSHOW   2\nNSHOW   2");
}

TEST(CardWithShowers, ACardThatDoesNotSayGetsALine) {
  EXPECT_EQ(card_with_showers("EXIT\n", 2), "NSHOW   2\nEXIT\n");
  EXPECT_EQ(Card(card_with_showers("RUNNR 1", 2)).showers(), 2);
}

TEST(CardOfOneLowShower, IsShortAndANucleusKeepsEnoughEnergyForItsMass) {
  for (const auto& [card, low] :
       {std::pair{"nshow 2000\nPRMPAR 1\nERANGE 300. 3000.\nESLOPE -1.5\nEXIT\n",
                  "NSHOW   1\nPRMPAR 1\nERANGE  100. 100.\nESLOPE -1.5\nEXIT\n"},
        {"NSHOW 5\nerange 3.E1 2.E5\n", "NSHOW   1\nERANGE  3.E1 3.E1\n"},
        {"NSHOW 5\n", "NSHOW   1\n"},
        {"PARALLEL 5. 30. 1 F\nERANGE 1.E3 2.E3\nNSHOW 5\n",
         "PARALLEL 5. 30. 1 F\nERANGE  1.E3 1.E3\nNSHOW   1\n"},
        {"ERANGE 1.E5 1.E6\nPRMPAR 5626\nNSHOW 3\n", "ERANGE  5600. 5600.\nPRMPAR 5626\nNSHOW   1\n"}})
    EXPECT_EQ(card_of_one_low_shower(card), low);
}

TEST(Card, LinesOfAKeywordAreTakenOutUpToExit) {
  const std::string card =
      "RUNNR 1\nTELESCOPE 1 2 3 4\r\n  TELESCOPE in a comment\ntelescope 5 6 7 8\nEXIT\nTELESCOPE 9\n";
  EXPECT_EQ(card_with_lines(card, "TELESCOPE", {"TELESCOPE a", "TELESCOPE b"}),
            "TELESCOPE a\nTELESCOPE b\nRUNNR 1\n  TELESCOPE in a comment\nEXIT\nTELESCOPE 9\n");
  EXPECT_EQ(card_with_lines("NSHOW 1", "SEED", {}), "NSHOW 1");
}

TEST(Card, PlaceholdersAreNamesBetweenTwoAtSigns) {
  const std::map<std::string, std::string> values{{"NSHOW", "3"}, {"a_1", "@NSHOW@"}};
  EXPECT_EQ(filled_in("NSHOW @NSHOW@@a_1@\n", values), "NSHOW 3@NSHOW@\n");
  for (const char* same : {"", "@", "USER jane@home.org\n", "TELFIL '|ssh a@b c@d ${X} {Y}'", "@@ @1@ @N-@"})
    EXPECT_EQ(filled_in(same, values), same);
  EXPECT_EQ(error_of([&] { filled_in("NSHOW @NSHOWS@\n", values); }),
            "the placeholder @NSHOWS@ is not known; there are NSHOW, a_1");
}

}  // namespace
}  // namespace overlay
