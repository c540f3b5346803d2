#include "overlay/report/report.hpp"

#include "folder_test.hpp"

namespace overlay {
namespace {

using Times = std::vector<double>;

Json runs(const char* build, const Times& cpu_s, const Times& startup_cpu_s = {}) {
  return {{"build", build},      {"flags", std::string(build) == "stock-shipped" ? "shipped" : "tuned"},
          {"fflags", "-O2"},     {"wall_s", cpu_s},
          {"cpu_s", cpu_s},      {"startup_cpu_s", startup_cpu_s},
          {"peak_rss_kib", 4000}};
}

Json samples(double generator) {
  Json json = Json::parse(R"({"runs": 3, "samples": 10000, "lost": 0, "cpu_s": 10.0,
      "real_interval_ms": 1.0, "other_threads_s": 0.0})");
  json["categories"] = {{"generator", generator}, {"other", 1 - generator}};
  return json;
}

/// What three pairs of runs measured; nothing is computed yet.
Json sample_report() {
  Json report = new_report();
  Identity identity;
  identity.identical = true;
  identity.events = 10;
  FileIdentity& file = identity.files.emplace_back();
  file.name = "DAT000001";
  file.bytes = file.bytes_patched = 22940;
  file.equal = true;
  put_identity(report, identity);
  report.update(Json::parse(R"({
    "profile": "veritas-gamma", "options": ["QGSJET01", "IACT"], "corsika": {"version": "7.7410", "sha256": ""}, "library_version": "1",
    "started": "today", "command": "overlay compare --quick", "flags": "tuned", "showers": 10, "repeats": 3,
    "card": "RUNNR 1\nPRMPAR 14\nERANGE 300. 3.E3\nESLOPE -1.5\nTHETAP 20. 20.\nATMOSPHERE 61 T\nCSCAT 5 750.E2 0.\nTELESCOPE 0. 0. 0. 7.E2\nTELESCOPE 1. 0. 0. 7.E2\nEXIT\n", "backend": "simd", "backend_asked": "auto",
    "machine": {"cpu": "a processor", "cores": 2, "system": "", "kernel": "", "gpu": "", "compilers": "",
                "load_before": 0.1, "load_after": 1.2},
    "categories": [{"name": "generator", "title": "random number generator", "accelerated": true},
                   {"name": "other", "title": "everything else", "accelerated": false}]
  })"));
  report["runs"] = {runs("stock", {10, 10.1, 9.9}, {2, 2.1, 1.9}),
                    runs("patched", {9.1, 9.2, 9.0}, {2.1, 2.2, 2.0})};
  report["rng"]["numbers"] = 100'000'000;
  report["rng"]["calls"] = 50'000'000;
  report["sampler"] = {{"stock", samples(0.1)}, {"patched", samples(0.01)}};
  report["gprof"]["flat_stock"] = {
      {{"name", "cerenk_"}, {"share", 0.8}, {"self_s", 4.}, {"calls", 1000}},
      {{"name", "rmmard_"}, {"share", 0.2}, {"self_s", 1.}, {"calls", 50'000'000}}};
  report["cherenkov"]["in_run"] = "was off";
  return report;
}

/// The sample with Cherenkov light: generator alone 9.5 s, stage alone 4 s, both 3 s; stock as shipped 21 s.
Json report_with_parts() {
  Json report = sample_report();
  report["cherenkov"].update({{"asked", "auto"},
                              {"made", true},
                              {"steps", 1000},
                              {"bunches", 5000},
                              {"traced", 100},
                              {"in_run", "took 1,000 of 1,000 steps"},
                              {"summary", "cherenkov: backend=cpu"}});
  report["runs"][1]["cpu_s"] = {3, 3, 3};
  report["runs"].push_back(runs("patched-generator", {9.5, 9.5}));
  report["runs"].push_back(runs("patched-stage", {4, 4}));
  report["runs"].push_back(runs("stock-shipped", {20, 22}, {3, 3}));
  return report;
}

Json finished(Json report) {
  add_figures(report);
  return report;
}

void expect_text(const Json& report, const std::vector<const char*>& parts) {
  const std::string text = page_markdown(report_page(finished(report)));
  for (const char* part : parts) EXPECT_PRED2(holds, text, part);
}

TEST(Figures, FollowFromTheMeasurements) {
  const Json report = finished(sample_report());
  for (const auto& [at, value] : std::vector<std::pair<const char*, double>>{
           {"/rng/share_stock", 0.1},
           {"/rng/share_patched", 0.01},
           {"/rng/ns_per_number_stock", 10},
           {"/rng/ns_per_number_patched", 0.91},
           {"/speedup/bound", 1 / 0.9},
           {"/speedup/measured", 10 / 9.1},
           {"/speedup/removed_fraction", 0.9},
           {"/speedup/per_shower/measured", 8.0 / 7.0},
           {"/startup/stock_s", 2},
           {"/startup/patched_s", 2.1},
           {"/shower/stock_s", 0.8},
           {"/shower/patched_s", 0.7},
           {"/sampler/stock/category_s/generator", 0.1 * 10},
           {"/sampler/patched/category_s/generator", 0.01 * 9.1},
           {"/parts/generator/measured", report["speedup"]["measured"]}})
    EXPECT_NEAR(report.at(Json::json_pointer(at)).get<double>(), value, 1e-9) << at;
  const Json interval = report["rng"]["share_stock_interval"];
  EXPECT_TRUE(interval[0] < 0.1 && interval[1] > 0.1) << interval;
  EXPECT_FALSE(report["speedup"]["per_shower"]["low"].is_null());
  EXPECT_TRUE(report["parts"]["stage"].is_null());
  EXPECT_EQ(report["parts"]["note"], "The Cherenkov stage was off.");
  Json unseen = sample_report();  // the first shower, in one of the logs
  unseen["runs"][1]["startup_cpu_s"].erase(2);
  unseen = finished(unseen);
  EXPECT_TRUE(unseen["speedup"]["per_shower"]["measured"].is_null());
  EXPECT_TRUE(unseen["startup"]["stock_s"].is_null());
}

TEST(Figures, PartsAreMeasuredAndStockAsShipped) {
  Json report = finished(report_with_parts());
  EXPECT_NEAR(report["parts"]["generator"]["measured"], (10 / 9.5 + 10.1 / 9.5) / 2, 1e-12);
  EXPECT_EQ(report["parts"]["generator"]["pairs"], 2);
  EXPECT_NEAR(report["parts"]["stage"]["measured"], (10 / 4.0 + 10.1 / 4.0) / 2, 1e-12);
  EXPECT_NEAR(report["speedup"]["shipped"]["measured"], 21 / 3.0, 1e-12);
  EXPECT_FALSE(report["speedup"]["shipped"]["low"].is_null());
  EXPECT_NEAR(report["shower"]["shipped_s"], 1.8, 1e-12);
  report["runs"][4]["cpu_s"] = {21};
  report["speedup"]["per_shower"]["shipped"] = nullptr;
  report = finished(report);
  EXPECT_TRUE(report["speedup"]["shipped"]["low"].is_null());
  EXPECT_TRUE(report["speedup"]["per_shower"]["shipped"].is_null()) << "the start-up of one run is missing";
}

TEST(Figures, HelperThreadsAreInTheShare) {
  Json report = sample_report();
  Json& sampled = report["sampler"]["patched"];
  sampled["other_threads_s"] = 1.;  // a tenth
  const double share = 0.1 + 0.9 * 0.01;
  sampled["categories"]["generator"] = share;
  const Json interval = finished(report)["rng"]["share_patched_interval"];
  EXPECT_GT(interval[0], 0.1);
  EXPECT_LE(interval[0], share);
  EXPECT_GE(interval[1], share);
}

TEST(Figures, OnePairHasNoInterval) {
  Json report = sample_report();
  report["repeats"] = 1;
  for (Json& build : report["runs"]) build["cpu_s"] = build["wall_s"] = {build["cpu_s"][0]};
  report = finished(report);
  EXPECT_FALSE(report["speedup"]["measured"].is_null());
  for (const char* key : {"low", "high", "removed_low", "removed_high"})
    EXPECT_TRUE(report["speedup"][key].is_null()) << key;
  EXPECT_PRED2(holds, closing_lines(report)[2], "one pair of runs: no interval");
  EXPECT_EQ(certainty(5), "range of 5 pairs of runs");
  EXPECT_EQ(certainty(6), "95% interval from 6 pairs of runs");
}

TEST(ClosingLines, AnyoneUnderstandsThem) {
  Json report = finished(report_with_parts());
  const std::vector<std::string> lines{
      "Same bytes: yes (1 file, 22,940 bytes, 10 events).",
      "CPU time of a run: stock as shipped 21.00 s, stock tuned 10.00 s, patched 3.00 s.",
      "Gain: 3.33 (3.30 to 3.37) times as fast as stock, 7.00 times as fast as stock as shipped",
      "Saves 0.197 CPU hours per 1000 showers of this card.",
      "Parts: generator alone 1.06 (1.05 to 1.06) times, Cherenkov stage alone 2.51 (2.50 to 2.52) times, "
      "both 3.33 times."};
  const auto said = closing_lines(report);
  ASSERT_EQ(said.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(said[i].substr(0, lines[i].size()), lines[i]);
  report["identity"]["events"] = nullptr;
  EXPECT_EQ(closing_lines(report)[0], "Same bytes: yes (1 file, 22,940 bytes).");
}

TEST(ReportPage, HasTheFactsOfAComparison) {
  Json report = report_with_parts();
  report["startup"]["tables"] = {"tables.dat"};
  report["identity"]["first_run_identical"] = true;
  report["notes"] = {"a note"};
  report["substitutes"] = {"QGSJET01 stands in for QGSJETII"};
  expect_text(
      report,
      {"# Same output, 3.33 times as fast\n",
       "\n**Same bytes: yes (1 file, 22,940 bytes, 10 events).**\n\n- Substitute: QGSJET01 stands in for "
       "QGSJETII.\n",
       "| Primary | proton |\n| Energy | 300 to 3000 GeV, slope -1.5 |\n| Zenith angle | 20 degrees |\n"
       "| Models and options | QGSJET01, IACT |\n| Atmosphere | atmprof61.dat |\n"
       "| Telescopes | 2, in 5 scattered copies |\n| Light that can hit | at most 2.00% of 5,000 bunches",
       "stock had 100% of a core",
       "| Stock, tuned (-O2) |",
       "| Random number generator alone | 1.06 | 1.05 to 1.06 |  |  |\n| Cherenkov stage alone | 2.51 |",
       "| **3.33** | 3.30 to 3.37 |",
       "over stock as shipped | 7.00 |",
       "range of 3 pairs of runs",
       "| Before the first shower | 2.00 s | 2.10 s |\n| A shower | 0.800 s |",
       "(tables.dat) were made once, before the timed runs, and are the same files for both programs, which "
       "both write them with the same bytes",
       "| random number generator (accelerated) | 1.00 s | 0.0300 s | 10.00% | 1.00% |",
       "| Stock | 10.00% | 9.43% to 10.60% | 10.0 |",
       "| `rmmard_` | 20.00% | 1.00 s | 50,000,000 |",
       "draws 100,000,000 numbers. Stock draws them in 50,000,000 calls",
       "| `DAT000001` | yes |",
       "In these runs the stage took 1,000 of 1,000 steps",
       "| Steps that the stage took | 1,000 |",
       "7.E2\nEXIT",
       "overlay compare --quick",
       "- a note"});
}

TEST(ReportPage, OtherBytesAndTheirReasonsComeFirst) {
  Json report = sample_report();
  Identity identity;
  identity.reasons = {"DAT000001 differs from byte 7 on", "log: one line is missing"};
  identity.files.resize(1);
  identity.files[0].first_difference = 4711;
  put_identity(report, identity);
  report["identity"]["parts_identical"] = false;
  expect_text(report, {"# The outputs differ", "Do not use this patched program",
                       "**Same bytes: NO (1 file, 0 bytes): DAT000001 differs from byte 7 on.**",
                       "- log: one line is missing", "| **no** |", "from offset 4,711 on",
                       "** Runs with one part of the overlay alone left other bytes.**"});
  identity.reasons.clear();
  identity.could_not_compare = "the run of stock failed";
  put_identity(report, identity);
  expect_text(report, {"# Could not compare", "**Could not compare: the run of stock failed.**"});
}

TEST(Stage, WhatItIsAndDidIsSaidInWords) {
  Json light = new_report()["cherenkov"];
  EXPECT_EQ(light["covered"], "none");
  const CherenkovStage none{"none", "option THIN", false, ""}, whole{"whole", "", true, ""};
  for (const auto& [member, value, stage, said] :
       std::vector<std::tuple<const char*, Json, CherenkovStage, const char*>>{
           {"asked", "off", none, "was off"},
           {"asked", "auto", none, "has no part, since the run has no Cherenkov light"},
           {"made", true, none, "did not run: option THIN"},
           {"made", true, whole, "did not run: the run came to no step with light"},
           {"summary", "cherenkov: backend=cpu", whole, "had no step to do"},
           {"left_to_corsika", 7, whole, "took none of 7 steps; CORSIKA did them"},
           {"skipped", 9, whole, "skipped 9 bunches of CORSIKA's own loop, and took no whole step"},
           {"steps", 1000, whole, "took 1,000 of 1,007 steps"}}) {
    light[member] = value;
    EXPECT_EQ(stage_in_run(light, stage), said);
  }
  put_stage(light, {"bunches", "option X needs the loop", true, "proven (7 steps)"});
  EXPECT_EQ(light["covered"], "bunches");
  EXPECT_EQ(light["program"], "bunch by bunch, proven (7 steps): option X needs the loop");
}

Json named(const std::string& profile) {
  Json report = sample_report();
  report["profile"] = profile;
  report["card"] = "USER Jos\xe9\nEXIT\n";
  return finished(report);
}

using WriteReport = FolderTest;
using CheckReportFolder = FolderTest;

long entries_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST_F(WriteReport, ReplacesAnOlderOneAndNothingElseIsLeft) {
  const fs::path plain = folder.path() / "a/report", link = folder.path() / "link";
  fs::create_directory_symlink(plain, link);
  for (const std::string& name :
       {plain.string(), plain.string() + "/", plain.string() + "/../report", link.string()}) {
    check_report_folder(name);
    write_report(named(name), name);
    EXPECT_EQ(Json::parse(folder.read("a/report/report.json"))["profile"], name);
    EXPECT_EQ(entries_in(plain), 3) << "report.json, report.html, report.md";
  }
}

TEST_F(WriteReport, AnyBytesSurviveAndOneThatCannotBeWrittenIsPrinted) {
  write_report(named("x"), folder.path() / "r\xe9sultats");
  EXPECT_PRED2(holds, folder.read("r\xe9sultats/report.json"), "USER Jos\xef\xbf\xbd");
  EXPECT_PRED2(holds, folder.read("r\xe9sultats/report.md"), "USER Jos\xe9");
  folder.write("file", "x");
  testing::internal::CaptureStdout();
  EXPECT_ERROR("it is on standard output", write_report(named("kept"), folder.path() / "file/report"));
  EXPECT_PRED2(holds, testing::internal::GetCapturedStdout(), "profile kept");
}

TEST_F(CheckReportFolder, RefusesWhatIsNotAReportsAndLeavesNothing) {
  folder.write("mine/thesis.tex", "years of work");
  folder.write("mine/report.json", "of another program");
  folder.write("file", "x");
  fs::create_directories(folder.path() / "odd/report.md");
  const std::string cases[][2] = {{"mine", "holds thesis.tex, which no report wrote"},
                                  {"odd", "holds report.md, which no report wrote"},
                                  {"file", "is not a folder"},
                                  {"file/report", "--report DIR"},
                                  {"/proc/report", "cannot write in /proc/report"},
                                  {"/", "no report wrote"}};
  for (const auto& [name, part] : cases)
    EXPECT_PRED2(holds, error_of([&, &at = name] { check_report_folder(folder.path() / at); }), part);
  check_report_folder(folder.path() / "a/b/report");
  EXPECT_EQ(entries_in(folder.path()), 3) << "mine, odd, file";
}

}  // namespace
}  // namespace overlay
