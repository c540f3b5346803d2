// What a manifest says of the stage.
#include "overlay/build/stage_trust.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

TEST(StageTrust, IsReadFromTheManifest) {
  const support::TemporaryFolder folder;
  const auto trust = stage_trust(folder.write("manifest.json", R"({"stages": [
      {"name": "another", "tier": "none"},
      {"name": "cherenkov", "tier": "whole", "trust": "held off", "reason": "CERENK is not known",
       "routines": [{"name": "CERENK", "digest": "aa"}, {"name": "telout_", "digest": "bb"}]}]})"));
  EXPECT_EQ(trust.tier, "whole");
  EXPECT_TRUE(trust.is_in());
  EXPECT_TRUE(trust.is_held_off());
  EXPECT_EQ(trust.reason, "CERENK is not known");
  EXPECT_EQ(trust.routines, (std::map<std::string, std::string>{{"CERENK", "aa"}, {"telout_", "bb"}}));
}

TEST(StageTrust, WithoutAStageTheTierIsNone) {
  const support::TemporaryFolder folder;
  const auto trust = stage_trust(folder.write("manifest.json", R"({"stages": []})"));
  EXPECT_EQ(trust.tier, "none");
  EXPECT_FALSE(trust.is_in());
  EXPECT_FALSE(trust.is_held_off());
}

TEST(StageTrust, AManifestThatCannotBeReadIsAnError) {
  const support::TemporaryFolder folder;
  EXPECT_NE(error_of([&] { stage_trust(folder.write("manifest.json", "{")); }).find("build again"),
            std::string::npos);
}

}  // namespace
}  // namespace overlay
