// What cards name: files, folders and commands.
#include "overlay/card/named_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace overlay {
namespace {

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

}  // namespace
}  // namespace overlay
