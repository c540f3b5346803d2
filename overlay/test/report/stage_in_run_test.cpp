// What a report says that the Cherenkov stage did.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "overlay/report/report.hpp"

namespace overlay {
namespace {

/// A report whose patched program holds the whole stage.
Report report_of_light() {
  Report report;
  report.light.asked = "auto";
  report.light.with_light = true;
  report.light.summary = "cherenkov: backend=cpu";
  report.light.built.covered = CherenkovStage::Covered::kWholeLoop;
  report.light.built.works = true;
  report.runs.push_back({"stock", "tuned", "-O2", "-O2", {10}, {10}});
  report.runs.push_back({"patched", "tuned", "-O2", "-O2", {9}, {9}});
  return report;
}

TEST(StageInRun, IsWhatTheCountsSay) {
  CherenkovSummary light = report_of_light().light;
  EXPECT_EQ(light.in_run(), "had no step to do");
  light.steps = 1000;
  light.left_to_corsika = 0;
  EXPECT_EQ(light.in_run(), "took 1,000 of 1,000 steps");
  light.steps = 0;
  light.skipped = 7;
  EXPECT_EQ(light.in_run(), "skipped 7 bunches of CORSIKA's own loop, and took no whole step");
  light.asked = "off";
  EXPECT_EQ(light.in_run(), "was off");
}

TEST(StageInRun, ThatAllStepsWereLeftIsInEveryText) {
  Report report = report_of_light();
  report.light.steps = 0;
  report.light.left_to_corsika = 583293;
  const Derived derived = derive(report);
  const std::string what = "took none of 583,293 steps; CORSIKA did them";
  EXPECT_EQ(closing_lines(report, derived)[3],
            "Parts: generator alone 1.11 times. The Cherenkov stage " + what + ".");
  EXPECT_NE(report_markdown(report, derived).find("In these runs the stage " + what), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(report_json(report, derived))["cherenkov"]["in_run"], what);
}

TEST(StageInRun, AStageThatDidNotRunIsNotCalledKnown) {
  CherenkovSummary light = report_of_light().light;
  light.summary.clear();
  EXPECT_EQ(light.in_run(), "did not run: the run came to no step with light");
  light.built = {};
  light.built.covered = CherenkovStage::Covered::kNothing;
  light.built.reason = "option THIN";
  EXPECT_EQ(light.in_run(), "did not run: option THIN");
}

}  // namespace
}  // namespace overlay
