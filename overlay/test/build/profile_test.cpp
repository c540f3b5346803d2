// Profiles and their cards, and what options need in a tree.
#include "overlay/build/profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "error_of.hpp"
#include "overlay/build/own_profile.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

bool has_line(const std::string& card, const std::string& line) {
  return ("\n" + card).find("\n" + line + "\n") != std::string::npos;
}

TEST(Profile, TheFiveAreThereAndRender) {
  const auto names = list_profiles();
  for (const char* name :
       {"veritas-gamma", "veritas-gamma-single", "veritas-gamma-ceffic", "em-shower", "veritas-proton"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
    for (bool standin : {false, true}) {
      const auto card = render_card(load_profile(name, standin));
      EXPECT_EQ(card.find('@'), std::string::npos) << name;
      EXPECT_TRUE(has_line(card, "EXIT")) << name;
    }
  }
}

TEST(Profile, ProductionCard) {
  auto profile = load_profile("veritas-gamma");
  auto card = render_card(profile);
  for (const char* line :
       {"NSHOW 10", "ERANGE 300. 3000.", "ESLOPE -1.5", "THETAP 20. 20.", "PHIP 0. 360.", "CSCAT 5 750.E2 0.",
        "SEED 11 0 0", "SEED 13 0 0", "SEED 17 0 0", "ATMOSPHERE 61 T", "OBSLEV 1270.E2", "PAROUT F F",
        "MAGNET 25.2 40.88", "TELESCOPE -8.61E2 -135.48E2 12.23E2 7.E2"})
    EXPECT_TRUE(has_line(card, line)) << line;
  BuildRequest parameters;
  parameters.production_energies = true;
  for (auto [zenith, scatter, start] : {std::tuple{0., "750.E2", "30."},
                                        {35., "750.E2", "50."},
                                        {40., "1000.E2", "50."},
                                        {50., "1500.E2", "50."},
                                        {60., "1500.E2", "100."}}) {
    parameters.zenith = zenith;
    card = render_card(with_parameters(profile, parameters));
    EXPECT_TRUE(has_line(card, std::string("CSCAT 5 ") + scatter + " 0.")) << zenith;
    EXPECT_TRUE(has_line(card, std::string("ERANGE ") + start + " 200000.")) << zenith << card;
  }
}

TEST(Profile, Parameters) {
  BuildRequest p;
  p.showers = 7;
  p.energy_range = {0.5, 2e6};
  p.seed = 100;
  p.atmosphere = 62;
  const auto card = render_card(with_parameters(load_profile("veritas-gamma"), p));
  for (const char* line : {"NSHOW 7", "SEED 100 0 0", "SEED 106 0 0", "ATMOSPHERE 62 T"})
    EXPECT_TRUE(has_line(card, line)) << line;
  EXPECT_PRED2(holds, card, "ERANGE 0.5 2");
  auto error = [](auto change) {
    BuildRequest bad;
    change(bad);
    return error_of([&] { with_parameters(load_profile("em-shower"), bad); });
  };
  EXPECT_NE(error([](BuildRequest& b) { b.showers = 0; }), "");
  EXPECT_NE(error([](BuildRequest& b) { b.zenith = -1; }), "");
  EXPECT_NE(error([](BuildRequest& b) { b.energy_range = {2, 1}; }), "");
  EXPECT_NE(error([](BuildRequest& b) { b.seed = 0; }), "");
  EXPECT_NE(error([](BuildRequest& b) { b.production_energies = true; }), "");
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
  request.energy_range = {5., 6.};
  request.seed = 7;
  EXPECT_EQ(
      render_card(asked_profile(request)),
      "SEED 7 0 0\nSEED 8 0 0\nSEED 9 0 0\nSEED 10 0 0\nRUNNR 1\nNSHOW   3\nTHETAP  40. 40.\nATMOSPHERE 9 F\n"
      "ERANGE  5. 6.\nEXIT\n");
}

TEST(Profile, SeedsThatCorsikaDoesNotTakeAreErrors) {
  support::TemporaryFolder folder;
  folder.write("a.card", "@SEEDS@\nEXIT\n");
  const auto profile_with = [&](const std::string& seeds) {
    return folder.write("mine.toml", "options = [\"URQMD\"]\ncard = \"a.card\"\n[showers]\n" + seeds + "\n")
        .string();
  };
  for (const char* wrong :
       {"seed = 9223372036854775807\nseed_step = 2", "seed = 0", "seed = 899999999\nseeds = 4",
        "seeds = 2000000000", "seed_step = 0", "seeds = -1"})
    EXPECT_ERROR("seeds cannot be", load_profile(profile_with(wrong))) << wrong;
  EXPECT_EQ(render_card(load_profile(profile_with("seed = 899999998\nseeds = 3"))),
            "SEED 899999998 0 0\nSEED 899999999 0 0\nSEED 900000000 0 0\nEXIT\n");
}

TEST(Profile, Errors) {
  support::TemporaryFolder folder;
  const auto x = (folder.path() / "x.toml").string(), y = folder.write("y.toml", "a = ").string(),
             z = folder.write("z.toml", "summary = \"\"\n").string();
  for (const auto& [name, part] : {std::pair<std::string, const char*>{"none", "veritas-gamma"},
                                   {x, "x.toml'; there are"},
                                   {y, "line 1"},
                                   {z, "lacks options"}})
    EXPECT_PRED2(holds, error_of([&, name = name] { load_profile(name); }), part) << name;
}

TEST(Profile, ACardThatIsNotThereIsAnError) {
  support::TemporaryFolder folder;
  folder.write("own.card", "EXIT\n");
  const auto error = [&](const std::string& card, const std::string& standin_card) {
    const auto file =
        folder.write("x.toml", "summary = \"\"\noptions = [\"IACT\"]\ncard = \"" + card +
                                   "\"\n[showers]\nnumber = 1\n[standin]\ncard = \"" + standin_card + "\"\n");
    return error_of([&] { load_profile(file.string(), true); });
  };
  EXPECT_EQ(error("own.card", "own.card"), "");
  for (const auto& name : {std::string("none.card"), std::string(300, 'c')}) {  // no file's name is so long
    EXPECT_PRED2(holds, error(name, "own.card"), "that is not there") << name;
    EXPECT_PRED2(holds, error("own.card", name), "that is not there") << name;
  }
}

TEST(Models, ADataFileIsNotAPointerToOne) {
  support::TemporaryFolder folder;
  for (const char* data : {"1 2 3\n", "version 3 of this table\n 1. 2. 3.\n"})
    EXPECT_TRUE(is_data_file(folder.write("a", data))) << data;
  for (const char* pointer : {"", "version https://git-lfs.github.com/spec/v1\n",
                              "\xef\xbb\xbfversion https://git-lfs.github.com/spec/v1\r\noid sha256:4d\n",
                              "version http://git-media.io/v/2\n", "/annex/objects/SHA256E-s12--ab.dat\n"})
    EXPECT_FALSE(is_data_file(folder.write("b", pointer))) << pointer;
  EXPECT_FALSE(is_data_file(folder.path() / "d"));
}

TEST(Models, FirstAlternativeWhoseTablesAreThere) {
  const auto models = read_models();
  support::TemporaryFolder tree;
  std::vector<std::string> substitutes;
  EXPECT_EQ(resolve_alternatives(models, tree.path(), {"QGSJETII|QGSJET01", "URQMD"}, substitutes),
            (std::vector<std::string>{"QGSJET01", "URQMD"}));
  ASSERT_EQ(substitutes.size(), 1u);
  EXPECT_PRED2(holds, substitutes[0], "QGSJET01 stands in for QGSJETII");
  tree.write("run/qgsdat-II-04", "1");
  tree.write("run/sectnu-II-04", "1");
  substitutes.clear();
  EXPECT_EQ(resolve_alternatives(models, tree.path(), {"QGSJETII|QGSJET01"}, substitutes),
            (std::vector<std::string>{"QGSJETII"}));
  EXPECT_TRUE(substitutes.empty());
}

TEST(Models, MissingPartsAreNamedAndPointersInAPackageAreMissing) {
  const auto models = read_models();
  support::TemporaryFolder tree;
  const auto missing = support::join(missing_parts(models, tree.path(), {"CEFFIC", "IACT"}), "; ");
  for (const char* part : {"NUCNUCCS", "quanteff.dat (CEFFIC", "bernlohr/ (IACT"})
    EXPECT_PRED2(holds, missing, part) << part;
  tree.write("epos/epos.f", "      END\n");
  EXPECT_EQ(support::join(missing_parts(models, tree.path(), {"EPOS"})).find("epos"), std::string::npos);
  tree.write("epos/epos.inics", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n");
  EXPECT_PRED2(holds, support::join(missing_parts(models, tree.path(), {"EPOS"})), "epos/epos.inics");
}

TEST(Models, AtmosphereOfTheUserComesFirst) {
  support::TemporaryFolder tree, own;
  tree.write("run/atmprof6.dat", "theirs");
  const auto mine = own.write("atmprof6.dat", "mine");
  EXPECT_EQ(find_atmosphere("atmprof6.dat", tree.path(), {own.path()}), mine);
  EXPECT_EQ(find_atmosphere("atmprof6.dat", tree.path(), {{}}), tree.path() / "run" / "atmprof6.dat");
  EXPECT_TRUE(find_atmosphere("atmprof7.dat", tree.path(), {own.path()}).empty());
}

}  // namespace
}  // namespace overlay
