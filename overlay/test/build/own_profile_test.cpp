// Profiles of a card and options of a user's own, and what init writes of them: cards as groups write them,
// in our own words.
#include "overlay/build/own_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "error_of.hpp"
#include "overlay/build/init_profile.hpp"
#include "overlay/build/workplace.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

struct OwnCard {
  const char* like;
  std::string card, form;  ///< as a group has it; as a profile has it
  std::vector<std::string> said;
};

const std::vector<OwnCard>& own_cards() {
  static const std::vector<OwnCard> cards{
      {"simtools: tabs, a table by its name, an absolute pipe, seeds at random, no end of the last line",
       "RUNNR\t17\nNSHOW\t5\nERANGE\t20.\t300000.\nTHETAP\t20.\t20.\nSEED\t814\t0\t0\nSEED\t27\t0\t0\n"
       "ATMOSPHERE 99 Y\nIACT ATMOFILE site.dat\nIACT setenv PRIMARY gamma\nTELFIL |/opt/sim/run.sh\nEXIT",
       "RUNNR\t@RUNNR@\nNSHOW\t@NSHOW@\nERANGE\t@EMIN@\t@EMAX@\nTHETAP\t@ZENITH@\t@ZENITH@\n"
       "SEED\t814\t0\t0\nSEED\t27\t0\t0\n"
       "ATMOSPHERE 99 Y\nIACT ATMOFILE site.dat\nIACT setenv PRIMARY gamma\nTELFIL |/opt/sim/run.sh\nEXIT",
       {"taken      ERANGE 20. 300000. as @EMIN@ @EMAX@", "as it is   SEED, 2 lines; --seed replaces it",
        "as it is   ATMOSPHERE 99; --atmosphere replaces it"}},
      {"MAGIC: a range of angles, keywords in lower case, ends of lines of another system",
       "runnr 12\r\nnshow 3 ! a comment with me@site\r\nPRMPAR 14\r\nTHETAP 5. 35.\r\nATMOSPHERE 7 T\r\n"
       "TELFIL telescope.dat\r\nEXIT\r\n",
       "runnr @RUNNR@\r\nnshow @NSHOW@ ! a comment with me@site\r\nPRMPAR @PRIMARY@\r\nTHETAP 5. 35.\r\n"
       "ATMOSPHERE @ATMOSPHERE@ T\r\nTELFIL telescope.dat\r\nEXIT\r\n",
       {"as it is   THETAP 5. 35.; --zenith replaces it", "taken      ATMOSPHERE 7 as @ATMOSPHERE@"}},
      {"WFCTA: fixed telescopes, seeds in a row, no factors of the light",
       "NSHOW 2\nSEED 101 0 0\nSEED 103 0 0\nSEED 105 0 0\nTELESCOPE 0 0 0 200\nCERQEF F F F\nEXIT\nNSHOW "
       "9\n",
       "NSHOW @NSHOW@\n@SEEDS@\nTELESCOPE 0 0 0 200\nCERQEF F F F\nEXIT\nNSHOW 9\n",
       {"taken      SEED, 3 lines as @SEEDS@"}},
      {"LAGO: no light, outputs in a folder, energies that are the same",
       "PRMPAR 5626\nERANGE 1000. 1000.\nDIRECT sub/\nTHETAP 0. 0.\n",
       "PRMPAR @PRIMARY@\nERANGE @EMIN@ @EMAX@\nDIRECT sub/\nTHETAP @ZENITH@ @ZENITH@\n",
       {"taken      PRMPAR 5626 as @PRIMARY@"}},
      {"pSCT: // comments, Latin-1, places of another template",
       "* caf\xe9\nNSHOW {showers} // how many\nERANGE 100. 100. // \xb5\nSEED 7 0 1\nEXIT\n",
       "* caf\xe9\nNSHOW {showers} // how many\nERANGE @EMIN@ @EMAX@ // \xb5\nSEED 7 0 1\nEXIT\n",
       {"as it is   NSHOW {showers}; --showers replaces it", "as it is   SEED, 1 lines; --seed replaces it"}},
      {"lines without the numbers, which the last ones of their keyword have",
       "NSHOW\nTHETAP 1. ! 2.\nERANGE 5.\nNSHOW 4\nTHETAP 2. 2.\nERANGE 6. 7.\n",
       "NSHOW\nTHETAP 1. ! 2.\nERANGE 5.\nNSHOW @NSHOW@\nTHETAP @ZENITH@ @ZENITH@\nERANGE @EMIN@ @EMAX@\n",
       {"taken      NSHOW 4 as @NSHOW@"}},
      {"a template of ours", "NSHOW @NSHOW@\n@SEEDS@\nEXIT\n", "NSHOW @NSHOW@\n@SEEDS@\nEXIT\n", {}}};
  return cards;
}

