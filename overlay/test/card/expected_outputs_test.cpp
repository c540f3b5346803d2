// What a run must write, by its card.
#include "overlay/card/expected_outputs.hpp"

#include <gtest/gtest.h>

namespace overlay {
namespace {

const std::vector<std::string> kIact{"CERENKOV", "IACT", "ATMEXT"};
const std::string kTelescope = "TELESCOPE 0. 0. 0. 7.E2\n";

/// Names of the expected files; those with events are marked by `*`.
std::string files(const std::string& card, const std::vector<std::string>& options,
                  const std::vector<std::string>& more = {}) {
  std::string text;
  for (const ExpectedFile& file : expected_outputs(card, options, more).files)
    text += (text.empty() ? "" : " ") + file.name + (file.events ? "*" : "");
  return text;
}

TEST(ExpectedOutputs, TheParticleFileUnlessParoutSaysNo) {
  EXPECT_EQ(files("DIRECT ./\n", {}), "DAT000001*");
  EXPECT_EQ(files("DIRECT ./\nrunnr 42\nPAROUT T F\n", {}), "DAT000042*");
  EXPECT_EQ(files("DIRECT 'out/'\nRUNNR 1234567\n", {"NRREXT"}), "out/DAT001234567*");
  EXPECT_EQ(files("PAROUT F F\n", {}), "");
  EXPECT_EQ(files("parout .false. no\n", {}), "");
}

TEST(ExpectedOutputs, Tables) {
  EXPECT_EQ(files("PAROUT F T\nLONGI T 20. F T\nDATBAS yes\n", {}),
            "DAT000001.tab DAT000001.long DAT000001.dbase");
  EXPECT_EQ(files("PAROUT F F\nLONGI F 20. F T\n", {}), "");
  EXPECT_EQ(files("PAROUT F F\nLONGI T 20. F F\n", {}), "");
}

TEST(ExpectedOutputs, LightOnTelescopesOfTheIactPackage) {
  EXPECT_EQ(files("PAROUT F\n" + kTelescope, kIact), "telescope.dat*");
  EXPECT_EQ(files("PAROUT F\nTELFIL light.dat\n" + kTelescope, kIact), "light.dat*");
  EXPECT_EQ(files("PAROUT F\ntelfil +./Light.dat:5:15:10\n" + kTelescope, kIact), "Light.dat*");
  EXPECT_EQ(files("PAROUT F\nTELFIL a\n*(IACT) telfil b\n" + kTelescope, kIact), "b*");
  EXPECT_EQ(files("PAROUT F\nTELFIL a\n", kIact), "") << "no telescope";
}

TEST(ExpectedOutputs, LightOnAGrid) {
  EXPECT_EQ(files("PAROUT F\n", {"CERENKOV"}), "CER000001*");
  EXPECT_EQ(files("CERFIL 0\n", {"CERENKOV"}), "DAT000001*");
  EXPECT_EQ(files("PAROUT F\nCERFIL 3\n", {"CERENKOV"}), "DAT000001.cher*");
  EXPECT_EQ(files("PAROUT F\nTELESCOPE 0 0 0 1 2\nTELESCOPE 0 0 0 1 7\n", {"CERENKOV"}),
            "CER000001-tel002* CER000001-tel007*");
}

TEST(ExpectedOutputs, LightInACommandAndCompressedLight) {
  EXPECT_EQ(files("PAROUT F\nTELFIL '|sim_telarray -c x'\n" + kTelescope, kIact), "light-pipe.bytes*");
  EXPECT_EQ(files("PAROUT F\nTELFIL +|cat\n" + kTelescope, kIact), "light-pipe.bytes*");
  EXPECT_EQ(files("PAROUT F\nTELFIL light.dat.zst\n" + kTelescope, kIact), "light.dat.zst*");
}

TEST(ExpectedOutputs, LightThatLeavesNoFileIsSaid) {
  for (const auto& [telfil, words] :
       {std::pair{"/dev/null", "was not kept"}, std::pair{"x_$OBSLEV.dat", "not known"}}) {
    const ExpectedOutputs outputs =
        expected_outputs("PAROUT F\nTELFIL " + std::string(telfil) + "\n" + kTelescope, kIact);
    EXPECT_TRUE(outputs.files.empty()) << telfil;
    EXPECT_TRUE(outputs.outside.empty()) << telfil;
    ASSERT_EQ(outputs.not_compared.size(), 1U) << telfil;
    EXPECT_NE(outputs.not_compared[0].find(words), std::string::npos) << outputs.not_compared[0];
  }
}

TEST(ExpectedOutputs, OutputsOutsideOfTheRunFolderAreSaid) {
  EXPECT_EQ(expected_outputs("DIRECT /data/\n", {}).outside,
            std::vector<std::string>{"DIRECT /data/DAT000001"});
  EXPECT_EQ(expected_outputs("DIRECT ../\n", {}).outside.size(), 1U);
  EXPECT_EQ(expected_outputs("PAROUT F\nTELFIL /data/x\n" + kTelescope, kIact).outside.size(), 1U);
  EXPECT_EQ(expected_outputs("PAROUT F\nTELFIL $HOME/x.dat\n" + kTelescope, kIact).outside.size(), 1U);
  EXPECT_TRUE(expected_outputs("DIRECT ./a/../\n", {}).outside.empty());
}

TEST(ExpectedOutputs, TheProfilesOnesBesideThose) {
  EXPECT_EQ(files("DIRECT ./\n", {}, {"DAT000001", "extra"}), "DAT000001* extra");
}

TEST(ExpectedOutputs, ShowersAreTheCards) { EXPECT_EQ(expected_outputs("NSHOW 7\n", {}).showers, 7); }

}  // namespace
}  // namespace overlay
