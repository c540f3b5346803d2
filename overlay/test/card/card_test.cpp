// Cards, and the files and commands that they name.
#include "overlay/card/card.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

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

using Names = std::vector<std::string>;

std::string command(const std::string& card) { return telescope_command(Card(card)).value_or("none"); }

TEST(TelescopeOutput, TheLastLineCounts) {
  EXPECT_EQ(telescope_output(Card("NSHOW 1\n")), "telescope.dat");
  EXPECT_EQ(telescope_output(Card("TELFIL +./Light.dat:5:15\n")), "./Light.dat");
  EXPECT_EQ(telescope_output(Card("TELFIL a\n*(IACT) telfil b # later\n")), "b");
  EXPECT_EQ(telescope_output(Card("IACT TELFIL b\nTELFIL a\nEXIT\nTELFIL c\n")), "a");
}

TEST(TelescopeOutput, ACommandIsOneWordUnlessQuotedOrInAnIactLine) {
  EXPECT_EQ(command("TELFIL light.dat\n"), "none");
  EXPECT_EQ(command("TELFIL |cat -v\n"), "cat");
  EXPECT_EQ(command("TELFIL '|cat -v' ! all of it\n"), "cat -v");
  EXPECT_EQ(command("TELFIL \"+|sim_telarray -c 'x'\"\n"), "sim_telarray -c 'x'");
  EXPECT_EQ(command("IACT TELFIL |cat -v\n"), "cat -v");
  EXPECT_EQ(command("* (IACT) TELFIL |cat -v // all of it\n"), "cat -v");
  EXPECT_EQ(command("TELFIL |cat:5\n"), "cat") << "numbers of events to print";
}

TEST(TelescopeOutput, OptionsAndVariablesAsTheShellTakesThem) {
  EXPECT_EQ(command("TELFIL |cat\nIACT TELOPT -v -A\n"), "cat -v -A");
  EXPECT_EQ(command("TELFIL |$HOME/run_$(RUNNR)_${NSHOW}\n"), "$HOME/run_${RUNNR}_${NSHOW}");
}

TEST(TelescopeOutput, VariablesAsTheIactPackageReplacesThem) {
  const Card card("RUNNR 7\nNSHOW 20\nPRMPAR 14\nIACT setenv SITE = south $RUNNR\n*(IACT) setenv EMPTY\n");
  const auto name = [&](const char* text) { return with_variables(text, card).value_or("not known"); };
  EXPECT_EQ(name("light.dat"), "light.dat");
  EXPECT_EQ(name("run${RUNNR}_$(NSHOW)-$PRMPAR.zst"), "run7_20-14.zst");
  EXPECT_EQ(name("$SITE/x"), "south 7/x") << "a value may name variables";
  EXPECT_EQ(name("a$EMPTY.b$NO_SUCH_VARIABLE_IS_SET"), "a.b");
  setenv("TELESCOPE_OUTPUT_TEST", "here", 1);
  EXPECT_EQ(name("$TELESCOPE_OUTPUT_TEST/x"), "here/x");
  for (const char* unknown : {"$CORSIKA_VERSION", "$OBSLEV", "$1", "${RUNNR", "x$"})
    EXPECT_EQ(name(unknown), "not known") << unknown;
  EXPECT_EQ(with_variables("$LOOP", Card("IACT setenv LOOP $LOOP\n")), std::nullopt);
}

TEST(TelescopeOutput, AProgramIsPutBeforeEachCommand) {
  const auto changed = [](const std::string& card) { return card_with_command_behind(card, "sh ./p"); };
  EXPECT_EQ(changed("NSHOW 1\nTELFIL '|a b'\nEXIT\n"), "NSHOW 1\nTELFIL '|sh ./p a b'\nEXIT\n");
  EXPECT_EQ(changed("telfil +|a ! b\n"), "telfil '+|sh ./p a' ! b\n");
  EXPECT_EQ(changed("TELFIL |a'b'\n"), "TELFIL \"|sh ./p a'b'\"\n");
  EXPECT_EQ(changed("TELFIL \"|a 'b'\""), "TELFIL \"|sh ./p a 'b'\"");
  EXPECT_EQ(changed("*(IACT) TELFIL |a b\r\n"), "*(IACT) TELFIL |sh ./p a b\r\n");
  EXPECT_EQ(changed("TELFIL |a\r\n"), "TELFIL '|sh ./p a'\r\n");
  for (const char* same : {"TELFIL a|b\n", "* TELFIL |a\n", "EXIT\nTELFIL |a\n", "IACT setenv TELFIL |a\n"})
    EXPECT_EQ(changed(same), same);
  for (const char* card : {"TELFIL '|a b'\n", "TELFIL |a\n", "IACT TELFIL |a b\n", "TELFIL \"|a 'b'\"\n"})
    EXPECT_EQ(command(changed(card)), "sh ./p " + command(card));
}