TEST(OwnProfile, NumbersOfACardBecomePlaceholdersAndAllElseStays) {
  for (const auto& [like, card, form, said] : own_cards()) {
    Profile profile;
    profile.card_template = card;
    const auto lines = make_template(profile);
    EXPECT_EQ(profile.card_template, form) << like;
    for (const auto& line : said) EXPECT_EQ(std::ranges::count(lines, line), 1) << like << ": " << line;
    if (!said.empty()) {
      EXPECT_EQ(render_card(profile), card) << like;
    }
  }
}

TEST(OwnProfile, ExamplesOfThePageGiveCards) {
  support::TemporaryFolder folder;
  fs::create_directory_symlink(profiles_folder() / "cards", folder.path() / "cards");
  std::istringstream page(support::read_file(source_root() / "docs" / "profiles.md"));
  std::vector<std::string> blocks{""};
  for (std::string line; std::getline(page, line);) {
    const bool code = line.starts_with("    ");
    if (code) blocks.back() += line.substr(4) + "\n";
    if (!code && !blocks.back().empty()) blocks.emplace_back();
  }
  int examples = 0;
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    if (!blocks[i].starts_with("options")) continue;
    ++examples;
    folder.write("site.card", blocks[i + 1]);
    const auto card = render_card(load_profile(folder.write("example.toml", blocks[i]).string()));
    EXPECT_PRED2(holds, card, "\nEXIT\n") << blocks[i];
    EXPECT_EQ(card.find('@'), std::string::npos) << card;
  }
  EXPECT_EQ(examples, 3);
}

/// A tree of ours in a folder, and a request for it.
struct OwnTree {
  support::TemporaryFolder folder;
  InitRequest request;
  OwnTree() {
    fs::copy(FAKE_TREE, folder.path() / "tree", fs::copy_options::recursive);
    fs::create_directories(folder.path() / "tree" / "bernlohr");
    folder.write("tree/bernlohr/iact.c", "/* ours */");
    request.file = folder.path() / "mine.toml";
    request.build.corsika = (folder.path() / "tree").string();
    request.build.out = folder.path() / "out";
  }
  /// What init says with this card and these options, as one text.
  std::string said(const std::string& card, const std::string& options = "QGSJET01,URQMD cerenkov IACT") {
    request.build.options = options;
    fs::create_directories(folder.path() / "cards");
    request.build.card = folder.write("cards/own.card", card);
    return "\n" + support::join(init_profile(request), "\n") + "\n";
  }
};

TEST(OwnProfile, InitWritesAProfileThatGivesTheSameCard) {
  for (const auto& [like, card, form, lines] : own_cards()) {
    OwnTree own;
    const auto said = own.said(card);
    const auto profile = load_profile(own.request.file.string());
    if (!lines.empty()) {
      EXPECT_EQ(render_card(profile), card) << like;
    }
    EXPECT_EQ(profile.card_template, form) << like;
    EXPECT_EQ(profile.options, (std::vector<std::string>{"QGSJET01", "URQMD", "CERENKOV", "IACT"})) << like;
    for (const auto& line : lines) EXPECT_PRED2(holds, said, "\n" + line + "\n") << like;
  }
}

