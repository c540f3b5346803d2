#include "overlay/build/stage_presence.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "support/temporary_folder.hpp"

using namespace overlay;

namespace {

/// What is said of a build with these options whose compiled source holds `calls`.
std::string said(const std::vector<std::string>& options, const std::string& calls,
                 const std::string& stages = "[{\"name\": \"cherenkov\", \"action\": \"inserted\"}]",
                 const std::string& cppflags = "-D__CHERENKOVLIB__") {
  support::TemporaryFolder build;
  std::string header;
  for (const auto& name : options) header += "#define __CACHE_" + name + "__ /**/\n";
  build.write("tree/include/config.h", header);
  build.write("tree/src/corsikacompilefile.f", "      PROGRAM AAMAIN\n" + calls + "      END\n");
  build.write("settings.json", "{\"standin\": false, \"environment\": {\"CPPFLAGS\": \"" + cppflags + "\"}}");
  build.write("manifest.json", "{\"stages\": " + stages + "}");
  return stage_of_build(build.path()).text();
}

const std::string kLoop = "        CALL CHRSTP( IRDM )\n        CALL CHRBUN( ITHIT )\n";
const std::string kBunch = "        CALL CHRBUN( ITHIT )\n";

}  // namespace

TEST(StagePresence, WhatIsCalledCounts) {
  EXPECT_EQ(said({"CERENKOV", "IACT", "ATMEXT", "SLANT"}, kLoop), "whole loop");
}

TEST(StagePresence, OptionsThatLeaveTheLoopToCorsika) {
  for (const char* option : {"CEFFIC", "CERWLEN", "NOCLONG", "AUGCERLONG"})
    EXPECT_EQ(said({"CERENKOV", "IACT", "ATMEXT", "SLANT", option}, kBunch),
              std::string("bunch by bunch: option ") + option);
  EXPECT_EQ(said({"CERENKOV", "IACT", "ATMEXT", "SLANT", "NOCLONG", "CERWLEN"}, kBunch),
            "bunch by bunch: options CERWLEN, NOCLONG");
  EXPECT_NE(said({"CERENKOV", "IACT", "ATMEXT"}, kBunch).find("without option SLANT"), std::string::npos);
  EXPECT_NE(said({"CERENKOV", "IACT", "ATMEXT", "SLANT"}, kBunch).find("CERENK is not known"),
            std::string::npos);
}

TEST(StagePresence, WhyItIsLeftOut) {
  EXPECT_EQ(said({"CERENKOV"}, ""), "left out: option IACT is not chosen");
  EXPECT_EQ(said({"CERENKOV", "IACT"}, ""), "left out: option ATMEXT is not chosen");
  EXPECT_NE(said({}, "").find("option CERENKOV is not chosen"), std::string::npos);
  EXPECT_EQ(said({"CERENKOV", "IACT", "ATMEXT", "CURVED"}, ""), "left out: option CURVED is not covered");
  EXPECT_EQ(said({"CERENKOV", "IACT", "ATMEXT"}, "",
                 "[{\"action\": \"left out\", \"reason\": \"TELEND is called nowhere\"}]"),
            "left out: TELEND is called nowhere");
  EXPECT_NE(said({"CERENKOV", "IACT", "ATMEXT"}, "", "[]", "").find("-ffp-contract=off"), std::string::npos);
}
