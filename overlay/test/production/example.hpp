// A small production, made up: its plan, and runs that are published as a worker does.
#pragma once

#include "folder_test.hpp"
#include "overlay/production/production.hpp"
#include "support/checksum.hpp"

namespace overlay {

inline const char* const kExampleTemplate =
    "RUNNR @RUNNR@\nNSHOW @NSHOW@\nPRMPAR @PRIMARY@\nTHETAP @ZENITH@ @ZENITH@\n@SEEDS@\nDIRECT ./\nEXIT\n";

/// Runs 101 to 124, two zenith angles, four sequences.
inline ProductionPlan example_plan() {
  ProductionPlan plan;
  plan.ranges = {{101, 12, 7}};
  plan.name = "example";
  plan.overlay_version = "0.1.0";
  plan.corsika_version = "standin 1.0";
  plan.corsika_sha256 = std::string(64, 'a');
  plan.profile = "veritas-gamma";
  plan.flags = "tuned";
  plan.substitutes = {"B stands in for A"};
  plan.compilers = "gfortran 12 \"quoted\" \\ and more";
  plan.options = {"CERENKOV", "IACT"};
  plan.program = "bin/corsika/run/corsika-standin";
  plan.stock = "bin/corsika/run/corsika-standin.stock";
  plan.showers = 2;
  for (const std::string zenith : {"20.", "30.5"})
    plan.settings.push_back(
        {std::stod(zenith), 61, "1", {{"ZENITH", zenith}, {"ATMOSPHERE", "61"}, {"PRIMARY", "1"}}});
  return plan;
}

/// The example's folder, and its plan as it is written and read back.
class Production : public FolderTest {
 protected:
  Production() { plan_again(example_plan()); }

  void plan_again(const ProductionPlan& changed) {
    write_plan(changed, kExampleTemplate, path);
    plan = read_plan(path);
  }
  /// More runs of the plan.
  void add(const RunRange& range) {
    plan.ranges.push_back(range);
    write_extension(plan);
    plan = read_plan(path);
  }

  using Change = std::function<void(RunManifest&)>;
  /// An attempt at a run, as a worker publishes it; `change`: of its manifest. Whether it was the first.
  bool make(std::int64_t run, const std::string& light, const Change& change = {}) {
    const support::TemporaryFolder work, stage(path, "stage");
    RunManifest manifest(plan, run);
    manifest.attempt = "attempt-" + std::to_string(++attempts_);
    manifest.host = "node1";
    manifest.node_class = std::string(64, '1');
    manifest.cost = {"2026-11-22T20:00:00Z", "2026-11-22T20:01:00Z", 60, 60};
    manifest.files = pack_outputs(
        {{"telescope.dat", work.write("telescope.dat", light)}, {"log", work.write("log", " END OF RUN\n")}},
        run, stage.path());
    if (change) change(manifest);
    return publish(plan, manifest, stage.path());
  }
  void make_all(std::int64_t first, std::int64_t last, const Change& change = {}) {
    for (auto run = first; run <= last; ++run) make(run, "light of " + std::to_string(run), change);
  }

  fs::path path = folder.path();
  ProductionPlan plan;

 private:
  int attempts_ = 0;
};

}  // namespace overlay
