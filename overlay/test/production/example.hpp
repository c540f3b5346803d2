// A small plan, and published runs of it, made up, for tests of productions.
#pragma once

#include <gtest/gtest.h>

#include "overlay/production/production.hpp"
#include "support/checksum.hpp"

namespace overlay {

/// Whether a text holds another; says what it is instead.
inline testing::AssertionResult has(const std::string& text, const std::string& part) {
  return (text.find(part) == std::string::npos ? testing::AssertionFailure() : testing::AssertionSuccess())
         << "'" << part << "' is looked for in: " << text;
}

/// Runs 101 to 124, two zenith angles, four sequences.
inline ProductionPlan example_plan() {
  ProductionPlan plan;
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
  plan.first_run = 101;
  plan.runs_per_setting = 12;
  plan.showers = 2;
  for (const double zenith : {20., 30.5}) {
    const char* text = zenith == 20. ? "20." : "30.5";
    plan.settings.push_back({zenith, 61, "1", {{"ZENITH", text}, {"ATMOSPHERE", "61"}, {"PRIMARY", "1"}}});
  }
  plan.first_place = 7;
  return plan;
}

inline const char* const kExampleTemplate =
    "RUNNR @RUNNR@\nNSHOW @NSHOW@\nPRMPAR @PRIMARY@\nTHETAP @ZENITH@ @ZENITH@\n@SEEDS@\nDIRECT ./\nEXIT\n";

/// What a made-up run took, and where.
struct ExampleRun {
  double wall_s = 60;
  std::string began = "2026-11-22T20:00:00Z", ended = "2026-11-22T20:01:00Z";
  std::string host = "node1";
  std::string libm = std::string(64, '1');
  std::size_t bytes = 1000;  ///< of its file
};

/// Writes a run's files and manifest as a worker publishes them.
inline RunManifest publish_example(const ProductionPlan& plan, const std::filesystem::path& folder,
                                   std::int64_t run, const ExampleRun& example = {}) {
  const auto results = folder / results_folder(plan, run);
  std::filesystem::create_directories(results);
  RunManifest manifest(plan, run);
  manifest.plan_sha256 = plan_digest(folder);
  manifest.attempt = "attempt-of-" + std::to_string(run);
  manifest.host = example.host;
  manifest.processor = "a processor";
  manifest.node_class = example.libm;
  manifest.cost.began = example.began;
  manifest.cost.ended = example.ended;
  manifest.cost.wall_s = example.wall_s;
  manifest.cost.user_s = example.wall_s;
  manifest.cost.peak_rss_kib = 102400;
  for (const std::string name : {"log", "telescope.dat"}) {
    const std::string content = name + " of run " + std::to_string(run) + std::string(example.bytes, '.');
    const std::string published = run_name(run) + "." + name + ".zst", sum = support::sha256_of_text(content);
    std::filesystem::remove(results / published);
    const auto packed_bytes = pack_file(content, results / published);
    manifest.files.push_back({name, published, content.size(), packed_bytes, sum, sum, 0});
  }
  support::write_file(folder / manifest_path(plan, run), manifest_text(manifest));
  return manifest;
}

}  // namespace overlay
