#include "overlay/report/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/error.hpp"

namespace overlay {
namespace {

Report sample_report() {
  Report report;
  report.profile = "veritas-gamma";
  report.corsika_version = "7.7410";
  report.backend = report.backend_asked = "simd";
  report.flags = "tuned";
  report.showers = 10;
  report.repeats = 3;
  report.identity.identical = true;
  report.identity.events = 10;
  FileIdentity file;
  file.name = "DAT000001";
  file.bytes = 22940;
  file.other_bytes = 22940;
  file.equal = true;
  report.identity.files = {file};
  report.runs = {{"stock", "tuned", "-O2", "-O2", {10, 10.1, 9.9}, {10, 10.1, 9.9}, 4000},
                 {"patched", "tuned", "-O2", "-O2", {9.1, 9.2, 9.0}, {9.1, 9.2, 9.0}, 5000}};
  report.numbers = 100'000'000;
  report.calls = 50'000'000;
  report.categories = CategoryList::standard().categories();
  Attribution stock, patched;
  stock.samples = patched.samples = 10000;
  stock.cpu_ns = patched.cpu_ns = 10'000'000'000;
  stock.category_samples = {{"generator", 1000}, {"other", 9000}};
  patched.category_samples = {{"generator", 100}, {"other", 9900}};
  stock.category_samples_uncorrected = {{"generator", 1200}, {"other", 8800}};
  patched.category_samples_uncorrected = {{"generator", 250}, {"other", 9750}};
  stock.corrected = patched.corrected = true;
  stock.moved = 201;
  patched.moved = 151;
  patched.ambiguous = 17;
  report.runs[0].startup_cpu_s = {2, 2.1, 1.9};
  report.runs[1].startup_cpu_s = {2.1, 2.2, 2.0};
  report.sampled_stock = stock;
  report.sampled_patched = patched;
  report.gprof_stock = GprofProfile{{{"cerenk_", 4.0, 1000}, {"rmmard_", 1.0, 50'000'000}}};
  report.gprof_patched = GprofProfile{{{"cerenk_", 4.0, 1000}}};
  return report;
}

std::string markdown_of(const Report& report) { return page_markdown(report_page(report, derive(report))); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

nlohmann::json json_of(const Report& report) {
  return nlohmann::json::parse(report_json(report, derive(report)));
}

TEST(Derive, Figures) {
  const Derived derived = derive(sample_report());
  EXPECT_NEAR(*derived.share_stock, 0.1, 1e-12);
  EXPECT_NEAR(*derived.share_patched, 0.01, 1e-12);
  EXPECT_NEAR(*derived.amdahl_gain, 1 / 0.9, 1e-12);
  EXPECT_NEAR(derived.speedup.value, 10 / 9.1, 0.01);
  EXPECT_NEAR(derived.removed.value, 0.9, 0.01);
  EXPECT_NEAR(*derived.removed_by_sampler, 1 - 0.01 * 9.1 / (0.1 * 10), 1e-9);
  EXPECT_NEAR(*derived.ns_stock, 10, 1e-9);
  EXPECT_NEAR(*derived.ns_patched, 0.91, 1e-9);
  EXPECT_LT(derived.share_stock_interval->low, 0.1);
  EXPECT_GT(derived.share_stock_interval->high, 0.1);
}

TEST(Derive, ShowersAreToldApartFromStartup) {
  const Derived derived = derive(sample_report());
  EXPECT_NEAR(*derived.startup_stock, 2, 1e-12);
  EXPECT_NEAR(*derived.startup_patched, 2.1, 1e-12);
  EXPECT_NEAR(*derived.shower_stock, 0.8, 1e-12) << "of ten showers";
  EXPECT_NEAR(*derived.shower_patched, 0.7, 1e-12);
  EXPECT_NEAR(derived.per_shower->value, 8.0 / 7.0, 1e-12);
  EXPECT_TRUE(derived.per_shower->has_interval);
}

TEST(Derive, WithoutTheFirstShowerInEveryLogNothingIsToldApart) {
  Report report = sample_report();
  report.runs[1].startup_cpu_s.pop_back();
  const Derived derived = derive(report);
  EXPECT_FALSE(derived.startup_stock);
  EXPECT_FALSE(derived.per_shower);
  EXPECT_TRUE(json_of(report)["speedup"]["per_shower"]["measured"].is_null());
  EXPECT_TRUE(json_of(report)["startup"]["stock_s"].is_null());
}

/// The sample with Cherenkov light: generator alone 9.5 s, stage alone 4 s.
Report report_with_parts(bool stage) {
  Report report = sample_report();
  report.light.asked = "auto";
  report.light.with_light = true;
  report.light.steps = 1000;
  report.runs[1].cpu_s = {3, 3, 3};
  report.runs.push_back({"patched-generator", "tuned", "-O2", "-O2", {9.5, 9.5}, {9.5, 9.5}, 5000});
  if (stage) report.runs.push_back({"patched-stage", "tuned", "-O2", "-O2", {4, 4}, {4, 4}, 5000});
  return report;
}

TEST(Derive, PartsAreMeasured) {
  const Derived derived = derive(report_with_parts(true));
  EXPECT_NEAR(derived.generator->gain.value, (10 / 9.5 + 10.1 / 9.5) / 2, 1e-12);
  EXPECT_EQ(derived.generator->pairs, 2);
  EXPECT_NEAR(derived.stage->gain.value, (10 / 4.0 + 10.1 / 4.0) / 2, 1e-12);
  EXPECT_NEAR(derived.both->gain.value, derived.speedup.value, 1e-12);
}

TEST(Report, SaysWhatOfTheStageIsInTheProgramAndWhy) {
  Report report = report_with_parts(true);
  report.light.summary = "cherenkov: backend=cpu";
  report.light.built = {CherenkovStage::Covered::kBunchByBunch, "option X needs the loop", "", true,
                        "proven (7 steps, today)"};
  const auto json = json_of(report)["cherenkov"];
  EXPECT_EQ(json["covered"], "bunches");
  EXPECT_EQ(json["works"], true);
  EXPECT_EQ(json["why"], "proven (7 steps, today)");
  EXPECT_EQ(json["reason"], "option X needs the loop");
  const std::string text = "bunch by bunch, proven (7 steps, today): option X needs the loop";
  EXPECT_EQ(json["program"], text);
  EXPECT_TRUE(has(markdown_of(report), "In the patched program: " + text));
  EXPECT_EQ(json_of(sample_report())["cherenkov"]["covered"], "none");
}

TEST(Derive, WhatWasNotRunAloneHasNoGain) {
  const Report report = report_with_parts(false);
  const Derived derived = derive(report);
  EXPECT_FALSE(derived.stage);
  EXPECT_TRUE(json_of(report)["parts"]["stage"].is_null());
  const std::string parts = closing_lines(report, derived)[3];
  EXPECT_EQ(parts.find("stage alone"), std::string::npos) << parts;
  EXPECT_NE(parts.find("The Cherenkov stage was not run alone"), std::string::npos) << parts;
  EXPECT_FALSE(has(markdown_of(report), "| Cherenkov stage alone |"));
}

TEST(Derive, WithoutLightTheStageHasNoPart) {
  Report report = sample_report();
  report.light.asked = "auto";
  const Derived derived = derive(report);
  EXPECT_FALSE(derived.stage);
  EXPECT_NEAR(derived.generator->gain.value, derived.speedup.value, 1e-12);
  EXPECT_EQ(derived.parts_note, "The Cherenkov stage has no part, since the run has no Cherenkov light.");
  EXPECT_TRUE(json_of(report)["parts"]["stage"].is_null());
  EXPECT_EQ(json_of(report)["parts"]["note"], derived.parts_note);
}

TEST(Derive, HelperThreadsAreInTheShare) {
  Report report = sample_report();
  report.sampled_patched->other_threads_ns = 1'000'000'000;  // a tenth
  const Derived derived = derive(report);
  EXPECT_NEAR(*derived.share_patched, 0.1 + 0.9 * 0.01, 1e-12);
  EXPECT_GT(derived.share_patched_interval->low, 0.1);
  EXPECT_LE(derived.share_patched_interval->low, *derived.share_patched);
  EXPECT_GE(derived.share_patched_interval->high, *derived.share_patched);
}

TEST(ReportJson, HasTheKeysThatChecksUse) {
  const nlohmann::json json = json_of(sample_report());
  for (const char* key :
       {"/profile", "/corsika/version", "/machine/cpu", "/identity/identical", "/identity/files/0/name",
        "/identity/files/0/bytes", "/runs/0/build", "/runs/0/cpu_s/0", "/runs/0/median_cpu_s", "/rng/numbers",
        "/rng/share_stock", "/rng/ns_per_number_patched", "/speedup/measured", "/speedup/bound",
        "/speedup/per_shower/measured", "/speedup/removed_low", "/startup/stock_s",
        "/parts/generator/measured", "/parts/both/how"})
    EXPECT_FALSE(json.at(nlohmann::json::json_pointer(key)).is_null()) << key;
  EXPECT_TRUE(json["gprof"]["share_stock"].is_number());
  EXPECT_NEAR(json["gprof"]["flat_stock"][1]["share"].get<double>(), 0.2, 1e-12);
}

/// sample_report() with stock as shipped.
Report report_with_shipped() {
  Report report = sample_report();
  report.runs.push_back({"stock-shipped", "shipped", "", "", {20, 22}, {20, 22}, 4000});
  report.runs.back().startup_cpu_s = {3, 3};
  return report;
}

TEST(Derive, StockAsShippedIsSetAgainstPatched) {
  const Derived derived = derive(report_with_shipped());
  EXPECT_NEAR(derived.shipped->value, 21 / 9.1, 1e-12);
  EXPECT_TRUE(derived.shipped->has_interval);
  EXPECT_GE(derived.shipped->low, 20 / 9.2);
  EXPECT_LE(derived.shipped->high, 22 / 9.0);
  EXPECT_NEAR(derived.shipped_per_shower->value, 18 / 7.0, 1e-12);
  EXPECT_NEAR(*derived.shower_shipped, 1.8, 1e-12);
  EXPECT_FALSE(derive(sample_report()).shipped);
  Report once = report_with_shipped();
  once.runs[2].cpu_s = {21};
  EXPECT_FALSE(derive(once).shipped->has_interval);
  EXPECT_FALSE(derive(once).shipped_per_shower) << "the start-up of one run is missing";
}

TEST(ReportJson, CategoriesHaveSecondsAndSymbolsHaveShares) {
  Report report = sample_report();
  report.sampled_stock->symbol_samples = {{"cerenk", 3000}, {"rmmard", 1000}};
  const nlohmann::json json = json_of(report);
  EXPECT_NEAR(json["sampler"]["stock"]["category_s"]["generator"].get<double>(), 0.1 * 10, 1e-9);
  EXPECT_NEAR(json["sampler"]["patched"]["category_s"]["generator"].get<double>(), 0.01 * 9.1, 1e-9);
  EXPECT_NEAR(json["sampler"]["stock"]["top"][0]["share"].get<double>(), 0.3, 1e-12);
}

TEST(ReportJson, SharesAreTheCorrectedOnes) {
  const Report report = sample_report();
  const nlohmann::json json = json_of(report);
  EXPECT_NEAR(json["rng"]["share_stock"].get<double>(), 0.1, 1e-12);
  EXPECT_NEAR(json["rng"]["share_stock_uncorrected"].get<double>(), 0.12, 1e-12);
  EXPECT_NEAR(json["rng"]["share_patched_uncorrected"].get<double>(), 0.025, 1e-12);
  EXPECT_EQ(json["sampler"]["patched"]["ambiguous"], 17);
  EXPECT_NEAR(json["speedup"]["bound"].get<double>(), 1 / 0.9, 1e-12);
  EXPECT_EQ(json["sampler"]["patched"]["moved"], 151);
}

TEST(ReportPage, SaysWhetherSamplesWereCorrected) {
  Report report = sample_report();
  EXPECT_TRUE(has(markdown_of(report), "151 changed category by the correction, 17 were ambiguous"));
  EXPECT_TRUE(has(markdown_of(report), "| Uncorrected share | 12.00% | 2.50% |"));
  report.sampled_patched->corrected = false;
  EXPECT_TRUE(has(markdown_of(report), "Samples are not corrected"));
}

TEST(ReportJson, OnePairHasNoInterval) {
  Report report = sample_report();
  report.repeats = 1;
  for (BuildRuns& build : report.runs) build.cpu_s = build.wall_s = {build.cpu_s[0]};
  const nlohmann::json json = json_of(report);
  EXPECT_FALSE(json["speedup"]["measured"].is_null());
  for (const char* key : {"low", "high", "removed_low", "removed_high"})
    EXPECT_TRUE(json["speedup"][key].is_null()) << key;
  const std::vector<std::string> lines = closing_lines(report, derive(report));
  EXPECT_NE(lines[2].find("one pair of runs: no interval"), std::string::npos) << lines[2];
}

TEST(ClosingLines, AnyoneUnderstandsThem) {
  Report report = report_with_parts(true);
  report.runs.push_back({"stock-shipped", "shipped", "", "", {17}, {17.5}, 4000});
  const std::vector<std::string> lines = closing_lines(report, derive(report), "/out/report/report.html");
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "Same bytes: yes (1 file, 22,940 bytes, 10 events).");
  EXPECT_EQ(lines[1], "CPU time of a run: stock as shipped 17.50 s, stock tuned 10.00 s, patched 3.00 s.");
  EXPECT_EQ(lines[2].find(
                "Gain: 3.33 (3.30 to 3.37) times as fast as stock, 5.83 times as fast as stock as shipped"),
            0u)
      << lines[2];
  EXPECT_EQ(
      lines[3],
      "Parts: generator alone 1.06 (1.05 to 1.06) times, Cherenkov stage alone 2.51 (2.50 to 2.52) times, "
      "both 3.33 times.");
  EXPECT_EQ(lines[4], "Report: /out/report/report.html");
}

TEST(ClosingLines, EventsAreThoseInTheFiles) {
  Report report = sample_report();
  report.identity.events = 9;
  EXPECT_EQ(closing_lines(report, derive(report))[0], "Same bytes: yes (1 file, 22,940 bytes, 9 events).");
  EXPECT_EQ(json_of(report)["identity"]["events"], 9);
  report.identity.events.reset();
  EXPECT_EQ(closing_lines(report, derive(report))[0], "Same bytes: yes (1 file, 22,940 bytes).");
  EXPECT_TRUE(json_of(report)["identity"]["events"].is_null());
}

TEST(Certainty, OfUpToFivePairsTheIntervalIsTheirRange) {
  Report report;
  report.repeats = 5;
  EXPECT_EQ(certainty(report), "range of 5 pairs of runs");
  report.repeats = 6;
  EXPECT_EQ(certainty(report), "95% interval from 6 pairs of runs");
}

TEST(ClosingLines, OtherBytesAreSaidFirst) {
  Report report = sample_report();
  report.identity.identical = false;
  report.identity.reasons = {"DAT000001: differs from offset 7"};
  EXPECT_EQ(closing_lines(report, derive(report))[0],
            "Same bytes: NO (1 file, 22,940 bytes, 10 events): DAT000001: differs from offset 7.");
}

TEST(ReportPage, HasTheFactsOfAComparison) {
  Report report = report_with_parts(true);
  report.tables = {"tables.dat"};
  report.first_run_identical = true;
  report.card = "RUNNR 1\nEXIT\n";
  report.command = "overlay compare --quick";
  report.notes = {"a note"};
  report.runs.push_back({"stock-shipped", "shipped", "", "", {20, 22}, {20, 22}, 4000});
  const std::string text = markdown_of(report);
  for (const char* part : {"# Same output, 3.33 times as fast",
                           "**Same bytes: yes**",
                           "- Same bytes: yes (1 file, 22,940 bytes, 10 events).",
                           "| Random number generator alone | 1.06 | 1.05 to 1.06 |",
                           "| Cherenkov stage alone | 2.51 |",
                           "| **3.33** | 3.30 to 3.37 |",
                           "over stock as shipped | 7.00 |",
                           "range of 3 pairs of runs",
                           "| Before the first shower | 2.00 s | 2.10 s |",
                           "| A shower | 0.800 s |",
                           "(tables.dat)",
                           "with the same bytes",
                           "| random number generator (accelerated) | 1.00 s | 0.0300 s | 10.00% | 1.00% |",
                           "| `rmmard_` | 20.0% | 1.00 s | 50,000,000 |",
                           "draws 100,000,000 numbers",
                           "in 50,000,000 calls",
                           "| `DAT000001` | yes |",
                           "RUNNR 1\nEXIT",
                           "overlay compare --quick",
                           "- a note"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

TEST(ReportPage, OtherBytesAndTheirReasonsComeFirst) {
  Report report = sample_report();
  report.identity.identical = false;
  report.identity.reasons = {"DAT000001 differs from byte 7 on", "log: one line is missing"};
  report.identity.files[0].equal = report.identity.files[0].compared = true;
  report.identity.files[0].equal = false;
  report.identity.files[0].first_difference = 4711;
  report.parts_identical = false;
  const std::string text = markdown_of(report);
  for (const char* part : {"# The outputs differ", "**Same bytes: no**", "Do not use this patched program",
                           "- log: one line is missing", "| **no** |", "from offset 4,711 on",
                           "** Runs with one part of the overlay alone left other bytes.**"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  report.identity.reasons.clear();
  report.identity.could_not_compare = "the run of stock failed";
  EXPECT_TRUE(has(markdown_of(report), "# Could not compare"));
}

TEST(ReportPage, WhatTheStageDidIsInEveryText) {
  Report report = sample_report();
  CherenkovSummary& light = report.light;
  light.asked = "auto";
  light.with_light = true;
  light.built = {CherenkovStage::Covered::kNothing, "option THIN", "", false, ""};
  EXPECT_EQ(light.in_run(), "did not run: option THIN");
  light.built = {CherenkovStage::Covered::kWholeLoop, "", "", true, ""};
  EXPECT_EQ(light.in_run(), "did not run: the run came to no step with light");
  light.summary = "cherenkov: backend=cpu";
  EXPECT_EQ(light.in_run(), "had no step to do");
  light.steps = 1000;
  EXPECT_EQ(light.in_run(), "took 1,000 of 1,000 steps");
  light.steps = 0;
  light.left_to_corsika = 583293;
  const std::string what = "took none of 583,293 steps; CORSIKA did them";
  EXPECT_TRUE(has(closing_lines(report, derive(report))[3], "The Cherenkov stage " + what + "."));
  EXPECT_TRUE(has(markdown_of(report), "In these runs the stage " + what));
  EXPECT_EQ(json_of(report)["cherenkov"]["in_run"], what);
  light.skipped = 7;
  EXPECT_EQ(light.in_run(), "skipped 7 bunches of CORSIKA's own loop, and took no whole step");
  light.asked = "off";
  EXPECT_EQ(light.in_run(), "was off");
}

TEST(ReportJson, WhatWasNotMeasuredIsNull) {
  Report report = sample_report();
  report.sampled_stock.reset();
  report.sampled_patched.reset();
  report.gprof_stock.reset();
  report.gprof_patched.reset();
  const nlohmann::json json = json_of(report);
  EXPECT_TRUE(json["rng"]["share_stock"].is_null());
  EXPECT_TRUE(json["speedup"]["removed_fraction"].is_null());
  EXPECT_TRUE(json["gprof"]["flat_stock"].empty());
  EXPECT_FALSE(has(markdown_of(report), "gprof's flat profile"));
  EXPECT_FALSE(has(markdown_of(report), "Amdahl"));
}

}  // namespace
}  // namespace overlay
