// Cards: lines, words, and changed texts.
#include "overlay/card/card.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

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
  EXPECT_EQ(Card("Atmosphere\t61 T\n").atmosphere(), 61);
  EXPECT_EQ(Card("NSHOW 1\nATMOD 1\n").atmosphere(), 0);
  EXPECT_FALSE(Card(" TELFIL x\n\tTELFIL x\n      TELFIL x\n").has("TELFIL")) << "no keyword";
}

TEST(Card, LinesOfTheIactPackageMayStandInComments) {
  const Card card("*(IACT) TELFIL a\n* (IACT) TELFIL b\n* IACT TELFIL c\nIACT telfil d\n");
  ASSERT_EQ(card.lines().size(), 3U);
  EXPECT_EQ(card.lines()[1].rest, " TELFIL b");
  EXPECT_EQ(*card.last("IACT"), " telfil d");
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

TEST(CardWithShowers, ReplacesNothingButTheNumberAndACardWithoutOneGetsALine) {
  EXPECT_EQ(card_with_showers("RUNNR 1\r\nnshow 10 many\r\nexit\r\nNSHOW 3", 2),
            "RUNNR 1\r\nNSHOW   2\r\nexit\r\nNSHOW 3");
  EXPECT_EQ(card_with_showers("NSHOW 1\nNSHOW 3", 2), "NSHOW   2\nNSHOW   2");
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

// What a card may not say, by a source of our own in CORSIKA's form.

/// Keywords and limits as CORSIKA's lines have them.
const std::string kSource = R"(
#if __CURVED__ && __CERENKOV__
      IF (THETPR(2) .GT. 80.D0) THEN
#elif __CURVED__
      IF (THETPR(2) .GT. 85.) THEN
#else /* flat */
      IF (THETPR(2) .GT. 60.D0) THEN
#endif
#if __CONEX__ && !__IACT__
      IF (PRMPAR(0) .GT. 30000.D0 .OR. PRMPAR(0) .LE. 0.) THEN
#else
      IF (PRMPAR(0) .GT. 5600. .OR. PRMPAR(0) .LE. 0.D0) THEN
#endif
      IF (PRMPAR(0) .GT. 40000.D0) THEN
C     LINE(1:5) .EQ. 'NEVER'
      IF (LINE(1:1) .EQ. '*') GO TO 1
      IF (LINE(1:6) .EQ. '      ') GO TO 1
      IF (LINE(1:2) .EQ. 'C ') GO TO 1
      IF (LINE(1:1) .EQ. '!') N = N + 1
#if __IACT__
      IF (LINE(1:5) .EQ. 'IACT ') GO TO 1
#endif
      IF (LINE(1:5) .EQ. 'NSHOW') GO TO 1
#if !__STACKIN__
      IF (LINE(1:6) .EQ. 'PRMPAR') GO TO 1
#endif
      IF (LINE(1:6) .EQ. 'THETAP') GO TO 1
#if __CERENKOV__ && __IACT__
      IF (LINE(1:6) .EQ. 'TELFIL') GO TO 1
#endif
#if !__CURVED__ && (!__SLANT__ || __ODD__)
      IF (LINE(1:6) .EQ. 'TSTART') GO TO 1
#endif
#ifdef __QGSII__
      IF (LINE(1:6) .EQ. 'QGSJET') GO TO 1
#else
      IF (LINE(1:6) .EQ. 'SIBYLL') GO TO 1
#endif
      IF (LINE(1:6) .EQ. 'EPOPAR' .OR. LINE(1:4) .EQ. 'EPOS') GO TO 1
#ifndef __SLANT__
      IF (LINE(1:4) .EQ. 'FLAT' .OR. LINE(1:4) .EQ. 'EVEN') GO TO 1
#endif
)";

TEST(CardRefusal, KeywordsPrimariesAndZenithAngles) {
  using Names = std::vector<std::string>;
  const Names light{"CERENKOV", "IACT", "SLANT"}, dark{"SLANT"}, curved{"CURVED"}, all{"CURVED", "CERENKOV"};
  const std::tuple<Names, std::string, const char*> cases[] = {
      {light,
       "NSHOW 1\nprmpar 5526\nTHETAP 60. 6.D1\nTELFIL x\n* x\n\n \r\nC z\n\t\t    a\nIACT setenv\n*(IACT) "
       "x\nEXIT\nJUNK",
       ""},
      {light, "NSHOW 1\nJUNK 3\n", "CORSIKA has no keyword JUNK; correct the line or delete it"},
      {light, "NSHWO 3\n", "CORSIKA has no keyword NSHWO; did you mean NSHOW?"},
      {light, "NEVER\n", "no keyword NEVER"},
      {light, "NSHWO 3\nJUNK\nJUNK\nPRMPAR 0\n",
       "mean NSHOW?; also: CORSIKA has no keyword JUNK; correct the line or delete it; also: CORSIKA takes"},
      {light, "! x\n",
       "CORSIKA takes no line that begins with !: '! x'; begin it with a keyword, or with * for"},
      {light, "// x\n", "takes no line that begins with //: '// x'; begin"},
      {light, "\xe9 x\n", "takes no line that begins with \xe9: "},
      {{"EPOS"}, "NSHOW 1\n", "EPOS needs its parameters: the card has no EPOPAR; copy"},
      {{"EPOS"}, "epopar input x\n", ""},
      {{"EPOS"}, "EPOS F 0\n", ""},
      {light, " NSHOW 1\n", "CORSIKA takes no line that begins with a blank: ' NSHOW 1'"},
      {dark, "IACT x\n*(IACT) x\n", "IACT is a keyword only of builds with IACT; delete"},
      {light, "NSHOWERS 1\n", ""},  // CORSIKA looks at the first letters
      {dark, "TELFIL x\n",
       "TELFIL is a keyword only of builds with CERENKOV and IACT; delete the line, or build with other"},
      {light, "TSTART T\n", ""},  // of ODD nothing is known
      {curved, "TSTART T\n", "of builds without CURVED and (without SLANT or ODD)"},
      {light, "FLAT\n", "FLAT is a keyword only of builds without (SLANT)"},
      {light, "EVEN\n", "EVEN is a keyword only of builds without (SLANT)"},
      {curved, "EVEN\n", ""},
      {light, "QGSJET T\nSIBYLL T\n", ""},
      {dark, "PRMPAR 5601\n", "primaries of 1 to 5600 (PRMPAR), and not 5601; 1 is a gamma"},
      {dark, "PRMPAR 0\n", "and not 0;"},
      {{"CONEX"}, "PRMPAR 9943\n", ""},
      {dark, "PRMPAR 2627\n", "the primary 2627 (PRMPAR) has 27 protons in 26 nucleons"},
      {dark, "PRMPAR 403\n", "403 (PRMPAR) has 3 protons in 4 nucleons"},  // as --primary has it
      {dark, "PRMPAR 176\nPRMPAR gamma\n", ""},                            // the program says it
      {dark, "THETAP 20. 60.1\n",
       "angles of 0 to 60 degrees (THETAP), and not 60.1; give less, or add CURVED"},
      {dark, "THETAP 20. 86\n", "and not 86; give less$"},
      {dark, "THETAP -1 0\n", "and not -1; give more$"},
      {all, "THETAP 80 80\n", ""},
      {all, "THETAP 81 81\n", "0 to 80 degrees (THETAP), and not 81; give less"},
      {curved, "THETAP 85 85\n", ""},
      {curved, "THETAP 95 95\n", "0 to 85"},
      {{"UPWARD"}, "THETAP 95 95\n", ""}};
  for (const auto& [on, text, why] : cases) {
    Names off;
    for (const std::string name : {"CERENKOV", "IACT", "SLANT", "CURVED", "UPWARD", "CONEX", "STACKIN"})
      if (std::find(on.begin(), on.end(), name) == on.end()) off.push_back(name);
    const std::string said = card_refusal(text, kSource, on, off) + "$";
    EXPECT_TRUE(*why == '\0' ? said == "$" : said.find(why) != std::string::npos) << text << ": " << said;
  }
}

TEST(CardRefusal, LinesOfAnotherProgramAreLeftOut) {
  EXPECT_EQ(card_of_known_lines("NSHOW 1\nFLAT\n* x\nTHETAP 1 1\nEXIT\nJUNK", kSource, {"SLANT"}, {"CURVED"}),
            "NSHOW 1\n* x\nTHETAP 1 1\nEXIT\nJUNK");
}

TEST(CardRefusal, WhereOptionsOrTheFormOfTheSourceAreNotKnownNothingIsRefused) {
  const std::string card = "NSHOW 1\nTSTART T\nTHETAP 84 84\nPRMPAR 9926\nTELFIL x\n";
  EXPECT_EQ(card_refusal(card, kSource, {}, {}), "");
  EXPECT_EQ(card_refusal(card + "JUNK\n", "      PROGRAM OTHER\n#endif\n#else\n", {}, {"UPWARD"}), "");
}

// What cards name: files, folders and commands.

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
  EXPECT_EQ(outputs_elsewhere("DIRECT /dev/null\n", {}), "") << "CORSIKA refuses it, and says why";
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
            "relative name, as DIRECT ./");
  EXPECT_NE(outputs_elsewhere("DIRECT ../\n", {}), "");
  EXPECT_EQ(outputs_elsewhere("TELFIL /dev/null\n" + kTelescope, kIact),
            "the card's light is not kept (TELFIL /dev/null); give TELFIL the name of a file");
  for (const char* name : {"/data/x", "../x", "$HOME/x.dat"})
    EXPECT_NE(outputs_elsewhere("TELFIL " + std::string(name) + "\n" + kTelescope, kIact), "") << name;
}

