// Profiles of a card and options of a user's own, and what init writes of them: cards as groups write them,
// in our own words.
#include "overlay/build/own_profile.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "error_of.hpp"
#include "overlay/build/workplace.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

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
  EXPECT_EQ(examples, 1);
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
  OwnTree own;
  const std::string card =
      "* caf\xe9\r\nrunnr\t12\r\nNSHOW 3 // how many\nSEED 7 0 1\nTELFIL |/opt/run.sh\nEXIT";
  const auto said = own.said(card);
  EXPECT_PRED2(holds, said, "\ncard       " + own.request.build.card->string() + "; --showers");
  const auto profile = load_profile(own.request.file.string());
  EXPECT_EQ(render_card(profile), card);
  EXPECT_EQ(profile.options, (std::vector<std::string>{"QGSJET01", "URQMD", "CERENKOV", "IACT"}));
  own.request.build.profile = own.request.file.string();
  own.request.build.options.clear();
  own.request.build.card.reset();
  own.request.build.showers = 4;
  own.request.build.zenith = 30;
  const auto other = render_card(asked_profile(own.request.build));
  for (const char* line : {"NSHOW   4\n", "THETAP  30. 30.\n", "SEED 7 0 1\n"})
    EXPECT_PRED2(holds, other, line);
}

// The cards that validation/acceptance/cherenkov runs on a real tree.
TEST(OwnProfile, CardsOfGroupsStayAsTheyAre) {
  int cards = 0;
  for (const auto& file : fs::directory_iterator(source_root() / "validation/acceptance/groups")) {
    if (file.path().extension() != ".card") continue;
    OwnTree own;
    own.folder.write("cards/site.dat", "air");
    const auto card = support::read_file(file.path());
    const auto said = own.said(card);
    EXPECT_EQ(render_card(load_profile(own.request.file.string())), card) << file.path() << said;
    ++cards;
  }
  EXPECT_EQ(cards, 8);
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
      "9999\nINFILE none\n";
  const auto said = own.said(card, "QGSII GHEISHA CERENKOV IACT SUPERMODEL");
  for (const char* line :
       {"options    QGSJETII GHEISHA CERENKOV IACT\n",
        "left out   SUPERMODEL: release 7.7990 has no such option\n",
        "missing    table run/qgsdat-II-04 (QGSJETII needs it)",
        "look at    CORSIKA takes primaries of 1 to 5600 (PRMPAR), and not 9999",
        "look at    CORSIKA takes only the first word of TELFIL, |sim;",
        "copied     site.dat, which ATMOSPHERE names", "copied     sim, which TELFIL names",
        "missing    none, which INFILE names", "written    "})
    EXPECT_PRED2(holds, said, std::string("\n") + line);
  own.request.force = true;
  const auto unknown = own.said(card + "NSHOW @N@\n");
  EXPECT_PRED2(holds, unknown, "own.card: the placeholder @N@ is not known");
  EXPECT_EQ(unknown.find("primaries"), std::string::npos) << "of a card that is not whole nothing is told";
  EXPECT_EQ(support::read_file(own.folder.path() / "site.dat"), "air");
}

TEST(OwnProfile, InitReplacesNothingUnasked) {
  OwnTree own;
  own.said("NSHOW 1\n");
  EXPECT_ERROR("mine.toml is there; give another name, or --force", own.said("NSHOW 2\n"));
  own.request.force = true;
  own.said("NSHOW 2\n");
  EXPECT_PRED2(holds, render_card(load_profile(own.request.file.string())), "NSHOW 2");
  own.request.build.card = own.folder.path() / "mine.card";
  EXPECT_ERROR("would replace", init_profile(own.request));
}

TEST(OwnProfile, WithoutCardAndOptionsInitTakesOursAndTheTrees) {
  OwnTree own;
  EXPECT_ERROR("which options? give", init_profile(own.request));
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
  EXPECT_ERROR("--config takes the place of a profile; give", asked_profile(request));
  request.card = folder.write("own.card", "NSHOW 3\nSEED 1 0 0\n");
  const auto profile = asked_profile(request);
  EXPECT_EQ(profile.options, std::vector<std::string>{"EPOS"}) << "and not what coconut does at its end";
  EXPECT_EQ(profile.name, "own");
  EXPECT_EQ(render_card(profile), "NSHOW 3\nSEED 1 0 0\n");
  request.showers = 8;
  EXPECT_EQ(render_card(asked_profile(request)), "NSHOW   8\nSEED 1 0 0\n");
  request.config = folder.write("config.h", "#define __EPOS__ 1\n");
  EXPECT_ERROR("has no line '#define __CACHE_...__'", asked_profile(request));
  request.config = folder.path() / "none";
  EXPECT_ERROR("given with --config; give the include/config.h", asked_profile(request));
  request.options = "EPOS";
  EXPECT_ERROR("both name options", asked_profile(request));
  request.config.reset();
  EXPECT_EQ(asked_profile(request).options, std::vector<std::string>{"EPOS"});
}

}  // namespace
}  // namespace overlay
