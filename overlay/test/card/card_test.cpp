// Cards: lines, words, and changed texts.
#include "overlay/card/card.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "error_of.hpp"

namespace overlay {
namespace {

using Texts = std::vector<std::string>;

TEST(Card, LinesUpToExitWithKeywordsInAnyCaseAndTheLastValueCounts) {
  using namespace std::string_literals;
  const Card card("runnr 12\nNShow\t4  ! showers\n* NSHOW 5\nC NSHOW 6\nUSER Jos\0\xe9\nexit\nNSHOW 7\n"s);
  EXPECT_EQ(card.run_number(), 12);
  EXPECT_EQ(card.showers(), 4);
  EXPECT_EQ(card.lines().size(), 3U);
  EXPECT_EQ(*card.last("USER"), " Jos\0\xe9"s);
  for (const auto& [text, showers] :
       {std::pair{"NSHOW 4\nNSHOW 6", 6}, {"NSHOW 4\r\nRUNNR 9\r\n", 4}, {"EXIT\n", 10}, {"NSHOW 0\n", 1}})
    EXPECT_EQ(Card(text).showers(), showers) << text;
  EXPECT_EQ(Card("").run_number(), 1);
  for (const auto& [text, table] : {std::pair{"", 0}, {"Atmosphere\t61 T\n", 61}, {"NSHOW 1\nATMOD 1\n", 0}})
    EXPECT_EQ(Card(text).atmosphere(), table) << text;
  EXPECT_FALSE(Card(" TELFIL x\n\tTELFIL x\n      TELFIL x\n").has("TELFIL")) << "no keyword";
  const Card iact("*(IACT) TELFIL a\n* (IACT) TELFIL b\n* IACT TELFIL c\nIACT telfil d\n");
  ASSERT_EQ(iact.lines().size(), 3U) << "lines of the IACT package may stand in comments";
  EXPECT_EQ(iact.lines()[1].rest, " TELFIL b");
  EXPECT_EQ(*iact.last("IACT"), " telfil d");
}

TEST(Card, WordsLogicalsAndNumbers) {
  for (const auto& [rest, n, word] : {std::tuple{" T 20. F!T", 3, "F"},
                                      {" T 20. F!T", 4, ""},
                                      {"  \"a b\" c", 1, "a b"},
                                      {"  \"a b\" c", 2, "c"},
                                      {"  'a b", 1, "a b"},
                                      {"  '", 2, ""},
                                      {"", 1, ""}})
    EXPECT_EQ(card_word(rest, n), word) << rest;
  for (const char* yes : {"T", "t", ".true.", "yes", "On", "1"}) EXPECT_TRUE(card_logical(yes, false)) << yes;
  for (const char* no : {"F", "f", ".False.", "no", "OFF", "0"}) EXPECT_FALSE(card_logical(no, true)) << no;
  EXPECT_TRUE(card_logical("maybe", true));
  for (const auto& [word, value] : {std::pair{"12", 12}, {"12x", 5}, {"99999999999999999999", 5}})
    EXPECT_EQ(card_integer(word, 5), value) << word;
}

TEST(ChangedCards, KeepAllElseUpToExitAndBehindIt) {
  for (const auto& [card, two] :
       {std::pair{"RUNNR 1\r\nnshow 10 many\r\nexit\r\nNSHOW 3", "RUNNR 1\r\nNSHOW   2\r\nexit\r\nNSHOW 3"},
        {"NSHOW 1\nNSHOW 3", "NSHOW   2\n"},
        {"EXIT\n", "NSHOW   2\nEXIT\n"},
        {"RUNNR 1", "NSHOW   2\nRUNNR 1"}})
    EXPECT_EQ(card_with_showers(card, 2), two);
  // One low shower; a nucleus keeps enough energy for its mass.
  for (const auto& [card, low] :
       {std::pair{"nshow 2000\nPRMPAR 1\nERANGE 300. 3000.\nESLOPE -1.5\nEXIT\n",
                  "NSHOW   1\nPRMPAR 1\nERANGE  100. 100.\nESLOPE -1.5\nEXIT\n"},
        {"NSHOW 5\nerange 3.E1 2.E5\n", "NSHOW   1\nERANGE  3.E1 3.E1\n"},
        {"NSHOW 5\n", "NSHOW   1\n"},
        {"PARALLEL 5. 30. 1 F\nERANGE 1.E3 2.E3\nNSHOW 5\n",
         "PARALLEL 5. 30. 1 F\nERANGE  1.E3 1.E3\nNSHOW   1\n"},
        {"ERANGE 1.E5 1.E6\nPRMPAR 5626\nNSHOW 3\n", "ERANGE  5600. 5600.\nPRMPAR 5626\nNSHOW   1\n"}})
    EXPECT_EQ(card_of_one_low_shower(card), low);
  EXPECT_EQ(
      card_with_lines(
          "RUNNR 1\nTELESCOPE 1 2 3 4\r\n  TELESCOPE in a comment\ntelescope 5 6 7 8\nEXIT\nTELESCOPE 9\n",
          "TELESCOPE", {"TELESCOPE a", "TELESCOPE b"}),
      "RUNNR 1\nTELESCOPE a\nTELESCOPE b\r\n  TELESCOPE in a comment\nEXIT\nTELESCOPE 9\n");
  EXPECT_EQ(card_with_lines("NSHOW 1", "SEED", {}), "NSHOW 1");
}

TEST(Card, PlaceholdersAreNamesBetweenTwoAtSigns) {
  const std::map<std::string, std::string> values{{"NSHOW", "3"}, {"a_1", "@NSHOW@"}};
  EXPECT_EQ(filled_in("NSHOW @NSHOW@@a_1@\n", values), "NSHOW 3@NSHOW@\n");
  for (const char* same : {"", "@", "USER jane@home.org\n", "TELFIL '|ssh a@b c@d ${X} {Y}'", "@@ @1@ @N-@"})
    EXPECT_EQ(filled_in(same, values), same);
  EXPECT_ERROR("the placeholder @NSHOWS@ is not known; there are NSHOW, a_1",
               filled_in("NSHOW @NSHOWS@\n", values));
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

corsika_patches::FixedFormSource source_of(const std::string& text) {
  return corsika_patches::FixedFormSource(corsika_patches::TextFile(text));
}

TEST(CardRefusal, KeywordsPrimariesAndZenithAngles) {
  const Texts light{"CERENKOV", "IACT", "SLANT"}, dark{"SLANT"}, curved{"CURVED"}, all{"CURVED", "CERENKOV"};
  const std::tuple<Texts, std::string, const char*> cases[] = {
      {light,
       "NSHOW 1\nprmpar 5526\nTHETAP 60. 6.D1\nTELFIL x\n* x\n\n \r\nC z\n\t\t    a\nIACT setenv\n*(IACT) "
       "x\nEXIT\nJUNK",
       ""},
      {light, "NEVER\n", "no keyword NEVER"},
      {light, "NSHWO 3\nJUNK\nJUNK\nPRMPAR 0\n",
       "CORSIKA has no keyword NSHWO; did you mean NSHOW?; also: CORSIKA has no keyword JUNK; correct the "
       "line or delete it; also: CORSIKA takes primaries of 1 to 5600 (PRMPAR), and not 0;"},
      {light, "// x\n",
       "CORSIKA takes no line that begins with //: '// x'; begin it with a keyword, or with * for"},
      {light, "! x\n", "begins with !: '! x'"},
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
      {light, "EVEN\n", "EVEN is a keyword only of builds without (SLANT)"},
      {curved, "EVEN\n", ""},
      {light, "QGSJET T\nSIBYLL T\n", ""},
      {dark, "PRMPAR 5601\n", "primaries of 1 to 5600 (PRMPAR), and not 5601; 1 is a gamma"},
      {{"CONEX"}, "PRMPAR 9943\n", ""},
      {dark, "PRMPAR 2627\n", "the primary 2627 (PRMPAR) has 27 protons in 26 nucleons"},
      {dark, "PRMPAR 403\n", "403 (PRMPAR) has 3 protons in 4 nucleons"},  // as --primary has it
      {dark, "PRMPAR 176\nPRMPAR gamma\n", ""},                            // the program says it
      {dark, "THETAP 20. 60.1\n",
       "angles of 0 to 60 degrees (THETAP), and not 60.1; give less, or add CURVED"},
      {dark, "THETAP 20. 86\n", "and not 86; give less$"},
      {dark, "THETAP -1 0\n", "and not -1; give more$"},
      {all, "THETAP 80 80\n", ""},
      {curved, "THETAP 95 95\n", "0 to 85"},
      {{"UPWARD"}, "THETAP 95 95\n", ""}};
  for (const auto& [on, text, why] : cases) {
    Texts off;
    for (const std::string name : {"CERENKOV", "IACT", "SLANT", "CURVED", "UPWARD", "CONEX", "STACKIN"})
      if (std::find(on.begin(), on.end(), name) == on.end()) off.push_back(name);
    const std::string said = card_refusal(text, source_of(kSource), on, off) + "$";
    EXPECT_TRUE(*why == '\0' ? said == "$" : said.find(why) != std::string::npos) << text << ": " << said;
  }
}

TEST(CardRefusal, LinesOfAnotherProgramAreLeftOutAndOfWhatIsNotKnownNothingIsRefused) {
  EXPECT_EQ(card_of_known_lines("NSHOW 1\nFLAT\n* x\nTHETAP 1 1\nEXIT\nJUNK", source_of(kSource), {"SLANT"},
                                {"CURVED"}),
            "NSHOW 1\n* x\nTHETAP 1 1\nEXIT\nJUNK");
  const std::string card = "NSHOW 1\nTSTART T\nTHETAP 84 84\nPRMPAR 9926\nTELFIL x\n";
  EXPECT_EQ(card_refusal(card, source_of(kSource), {}, {}), "");
  EXPECT_EQ(card_refusal(card + "JUNK\n", source_of("      PROGRAM OTHER\n#endif\n#else\n"), {}, {"UPWARD"}),
            "");
}

// What cards name: files, folders and commands.

std::string command(const std::string& card) { return telescope_command(Card(card)).value_or("none"); }

TEST(TelescopeOutput, TheLastLineCountsAndACommandIsOneWordUnlessQuotedOrInAnIactLine) {
  for (const auto& [card, output] : {std::pair{"NSHOW 1\n", "telescope.dat"},
                                     {"TELFIL +./Light.dat:5:15\n", "./Light.dat"},
                                     {"TELFIL a\n*(IACT) telfil b # later\n", "b"},
                                     {"IACT TELFIL b\nTELFIL a\nEXIT\nTELFIL c\n", "a"}})
    EXPECT_EQ(telescope_output(Card(card)), output) << card;
  for (const auto& [card, words] : {std::pair{"TELFIL light.dat\n", "none"},
                                    {"TELFIL |cat -v\n", "cat"},
                                    {"TELFIL '|cat -v' ! all of it\n", "cat -v"},
                                    {"TELFIL \"+|sim_telarray -c 'x'\"\n", "sim_telarray -c 'x'"},
                                    {"IACT TELFIL |cat -v\n", "cat -v"},
                                    {"* (IACT) TELFIL |cat -v // all of it\n", "cat -v"},
                                    {"TELFIL |cat:5\n", "cat"},  // numbers of events to print
                                    {"TELFIL |cat\nIACT TELOPT -v -A\n", "cat -v -A"},
                                    {"TELFIL |$HOME/run_$(RUNNR)_${NSHOW}\n", "$HOME/run_${RUNNR}_${NSHOW}"}})
    EXPECT_EQ(command(card), words) << card;
}

TEST(TelescopeOutput, VariablesAsTheIactPackageReplacesThem) {
  const Card card("RUNNR 7\nNSHOW 20\nPRMPAR 14\nIACT setenv SITE = south $RUNNR\n*(IACT) setenv EMPTY\n");
  const auto name = [&](const char* text) { return with_variables(text, card).value_or("not known"); };
  setenv("TELESCOPE_OUTPUT_TEST", "here", 1);
  for (const auto& [text, replaced] : {std::pair{"light.dat", "light.dat"},
                                       {"run${RUNNR}_$(NSHOW)-$PRMPAR.zst", "run7_20-14.zst"},
                                       {"$SITE/x", "south 7/x"},  // a value may name variables
                                       {"a$EMPTY.b$NO_SUCH_VARIABLE_IS_SET", "a.b"},
                                       {"$TELESCOPE_OUTPUT_TEST/x", "here/x"}})
    EXPECT_EQ(name(text), replaced);
  for (const char* unknown : {"$CORSIKA_VERSION", "$OBSLEV", "$1", "${RUNNR", "x$"})
    EXPECT_EQ(name(unknown), "not known") << unknown;
  EXPECT_EQ(with_variables("$LOOP", Card("IACT setenv LOOP $LOOP\n")), std::nullopt);
}

TEST(TelescopeOutput, AProgramIsPutBeforeEachCommand) {
  const auto changed = [](const std::string& card) { return card_with_command_behind(card, "sh ./p"); };
  for (const auto& [card, behind] :
       {std::pair{"NSHOW 1\nTELFIL '|a b'\nEXIT\n", "NSHOW 1\nTELFIL '|sh ./p a b'\nEXIT\n"},
        {"telfil +|a ! b\n", "telfil '+|sh ./p a' ! b\n"},
        {"TELFIL |a'b'\n", "TELFIL \"|sh ./p a'b'\"\n"},
        {"TELFIL \"|a 'b'\"", "TELFIL \"|sh ./p a 'b'\""},
        {"*(IACT) TELFIL |a b\r\n", "*(IACT) TELFIL |sh ./p a b\r\n"},
        {"TELFIL |a\r\n", "TELFIL '|sh ./p a'\r\n"}}) {
    EXPECT_EQ(changed(card), behind);
    EXPECT_EQ(command(changed(card)), "sh ./p " + command(card));
  }
  for (const char* same : {"TELFIL a|b\n", "* TELFIL |a\n", "EXIT\nTELFIL |a\n", "IACT setenv TELFIL |a\n"})
    EXPECT_EQ(changed(same), same);
}

const Texts kIact{"CERENKOV", "IACT"};
const std::string kTelescope = "TELESCOPE 0. 0. 0. 7.E2\n";

TEST(OutputPlaces, OutsideOfTheRunFolderWhereSomethingIsWritten) {
  EXPECT_EQ(outputs_elsewhere("DIRECT /data/\n", {}),
            "the card writes outside of the run folder (DIRECT /data/), where runs would meet; give a "
            "relative name, as DIRECT ./");
  EXPECT_EQ(outputs_elsewhere("TELFIL /dev/null\n" + kTelescope, kIact),
            "the card's light is not kept (TELFIL /dev/null); give TELFIL the name of a file");
  // Groups that keep light alone leave DIRECT as it is. CORSIKA itself refuses /dev/null for it.
  for (const std::string stays :
       {"", "DIRECT ./\n", "DIRECT ./a/../\n", "DIRECT 'out/'\n", "DIRECT /dev/null\n", "TELFIL /data/x\n",
        "DIRECT /data/\nPAROUT F F\nLONGI T 20. F F\n"})
    EXPECT_EQ(outputs_elsewhere(stays, kIact), "") << stays;
  for (const std::string telfil :
       {"light.dat", "+./Light.dat:5:15:10", "'|sim_telarray -c x'", "x_$OBSLEV.dat"})
    EXPECT_EQ(outputs_elsewhere("TELFIL " + telfil + "\n" + kTelescope, kIact), "") << telfil;
  EXPECT_EQ(outputs_elsewhere("TELFIL /data/x\n" + kTelescope, {"CERENKOV"}), "") << "no IACT package";
  for (const std::string leaves :
       {"DIRECT ../\n", "DIRECT /data/\nPAROUT F T\n", "DIRECT /data/\nPAROUT F F\nDATBAS T\n",
        "DIRECT /data/\nPAROUT F F\nLONGI T 20. F T\n", "TELESCOPE 1\nTELFIL /data/x\n",
        "TELESCOPE 1\nTELFIL ../x\n", "TELESCOPE 1\nTELFIL $HOME/x.dat\n"})
    EXPECT_NE(outputs_elsewhere(leaves, kIact), "") << leaves;
  EXPECT_NE(outputs_elsewhere("DIRECT /data/\nPAROUT F F\n", {"CERENKOV"}), "") << "light on a grid";
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

/// What a card names that is read or started: "KEYWORD name".
Texts read_by(const std::string& card) {
  Texts result;
  for (const auto& [how, keyword, name] : named_files(Card(card)))
    if (how != Names::output && how != Names::prefix) result.push_back(keyword + " " + name);
  return result;
}

TEST(NamedFiles, WhatIsReadAndTheCommandThatGetsTheLight) {
  for (const auto& [card, read] : std::vector<std::pair<const char*, Texts>>{
           {"IACT TELSAMPLE 1d:sampling.dat\nINFILE 'stack'\nDATDIR tables/\natmfile a/b\nCUTFILE c 1 2\n",
            {"IACT TELSAMPLE sampling.dat", "INFILE stack", "DATDIR tables/", "ATMFILE a/b", "CUTFILE c"}},
           {"*(IACT) extprim text:p\nEXIT\nIACT TELSAMPLE x\n", {"IACT EXTPRIM p"}},
           {"EPOPAR input ../epos/epos.param\nEPOPAR fname inics e/epos.inics\nepopar fname check none\n",
            {"EPOPAR ../epos/epos.param", "EPOPAR e/epos.inics"}},
           {"INFILE\nTELFIL telescope.dat\nDIRECT ./\n", {}},
           {"TELFIL '|./run_sim -c \"array.cfg\" -c /etc/own.cfg'\n", {"TELFIL ./run_sim"}},
           {"TELFIL |tee copy.dat\n", {"TELFIL tee"}},
           {"ATMOSPHERE 99 Y\nIACT ATMOFILE site.dat\n", {"ATMOSPHERE site.dat"}}})
    EXPECT_EQ(read_by(card), read) << card;
}

// As simtools writes cards.
TEST(NamedFiles, TheAtmosphereByNumberAndByName) {
  for (const auto& [card, file] :
       {std::pair{"ATMOSPHERE 99 Y\nIACT ATMOFILE site.dat # ours\n", "site.dat"},
        {"* (IACT) atmofile /data/site.dat\nATMOSPHERE 99 T\n", "/data/site.dat"},
        {"ATMOSPHERE 99 Y\n", "atmprof99.dat"},
        {"ATMOSPHERE 6 Y\nIACT ATMOFILE site.dat\n", "atmprof6.dat"},  // the number counts
        {"IACT ATMOFILE site.dat\n", ""}})
    EXPECT_EQ(atmosphere_file(Card(card)), file) << card;
}

TEST(NamedFiles, FoldersThatOutputsNeedAndAnUnquotedCommandIsItsFirstWord) {
  EXPECT_EQ(output_folders(Card("DIRECT out/\nTELFIL 'light/$RUNNR/t.zst'\nRUNNR 4\n")),
            (Texts{"out", "light/4"}));
  EXPECT_EQ(output_folders(Card("DIRECT a/b/pre\nOUTFILE ./c/d\n")), (Texts{"a/b", "c"}));
  for (const char* none :
       {"DIRECT ./\n", "DIRECT pre\n", "DIRECT /data/\n", "DIRECT ../\n", "TELFIL '|tee a/b'\n", ""})
    EXPECT_EQ(output_folders(Card(none)), Texts{}) << none;
  EXPECT_EQ(unquoted_command(Card("TELFIL |tee keep | cat  ! all\n")),
            "CORSIKA takes only the first word of TELFIL, |tee; put the command into quotes: TELFIL '|tee "
            "keep | cat'");
  for (const char* right :
       {"TELFIL '|tee keep | cat'\n", "IACT TELFIL |tee keep\n", "TELFIL |tee ! keep\n", "TELFIL a b\n"})
    EXPECT_EQ(unquoted_command(Card(right)), "") << right;
}

TEST(Particles, NamesAndCodesAreCodes) {
  std::string codes;
  for (const char* text : {"gamma", "Positron", "electron", "PROTON", "helium", "nitrogen", "silicon", "iron",
                           "5626", "014", "402", "302"})
    codes += particle_code(text) + " ";
  EXPECT_EQ(codes, "1 2 3 14 402 1407 2814 5626 5626 14 402 302 ");
  for (const char* wrong : {"", "gama", "0", "-1", "1.", "203", "403", "9999", "25100", "1,14"})
    EXPECT_NE(error_of([&] { particle_code(wrong); }).find("no primary is called '"), std::string::npos)
        << wrong;
  EXPECT_EQ(particle_name("1407"), "nitrogen");
  EXPECT_EQ(particle_name("75"), "75");
}

}  // namespace
}  // namespace overlay