TEST(OutputPlaces, AreBroughtIntoTheRunFolder) {
  for (const auto& [line, here] : {std::pair{"DIRECT /data/run1/", "DIRECT ./"},
                                   {"direct '../x'", "direct './x'"},
                                   {"TELFIL /data/x.zst", "TELFIL ./x.zst"},
                                   {"IACT TELFIL +$HOME/a/x:5", "IACT TELFIL +./x:5"},
                                   {"TELFIL |/opt/sim /data/x", "TELFIL |/opt/sim /data/x"},
                                   {"TELFIL out/x", "TELFIL out/x"},
                                   {"TELFIL /dev/null", "TELFIL /dev/null"},
                                   {"TELFIL /dev/shm/x", "TELFIL ./x"},
                                   {"DATDIR /data/", "DATDIR /data/"}})
    EXPECT_EQ(card_with_outputs_here(line), here);
}

/// What a card names in one of these ways: "KEYWORD name".
std::vector<std::string> named(const std::string& card, std::initializer_list<Names> ways) {
  std::vector<std::string> result;
  for (const auto& [how, keyword, name] : named_files(Card(card)))
    if (std::ranges::find(ways, how) != ways.end()) result.push_back(keyword + " " + name);
  return result;
}

using Texts = std::vector<std::string>;
constexpr auto kRead = {Names::input, Names::optional_input, Names::tables, Names::command};

