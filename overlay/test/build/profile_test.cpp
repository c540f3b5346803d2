// Profiles and their cards, also of a card and options of a user's own; what options need in a tree; what
// init writes.
#include "overlay/build/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <tuple>

#include "folder_test.hpp"
#include "overlay/build/workplace.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {

void expect_lines(const std::string& card, const std::vector<std::string>& lines) {
  for (const auto& line : lines) EXPECT_PRED2(holds, "\n" + card, "\n" + line + "\n");
}

TEST(Profile, TheFiveAreThereAndRender) {
  const auto names = list_profiles();
  for (const char* name :
       {"veritas-gamma", "veritas-gamma-single", "veritas-gamma-ceffic", "em-shower", "veritas-proton"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
    for (bool standin : {false, true}) {
      const auto card = render_card(load_profile(name, standin));
      EXPECT_EQ(card.find('@'), std::string::npos) << name;
      expect_lines(card, {"EXIT"});
    }
  }
}

TEST(Profile, ProductionCard) {
  const auto profile = load_profile("veritas-gamma");
  expect_lines(render_card(profile), {"NSHOW 10", "ERANGE 300. 3000.", "ESLOPE -1.5", "THETAP 20. 20.",
                                      "PHIP 0. 360.", "CSCAT 5 750.E2 0.", "SEED 11 0 0", "SEED 13 0 0",
                                      "SEED 17 0 0", "ATMOSPHERE 61 T", "OBSLEV 1270.E2", "PAROUT F F",
                                      "MAGNET 25.2 40.88", "TELESCOPE -8.61E2 -135.48E2 12.23E2 7.E2"});
  BuildRequest parameters;
  parameters.energies = "production";
  for (const auto& [zenith, scatter, start] : {std::tuple{0., "750.E2", "30."},
                                               {35., "750.E2", "50."},
                                               {40., "1000.E2", "50."},
                                               {50., "1500.E2", "50."},
                                               {60., "1500.E2", "100."}}) {
    parameters.zenith = zenith;
    expect_lines(render_card(with_parameters(profile, parameters)),
                 {fmt::format("CSCAT 5 {} 0.", scatter), fmt::format("ERANGE {} 200000.", start)});
  }
}

TEST(Profile, Parameters) {
  BuildRequest p;
  p.showers = 7;
  p.energies = "0.5,2e6";
  p.seed = 100;
  p.atmosphere = 62;
  const auto card = render_card(with_parameters(load_profile("veritas-gamma"), p));
  expect_lines(card, {"NSHOW 7", "SEED 100 0 0", "SEED 106 0 0", "ATMOSPHERE 62 T"});
  EXPECT_PRED2(holds, card, "ERANGE 0.5 2");
  p.energies = "production";
  EXPECT_ERROR("has no production energy range", with_parameters(load_profile("em-shower"), p));
}

TEST(Profile, WhatACardGivesOutrightIsAsTheCardSaysUnlessItIsAskedFor) {
  support::TemporaryFolder folder;
  const std::string text = "NSHOW 2\nTHETAP 10. 20.\nATMOSPHERE 6 F\nERANGE 1. 2.\nSEED 1 0 0\nEXIT\n";
  folder.write("a.card", text);
  BuildRequest request;
  request.profile =
      folder.write("mine.toml", "options = [\"URQMD\"]\ncard = \"a.card\"\n[showers]\n").string();
  EXPECT_EQ(render_card(asked_profile(request)), text);
  request.card = folder.write("own.card", "RUNNR @RUNNR@\n" + text);
  EXPECT_EQ(render_card(asked_profile(request)), "RUNNR 1\n" + text);
  EXPECT_EQ(asked_profile(request).card_file, folder.path() / "own.card");
  request.showers = 3;
  request.zenith = 40.;
  request.atmosphere = 9;
  request.energies = "5,6";
  request.seed = 7;
  EXPECT_EQ(render_card(asked_profile(request)),
            "RUNNR 1\nNSHOW   3\nTHETAP  40. 40.\nATMOSPHERE 9 F\nERANGE  5. 6.\n"
            "SEED 7 0 0\nSEED 8 0 0\nSEED 9 0 0\nSEED 10 0 0\nEXIT\n");
}

TEST(Profile, ErrorsInAProfileAreNamed) {
  support::TemporaryFolder folder;
  folder.write("a.card", "@SEEDS@\nEXIT\n");
  const auto load = [&](const std::string& text, bool standin = false) {
    return load_profile(folder.write("mine.toml", text).string(), standin);
  };
  const std::string good = "options = [\"URQMD\"]\ncard = \"a.card\"\n";
  EXPECT_EQ(render_card(load(good + "[showers]\nseed = 899999998\nseeds = 3")),
            "SEED 899999998 0 0\nSEED 899999999 0 0\nSEED 900000000 0 0\nEXIT\n");
  for (const char* wrong :
       {"seed = 9223372036854775807\nseed_step = 2", "seed = 0", "seed = 899999999\nseeds = 4",
        "seeds = 2000000000", "seed_step = 0", "seeds = -1"})
    EXPECT_ERROR("seeds cannot be", load(good + "[showers]\n" + wrong)) << wrong;
  for (const auto& name : {std::string("none.card"), std::string(300, 'c')}) {  // no file's name is so long
    const auto card = "card = \"" + name + "\"\n";
    EXPECT_ERROR("that is not there", load("options = [\"URQMD\"]\n" + card)) << name;
    EXPECT_NO_THROW(load(good + "[standin]\ncard = \"a.card\"\n", true));
    EXPECT_ERROR("that is not there", load(good + "[standin]\n" + card, true)) << name;
  }
  EXPECT_ERROR("line 1", load("a = "));
  EXPECT_ERROR("lacks options", load("summary = \"\"\n"));
  EXPECT_ERROR("x.toml'; there are", load_profile((folder.path() / "x.toml").string()));
}

using Models = FolderTest;

TEST_F(Models, ADataFileIsNotAPointerToOne) {
  for (const char* data : {"1 2 3\n", "version 3 of this table\n 1. 2. 3.\n"})
    EXPECT_TRUE(is_data_file(folder.write("a", data))) << data;
  for (const char* pointer : {"", "version https://git-lfs.github.com/spec/v1\n",
                              "\xef\xbb\xbfversion https://git-lfs.github.com/spec/v1\r\noid sha256:4d\n",
                              "version http://git-media.io/v/2\n", "/annex/objects/SHA256E-s12--ab.dat\n"})
    EXPECT_FALSE(is_data_file(folder.write("b", pointer))) << pointer;
  EXPECT_FALSE(is_data_file(folder.path() / "d"));
}

TEST_F(Models, FirstAlternativeWhoseTablesAreThere) {
  std::vector<std::string> substitutes;
  const auto resolved = [&] {
    return support::join(
        resolve_alternatives(read_models(), folder.path(), {"QGSJETII|QGSJET01", "URQMD"}, substitutes));
  };
  EXPECT_EQ(resolved(), "QGSJET01 URQMD");
  EXPECT_EQ(substitutes.size(), 1u);
  for (const char* table : {"run/qgsdat-II-04", "run/sectnu-II-04"}) folder.write(table, "1");
  EXPECT_EQ(resolved(), "QGSJETII URQMD");
  EXPECT_EQ(substitutes.size(), 1u);
}

TEST_F(Models, MissingPartsAreNamedAndPointersInAPackageAreMissing) {
  const auto missing = [&](const std::vector<std::string>& options) {
    return support::join(missing_parts(read_models(), folder.path(), options), "; ");
  };
  for (const char* part : {"NUCNUCCS", "quanteff.dat (CEFFIC", "bernlohr/ (IACT"})
    EXPECT_PRED2(holds, missing({"CEFFIC", "IACT"}), part);
  folder.write("epos/epos.f", "      END\n");
  EXPECT_EQ(missing({"EPOS"}).find("epos"), std::string::npos);
  folder.write("epos/epos.inics", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n");
  EXPECT_PRED2(holds, missing({"EPOS"}), "epos/epos.inics");
}

TEST_F(Models, AtmosphereOfTheUserComesFirst) {
  const support::TemporaryFolder own;
  folder.write("run/atmprof6.dat", "theirs");
  const auto mine = own.write("atmprof6.dat", "mine");
  EXPECT_EQ(find_atmosphere("atmprof6.dat", folder.path(), {own.path()}), mine);
  EXPECT_EQ(find_atmosphere("atmprof6.dat", folder.path(), {{}}), folder.path() / "run" / "atmprof6.dat");
  EXPECT_TRUE(find_atmosphere("atmprof7.dat", folder.path(), {own.path()}).empty());
}

/// A tree of ours in a folder, and a request for it.
struct OwnProfile : FolderTest {
  InitRequest request;
  OwnProfile() {
    fs::copy(FAKE_TREE, folder.path() / "tree", fs::copy_options::recursive);
    request.file = folder.path() / "mine.toml";
    request.build.corsika = (folder.path() / "tree").string();
    request.build.out = folder.path() / "out";
  }
  /// What init says with this card and these options, as one text.
  std::string said(const std::string& card, const std::string& options = "QGSJET01,URQMD cerenkov IACT") {
    request.build.options = options;
    request.build.card = folder.write("cards/own.card", card);
    return "\n" + support::join(init_profile(request), "\n") + "\n";
  }
};

TEST_F(OwnProfile, ExamplesOfThePageGiveCards) {
  fs::create_directory_symlink(profiles_folder() / "cards", folder.path() / "cards");
  const auto page = support::read_file(source_root() / "docs" / "profiles.md");
  // An indented block that begins with options, and the next one, its card.
  const std::regex example("\n(    options.*\n(?:    .*\n)*)\n((?:    .*\n)*)"), indent("(^|\n)    ");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(page, found, example));
  const auto code = [&](int block) { return std::regex_replace(found.str(block), indent, "$1"); };
  folder.write("site.card", code(2));
  const auto card = render_card(load_profile(folder.write("example.toml", code(1)).string()));
  EXPECT_PRED2(holds, card, "\nEXIT\n") << code(1);
  EXPECT_EQ(card.find('@'), std::string::npos) << card;
  EXPECT_FALSE(holds(found.suffix(), "\n    options")) << "a second one";
}

TEST_F(OwnProfile, InitWritesAProfileThatGivesTheSameCard) {
  std::vector<std::string> cards{
      "* caf\xe9\r\nrunnr\t12\r\nNSHOW 3 // how many\nSEED 7 0 1\nTELFIL |/opt/run.sh\nEXIT"};
  // Those that validation/acceptance/cherenkov runs on a real tree.
  for (const auto& file : fs::directory_iterator(source_root() / "validation/acceptance/groups"))
    if (file.path().extension() == ".card") cards.push_back(support::read_file(file.path()));
  EXPECT_EQ(cards.size(), 9U);
  folder.write("cards/site.dat", "air");
  for (const auto& card : cards) {
    request.file.replace_filename(fmt::format("mine-{}.toml", &card - cards.data()));
    const auto text = said(card);
    EXPECT_PRED2(holds, text, "\ncard       " + request.build.card->string() + "; --showers");
    const auto profile = load_profile(request.file.string());
    EXPECT_EQ(render_card(profile), card);
    EXPECT_EQ(profile.options, (std::vector<std::string>{"QGSJET01", "URQMD", "CERENKOV", "IACT"}));
  }
}

TEST_F(OwnProfile, InitSaysWhatTheUserIsToLookAt) {
  folder.write("atmospheres/site.dat", "air");
  folder.write("tree/src/corsika.F", "      IF (PRMPAR(0) .GT. 5600. .OR. PRMPAR(0) .LE. 0.D0) THEN\n");
  folder.write("cards/sim", "#!/bin/sh\n");
  request.build.atmosphere_dir = folder.path() / "atmospheres";
  const std::string card =
      "ATMOSPHERE 99 Y\nIACT ATMOFILE site.dat\nTELFIL |sim a\nTELESCOPE 0 0 0 1\nDIRECT /data/\nPRMPAR "
      "9999\nINFILE none\n";
  const auto text = said(card, "QGSII GHEISHA CERENKOV IACT SUPERMODEL");
  for (const char* line :
       {"options    QGSJETII GHEISHA CERENKOV IACT\n",
        "left out   SUPERMODEL: release 7.7990 has no such option\n",
        "missing    table run/qgsdat-II-04 (QGSJETII needs it)",
        "look at    CORSIKA takes primaries of 1 to 5600 (PRMPAR), and not 9999",
        "look at    CORSIKA takes only the first word of TELFIL, |sim;",
        "copied     site.dat, which ATMOSPHERE names", "copied     sim, which TELFIL names",
        "missing    none, which INFILE names", "written    "})
    EXPECT_PRED2(holds, text, std::string("\n") + line);
  request.force = true;
  const auto unknown = said(card + "NSHOW @N@\n");
  EXPECT_PRED2(holds, unknown, "own.card: the placeholder @N@ is not known");
  EXPECT_EQ(unknown.find("primaries"), std::string::npos) << "of a card that is not whole nothing is told";
  EXPECT_EQ(support::read_file(folder.path() / "site.dat"), "air");
}

TEST_F(OwnProfile, InitReplacesNothingUnasked) {
  said("NSHOW 1\n");
  EXPECT_ERROR("mine.toml is there; give another name, or --force", said("NSHOW 2\n"));
  request.force = true;
  said("NSHOW 2\n");
  EXPECT_PRED2(holds, render_card(load_profile(request.file.string())), "NSHOW 2");
  request.build.card = folder.path() / "mine.card";
  EXPECT_ERROR("would replace", init_profile(request));
}

TEST_F(OwnProfile, WithoutCardAndOptionsInitTakesOursAndTheTrees) {
  EXPECT_ERROR("which options? give", init_profile(request));
  for (const char* option : {"IACT", "CURVED"}) {
    folder.write("tree/include/config.h", std::string("#define __CACHE_") + option + "__ 1\n");
    request.force = true;
    init_profile(request);
    const auto profile = load_profile(request.file.string());
    EXPECT_EQ(profile.options, std::vector<std::string>{option});
    EXPECT_EQ(holds(render_card(profile), "\nTELESCOPE "), option == std::string("IACT"));
  }
}

TEST_F(OwnProfile, ACardAndOptionsNeedNoProfile) {
  BuildRequest asked;
  asked.profile = "not a profile";
  asked.config = folder.write("config.h", "#define __CACHE_EPOS__ /**/\n#define __CACHE_KEEPSOURCE__ 1\n");
  EXPECT_ERROR("--config takes the place of a profile; give", asked_profile(asked));
  asked.card = folder.write("own.card", "NSHOW 3\nSEED 1 0 0\n");
  const auto profile = asked_profile(asked);
  EXPECT_EQ(profile.options, std::vector<std::string>{"EPOS"}) << "and not what coconut does at its end";
  EXPECT_EQ(profile.name, "own");
  EXPECT_EQ(render_card(profile), "NSHOW 3\nSEED 1 0 0\n");
  asked.showers = 8;
  EXPECT_EQ(render_card(asked_profile(asked)), "NSHOW   8\nSEED 1 0 0\n");
  asked.config = folder.write("config.h", "#define __EPOS__ 1\n");
  EXPECT_ERROR("has no line '#define __CACHE_...__'", asked_profile(asked));
  asked.config = folder.path() / "none";
  EXPECT_ERROR("given with --config; give the include/config.h", asked_profile(asked));
  asked.options = "EPOS";
  EXPECT_ERROR("both name options", asked_profile(asked));
  asked.config.reset();
  EXPECT_EQ(asked_profile(asked).options, std::vector<std::string>{"EPOS"});
}

}  // namespace
}  // namespace overlay