TEST(OwnProfile, InitSaysWhatTheUserIsToLookAt) {
  OwnTree own;
  own.folder.write("atmospheres/site.dat", "air");
  own.folder.write("tree/src/corsika.F", "      IF (PRMPAR(0) .GT. 5600. .OR. PRMPAR(0) .LE. 0.D0) THEN\n");
  fs::create_directories(own.folder.path() / "cards");
  own.folder.write("cards/sim", "#!/bin/sh\n");
  own.request.build.atmosphere_dir = own.folder.path() / "atmospheres";
  const std::string card =
      "ATMOSPHERE 99 Y\nIACT ATMOFILE site.dat\nTELFIL |sim a\nTELESCOPE 0 0 0 1\nDIRECT /data/\nPRMPAR "
      "9999\nNSHOW "
      "@N@\nINFILE none\n";
  const auto said = own.said(card, "QGSII GHEISHA CERENKOV IACT SUPERMODEL");
  for (const char* line :
       {"options    QGSJETII GHEISHA CERENKOV IACT\n",
        "left out   SUPERMODEL: release 7.7990 has no such option\n",
        "missing    table run/qgsdat-II-04 (QGSJETII needs it)", "unknown    @N@; say in [values]",
        "look at    CORSIKA takes primaries of 1 to 5600 (PRMPAR), and not 9999",
        "look at    CORSIKA takes only the first word of TELFIL, |sim;", "look at    the card writes outside",
        "copied     site.dat, which ATMOSPHERE names", "copied     sim, which TELFIL names",
        "missing    none, which INFILE names", "written    "})
    EXPECT_PRED2(holds, said, std::string("\n") + line);
  EXPECT_EQ(support::read_file(own.folder.path() / "site.dat"), "air");
}

TEST(OwnProfile, InitReplacesNothingUnasked) {
  OwnTree own;
  own.said("NSHOW 1\n");
  EXPECT_PRED2(holds, error_of([&] { own.said("NSHOW 2\n"); }),
               "mine.toml is there; give another name, or --force");
  own.request.force = true;
  own.said("NSHOW 2\n");
  EXPECT_EQ(load_profile(own.request.file.string()).showers, 2);
  own.request.build.card = own.folder.path() / "mine.card";
  EXPECT_PRED2(holds, error_of([&] { init_profile(own.request); }), "would replace");
}

TEST(OwnProfile, WithoutCardAndOptionsInitTakesOursAndTheTrees) {
  OwnTree own;
  EXPECT_PRED2(holds, error_of([&] { init_profile(own.request); }), "which options? give");
  for (const char* option : {"IACT", "CURVED"}) {
    own.folder.write("tree/include/config.h", std::string("#define __CACHE_") + option + "__ 1\n");
    own.request.force = true;
    init_profile(own.request);
    const auto profile = load_profile(own.request.file.string());
    EXPECT_EQ(profile.options, std::vector<std::string>{option});
    EXPECT_EQ(holds(render_card(profile), "\nTELESCOPE "), option == std::string("IACT"));
  }
}

TEST(OwnProfile, ACardAndOptionsNeedNoProfile) {
  support::TemporaryFolder folder;
  BuildRequest request;
  request.profile = "not a profile";
  request.config = folder.write("config.h", "#define __CACHE_EPOS__ /**/\n#define __CACHE_KEEPSOURCE__ 1\n");
  EXPECT_PRED2(holds, error_of([&] { asked_profile(request); }),
               "--config takes the place of a profile; give");
  request.card = folder.write("own.card", "NSHOW 3\nSEED 1 0 0\n");
  const auto profile = asked_profile(request);
  EXPECT_EQ(profile.options, std::vector<std::string>{"EPOS"}) << "and not what coconut does at its end";
  EXPECT_EQ(profile.name, "own");
  EXPECT_EQ(render_card(profile), "NSHOW 3\nSEED 1 0 0\n");
  request.showers = 8;
  EXPECT_EQ(render_card(asked_profile(request)), "NSHOW   8\nSEED 1 0 0\n");
  request.config = folder.write("config.h", "#define __EPOS__ 1\n");
  EXPECT_PRED2(holds, error_of([&] { asked_profile(request); }), "has no line '#define __CACHE_...__'");
  request.config = folder.path() / "none";
  EXPECT_PRED2(holds, error_of([&] { asked_profile(request); }),
               "given with --config; give the include/config.h");
  request.options = "EPOS";
  EXPECT_PRED2(holds, error_of([&] { asked_profile(request); }), "both name options");
  request.config.reset();
  EXPECT_EQ(asked_profile(request).options, std::vector<std::string>{"EPOS"});
}

}  // namespace
}  // namespace overlay