TEST(NamedFiles, WhatIsRead) {
  EXPECT_EQ(
      named("IACT TELSAMPLE 1d:sampling.dat\nINFILE 'stack'\nDATDIR tables/\natmfile a/b\nCUTFILE c 1 2\n",
            kRead),
      (Texts{"IACT TELSAMPLE sampling.dat", "INFILE stack", "DATDIR tables/", "ATMFILE a/b", "CUTFILE c"}));
  EXPECT_EQ(named("*(IACT) extprim text:p\nEXIT\nIACT TELSAMPLE x\n", kRead), Texts{"IACT EXTPRIM p"});
  EXPECT_EQ(
      named("EPOPAR input ../epos/epos.param\nEPOPAR fname inics e/epos.inics\nepopar fname check none\n",
            kRead),
      (Texts{"EPOPAR ../epos/epos.param", "EPOPAR e/epos.inics"}));
  EXPECT_EQ(named("INFILE\nTELFIL telescope.dat\nDIRECT ./\n", kRead), Texts{}) << "outputs are no inputs";
}

TEST(NamedFiles, TheCommandThatGetsTheLight) {
  EXPECT_EQ(named("TELFIL '|./run_sim -c \"array.cfg\" -c /etc/own.cfg'\n", kRead),
            Texts{"TELFIL ./run_sim"});
  EXPECT_EQ(named("TELFIL |tee copy.dat\n", kRead), Texts{"TELFIL tee"});
}