const std::vector<std::string> kIact{"CERENKOV", "IACT"};
const std::string kTelescope = "TELESCOPE 0. 0. 0. 7.E2\n";

TEST(OutputPlaces, WhatStaysIsNotTold) {
  for (const char* card : {"", "DIRECT ./\n", "DIRECT ./a/../\n", "DIRECT 'out/'\n", "TELFIL /data/x\n"})
    EXPECT_EQ(outputs_elsewhere(card, kIact), "") << card;
  for (const char* telfil : {"light.dat", "+./Light.dat:5:15:10", "'|sim_telarray -c x'", "x_$OBSLEV.dat"})
    EXPECT_EQ(outputs_elsewhere("TELFIL " + std::string(telfil) + "\n" + kTelescope, kIact), "") << telfil;
  EXPECT_EQ(outputs_elsewhere("TELFIL /data/x\n" + kTelescope, {"CERENKOV"}), "") << "no IACT package";
}

// Groups that keep light alone leave DIRECT as it is.
TEST(OutputPlaces, WhereNothingIsWrittenDoesNotCount) {
  EXPECT_EQ(outputs_elsewhere("DIRECT /data/\nPAROUT F F\nLONGI T 20. F F\n", kIact), "");
  for (const char* more : {"PAROUT F T\n", "PAROUT F F\nDATBAS T\n", "PAROUT F F\nLONGI T 20. F T\n"})
    EXPECT_NE(outputs_elsewhere("DIRECT /data/\n" + std::string(more), kIact), "") << more;
  EXPECT_NE(outputs_elsewhere("DIRECT /data/\nPAROUT F F\n", {"CERENKOV"}), "") << "light on a grid";
}

TEST(OutputPlaces, OutsideOfTheRunFolder) {
  EXPECT_EQ(outputs_elsewhere("DIRECT /data/\n", {}),
            "the card writes outside of the run folder (DIRECT /data/), where runs would meet; give a "
            "relative name, as "
            "DIRECT ./");
  EXPECT_NE(outputs_elsewhere("DIRECT ../\n", {}), "");
  for (const char* name : {"/data/x", "../x", "$HOME/x.dat"})
    EXPECT_NE(outputs_elsewhere("TELFIL " + std::string(name) + "\n" + kTelescope, kIact), "") << name;
}

TEST(OutputPlaces, LightThatIsNotKept) {
  EXPECT_EQ(outputs_elsewhere("TELFIL /dev/null\n" + kTelescope, kIact),
            "the card's light is not kept (TELFIL /dev/null); give TELFIL the name of a file");
}

TEST(OutputPlaces, WhatCorsikaRefusesIsItsOwnToTell) {
  EXPECT_EQ(outputs_elsewhere("DIRECT /dev/null\n", {}), "");
}

TEST(InputFiles, OfTheIactPackageAndOfCorsika) {
  EXPECT_EQ(input_files(Card("IACT TELSAMPLE 1d:sampling.dat\n*(IACT) atmofile ./atm.dat\nINFILE 'stack'\n")),
            (Names{"sampling.dat", "atm.dat", "stack"}));
  EXPECT_EQ(input_files(Card("IACT EXTPRIM primaries\nEXIT\nIACT TELSAMPLE x\n")), Names{"primaries"});
}

TEST(InputFiles, OfTheCommandThatGetsTheLight) {
  EXPECT_EQ(input_files(Card("TELFIL '|./run_sim -c \"array.cfg\" -c /etc/own.cfg'\n")), Names{"run_sim"});
  EXPECT_EQ(input_files(Card("TELFIL |tee copy.dat\n")), Names{"tee"});
  EXPECT_EQ(input_files(Card("TELFIL telescope.dat\nDIRECT ./\n")), Names{}) << "outputs are no inputs";
}

TEST(InputFiles, NamesThatLeadElsewhereAreTheCardsBusiness) {
  EXPECT_EQ(input_files(Card("INFILE /data/stack\nIACT TELSAMPLE ../s\nIACT EXTPRIM ..\nATMFILE\n")),
            Names{});
}

}  // namespace
}  // namespace overlay
