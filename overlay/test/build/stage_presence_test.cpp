#include "overlay/build/stage_presence.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

using namespace overlay;

namespace {

const std::string kCall = "      CALL CHRRUN( CHRTIR,CHRHLD )\n";

/// What is said of a build whose manifest says this of the stage, and whose compiled source holds `calls`.
StagePresence of(const std::string& stage, const std::string& calls = kCall,
                 const std::string& cppflags = "-D__CHERENKOVLIB__") {
  support::TemporaryFolder build;
  build.write("tree/src/corsikacompilefile.f", "      PROGRAM AAMAIN\n" + calls + "      END\n");
  build.write("settings.json", "{\"standin\": false, \"environment\": {\"CPPFLAGS\": \"" + cppflags + "\"}}");
  build.write("manifest.json", "{\"stages\": [{\"name\": \"other\", \"tier\": \"none\"}" +
                                   (stage.empty() ? "" : ", {\"name\": \"cherenkov\", " + stage + "}") +
                                   "]}");
  return stage_of_build(build.path());
}

}  // namespace

TEST(StagePresence, SaysTierAndTrust) {
  EXPECT_EQ(of(R"("tier": "whole", "trust": "known")").text(), "whole loop, known");
  const auto proven = of(R"("tier": "whole", "trust": "proven", "steps": 10000123)");
  EXPECT_EQ(proven.text(), "whole loop, proven by 10000123 steps");
  EXPECT_EQ(proven.steps, 10000123U);
  EXPECT_FALSE(proven.is_held_off());
  const auto bunches = of(R"("tier": "bunches", "trust": "known", "reason": "option CEFFIC needs the loop")");
  EXPECT_EQ(bunches.text(), "bunch by bunch, known: option CEFFIC needs the loop");
  EXPECT_EQ(bunches.kind, StagePresence::Kind::kBunchByBunch);
  const auto held = of(R"("tier": "whole", "trust": "held off", "reason": "nothing shows it; prove it")");
  EXPECT_EQ(held.text(), "whole loop, held off: nothing shows it; prove it");
  EXPECT_TRUE(held.is_held_off());
}

TEST(StagePresence, WhyItIsLeftOut) {
  EXPECT_EQ(of(R"("tier": "none", "reason": "option IACT is not chosen")", "").text(),
            "left out: option IACT is not chosen");
  EXPECT_EQ(of("", "").text(), "left out");
  EXPECT_NE(of(R"("tier": "whole", "trust": "known")", "", "").text().find("-ffp-contract=off"),
            std::string::npos);
}

// The manifest is a promise; the compiled source decides.
TEST(StagePresence, WhatIsCompiledCounts) {
  const auto presence = of(R"("tier": "whole", "trust": "known")", "      CALL CHRCER( STEPCR )\n");
  EXPECT_EQ(presence.kind, StagePresence::Kind::kLeftOut);
  EXPECT_EQ(presence.trust, "");
  EXPECT_NE(presence.text().find("left out: the compiled source does not call it"), std::string::npos);
}