// As simtools writes cards.
TEST(NamedFiles, TheAtmosphereByNumberAndByName) {
  EXPECT_EQ(atmosphere_file(Card("ATMOSPHERE 99 Y\nIACT ATMOFILE site.dat # ours\n")), "site.dat");
  EXPECT_EQ(atmosphere_file(Card("* (IACT) atmofile /data/site.dat\nATMOSPHERE 99 T\n")), "/data/site.dat");
  EXPECT_EQ(atmosphere_file(Card("ATMOSPHERE 99 Y\n")), "atmprof99.dat");
  EXPECT_EQ(atmosphere_file(Card("ATMOSPHERE 6 Y\nIACT ATMOFILE site.dat\n")), "atmprof6.dat")
      << "the number counts";
  EXPECT_EQ(atmosphere_file(Card("IACT ATMOFILE site.dat\n")), "");
  EXPECT_EQ(named("ATMOSPHERE 99 Y\nIACT ATMOFILE site.dat\n", kRead), Texts{"ATMOSPHERE site.dat"});
}

TEST(NamedFiles, FoldersThatOutputsNeed) {
  EXPECT_EQ(output_folders(Card("DIRECT out/\nTELFIL 'light/$RUNNR/t.zst'\nRUNNR 4\n")),
            (Texts{"out", "light/4"}));
  EXPECT_EQ(output_folders(Card("DIRECT a/b/pre\nOUTFILE ./c/d\n")), (Texts{"a/b", "c"}));
  for (const char* none :
       {"DIRECT ./\n", "DIRECT pre\n", "DIRECT /data/\n", "DIRECT ../\n", "TELFIL '|tee a/b'\n", ""})
    EXPECT_EQ(output_folders(Card(none)), Texts{}) << none;
}

TEST(NamedFiles, AnUnquotedCommandIsItsFirstWord) {
  EXPECT_EQ(unquoted_command(Card("TELFIL |tee keep | cat  ! all\n")),
            "CORSIKA takes only the first word of TELFIL, |tee; put the command into quotes: TELFIL '|tee "
            "keep | cat'");
  for (const char* right :
       {"TELFIL '|tee keep | cat'\n", "IACT TELFIL |tee keep\n", "TELFIL |tee ! keep\n", "TELFIL a b\n"})
    EXPECT_EQ(unquoted_command(Card(right)), "") << right;
}

TEST(Particles, NamesAndCodesAreCodes) {
  const std::pair<const char*, const char*> known[] = {
      {"gamma", "1"},    {"Positron", "2"},    {"electron", "3"},   {"PROTON", "14"},
      {"helium", "402"}, {"nitrogen", "1407"}, {"silicon", "2814"}, {"iron", "5626"},
      {"5626", "5626"},  {"014", "14"},        {"402", "402"},      {"302", "302"}};
  for (const auto& [text, code] : known) EXPECT_EQ(particle_code(text), code);
  for (const char* wrong : {"", "gama", "0", "-1", "1.", "203", "403", "9999", "25100", "1,14"})
    EXPECT_NE(error_of([&] { particle_code(wrong); }).find("no primary is called '"), std::string::npos)
        << wrong;
  EXPECT_EQ(particle_name("1407"), "nitrogen");
  EXPECT_EQ(particle_name("75"), "75");
}

}  // namespace
}  // namespace overlay
