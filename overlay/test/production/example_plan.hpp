// A small plan for tests of productions.
#pragma once

#include "overlay/production/plan.hpp"

namespace overlay {

/// Runs 101 to 124, two zenith angles, four sequences.
inline ProductionPlan example_plan() {
  ProductionPlan plan;
  plan.name = "example";
  plan.overlay_version = "0.1.0";
  plan.corsika_version = "standin 1.0";
  plan.corsika_sha256 = std::string(64, 'a');
  plan.standin = true;
  plan.profile = "veritas-gamma";
  plan.flags = "tuned";
  plan.compilers = "gfortran 12 \"quoted\" \\ and more";
  plan.options = {"CERENKOV", "IACT"};
  plan.outputs = {"telescope.dat"};
  plan.program = "bin/corsika/run/corsika-standin";
  plan.stock = "bin/stock/run/corsika-standin";
  plan.first_run = 101;
  plan.runs_per_setting = 12;
  plan.showers = 2;
  for (const double zenith : {20., 30.5}) {
    ProductionSetting setting{zenith, 61, "1", {}};
    setting.values = {{"ZENITH", zenith == 20. ? "20." : "30.5"}, {"ATMOSPHERE", "61"}, {"PRIMARY", "1"}};
    plan.settings.push_back(setting);
  }
  plan.first_place = 7;
  return plan;
}

inline const char* const kExampleTemplate =
    "RUNNR {RUNNR}\nNSHOW {NSHOW}\nPRMPAR {PRIMARY}\nTHETAP {ZENITH} {ZENITH}\n{SEEDS}\nDIRECT ./\nEXIT\n";

}  // namespace overlay
