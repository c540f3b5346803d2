// Cards whose outputs do not stay in the run folder.
#include "overlay/card/output_places.hpp"

#include <gtest/gtest.h>

namespace overlay {
namespace {

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

}  // namespace
}  // namespace overlay
