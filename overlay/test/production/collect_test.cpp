// What a production's folder holds: runs scanned, summed up, collected, and shown as a page.

#include "error_of.hpp"
#include "example.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

class ProductionFolder : public ::testing::Test {
 protected:
  ProductionFolder() { plan_again(example_plan()); }

  void publish(std::int64_t first, std::int64_t last) {
    for (auto run = first; run <= last; ++run) publish_example(plan_, path_, run);
  }
  void attempt(std::int64_t run, const std::string& name, const std::string& outcome, const std::string& host,
               long shower = 0) {
    nlohmann::json text{{"id", name}, {"host", host}, {"outcome", outcome}, {"exit", 75}, {"shower", shower}};
    text.update({{"reason", "because of " + outcome}, {"ended", "2026-11-22T20:00:00Z"}});
    folder_.write((attempts_folder(run) / (name + ".json")).string(), text.dump());
  }
  Survey survey(VerifyDepth depth = VerifyDepth::sizes) {
    visited_.clear();
    return survey_of(plan_, path_, depth,
                     [&](const RunManifest& manifest) { visited_.push_back(manifest.run); });
  }
  std::string page(std::int64_t now_s) { return production_page(plan_, survey(), path_, now_s); }
  CollectRequest request(bool partial = false, std::int64_t list = 0) const {
    return {.folder = path_, .accept_partial = partial, .digests = false, .list = list};
  }
  nlohmann::json manifest() const {
    return nlohmann::json::parse(support::read_file(path_ / "production-manifest.json"));
  }
  void plan_again(const ProductionPlan& plan) {
    write_plan(plan, kExampleTemplate, path_);
    plan_ = read_plan(path_);
  }

  support::TemporaryFolder folder_;
  fs::path path_ = folder_.path();
  ProductionPlan plan_;
  std::vector<std::int64_t> visited_;
};

TEST_F(ProductionFolder, EveryRunIsVisitedOnceInOrder) {
  auto plan = example_plan();
  plan.runs_per_setting = 2500;
  plan_again(plan);
  publish(1099, 1102);  // around the end of a folder
  publish(5100, 5100);
  const auto sums = survey();
  EXPECT_EQ(visited_, (std::vector<std::int64_t>{1099, 1100, 1101, 1102, 5100}));
  ASSERT_EQ(sums.absent.size(), 4995U);
  EXPECT_EQ(sums.absent[997], 1098);
  EXPECT_EQ(sums.absent[998], 1103);
  EXPECT_EQ(sums.of(kPublished), 5);
  EXPECT_EQ(sums.of(kMissing), 4995);
}

TEST_F(ProductionFolder, RunsThatWereAddedCountAsTheOthers) {
  publish(101, 124);
  auto plan = plan_;
  plan.extensions.push_back({201, 1, 500});
  write_extension(plan, path_);
  plan_ = read_plan(path_);
  publish(201, 201);
  const auto sums = survey();
  EXPECT_EQ(sums.of(kPublished), 25) << "those that were published before stay so";
  EXPECT_EQ(sums.absent, (std::vector<std::int64_t>{202}));
  EXPECT_EQ(array_lines(sums.pending, plan_.first_run, 1000), (std::vector<std::string>{"101 101"}));
}

TEST_F(ProductionFolder, RunsAreCountedByTheirState) {
  publish(101, 106);
  fs::resize_file(path_ / "results/000/000102.log.zst", 5);                             // not whole
  fs::copy_file(path_ / "results/000/000101.json", path_ / "results/000/000107.json");  // a copied manifest
  attempt(108, "a", "crash", "node1", 1);
  attempt(108, "b", "crash", "node2", 1);
  attempt(109, "a", "disk-full", "node1");
  attempt(110, "a", "other-bits", "node9");
  fs::create_directories(path_ / attempts_folder(111) / "at-work");
  attempt(103, "a", "killed", "node3");  // and was published later
  const auto sums = survey();
  EXPECT_EQ(sums.of(kPublished), 5);
  EXPECT_EQ(sums.of(kRejected), 2);
  EXPECT_EQ(sums.of(kPoisoned), 1);
  EXPECT_EQ(sums.of(kRunning), 1);
  EXPECT_EQ(sums.of(kMissing), 24 - 9);
  EXPECT_EQ(sums.failed_attempts, 5);
  EXPECT_EQ(sums.other_bits, (std::set<std::string>{"node9"}));
  ASSERT_EQ(sums.issues.size(), 5U);
  EXPECT_EQ(sums.issues[0].run, 102);
  EXPECT_TRUE(has(sums.issues[1].reason, "that of run 101"));
  EXPECT_EQ(sums.issues[2].state, "poisoned");
  EXPECT_EQ(sums.issues[3].reason, "because of disk-full");
}

TEST_F(ProductionFolder, ACompleteProductionIsCollected) {
  publish(101, 124);
  const auto collected = collect_production(plan_, request(false, 5));
  EXPECT_TRUE(manifest().at("complete"));
  EXPECT_FALSE(manifest().at("accepted_partial"));
  EXPECT_EQ(manifest().at("run_list").size(), 24U);
  EXPECT_EQ(manifest().at("run_list").at(23).at("run"), 124);
  EXPECT_EQ(manifest().at("absent"), "");
  // 12 runs a setting in lists of 5: three lists each, of telescope files alone.
  EXPECT_EQ(collected.lists, 6);
  EXPECT_EQ(support::read_file(path_ / "lists/setting-001/telescope.dat/00002.txt"),
            "results/000/000123.telescope.dat.zst\nresults/000/000124.telescope.dat.zst\n");
  EXPECT_FALSE(fs::exists(path_ / "lists/setting-000/log"));
  // The same contents give the same digest, in lists of other lengths too; old lists go, other files stay.
  support::write_file(path_ / "lists/mine.txt", "mine");
  EXPECT_EQ(collect_production(plan_, request(false, 12)).content_sha256, collected.content_sha256);
  EXPECT_FALSE(fs::exists(path_ / "lists/setting-001/telescope.dat/00002.txt"));
  EXPECT_TRUE(fs::exists(path_ / "lists/setting-001/telescope.dat/00000.txt"));
  EXPECT_TRUE(fs::exists(path_ / "lists/mine.txt"));
  ExampleRun other;
  other.bytes = 1001;
  publish_example(plan_, path_, 110, other);
  EXPECT_NE(collect_production(plan_, request()).content_sha256, collected.content_sha256);
}

TEST_F(ProductionFolder, AnIncompleteProductionIsCollectedOnlyWhereThatIsAccepted) {
  publish(101, 110);
  publish(115, 124);
  EXPECT_ERROR("20 of 24 runs", collect_production(plan_, request()));
  EXPECT_FALSE(fs::exists(path_ / "production-manifest.json"));
  collect_production(plan_, request(true));
  EXPECT_FALSE(manifest().at("complete"));
  EXPECT_TRUE(manifest().at("accepted_partial"));
  EXPECT_EQ(manifest().at("absent"), "111-114");
  for (const auto& entry : fs::directory_iterator(path_))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".overlay")) << entry.path();
}

TEST_F(ProductionFolder, OutliersAreMeasuredAgainstTheirOwnSetting) {
  ExampleRun slow;
  slow.wall_s = 600;  // usual at the second setting, ten times the median of the first
  for (std::int64_t run = 101; run <= 124; ++run)
    publish_example(plan_, path_, run, run > 112 || run == 105 ? slow : ExampleRun());
  const auto shown = page(1'800'000'000);
  EXPECT_TRUE(has(shown, "results/000/000105.log.zst\">105</a></th>"));
  EXPECT_FALSE(has(shown, "results/000/000113.log.zst\">113</a></th>"));
  EXPECT_TRUE(has(shown, "10.0"));
}

TEST_F(ProductionFolder, TheEndIsEstimatedByTheLastHour) {
  publish(101, 112);  // began 20:00:00, ended 20:01:00
  const auto began = seconds_of_utc("2026-11-22T20:00:00Z");
  const auto sums = survey();
  const auto soon = sums.estimate(began + 600);  // twelve runs in ten minutes, twelve to go
  ASSERT_TRUE(soon);
  EXPECT_NEAR(soon->runs_per_hour, 72, 0.01);
  EXPECT_NEAR(static_cast<double>(soon->end_s), static_cast<double>(began + 1200), 2);
  EXPECT_FALSE(sums.estimate(began + 7200));
}

TEST_F(ProductionFolder, ThePageShowsTheDocumentsNumbers) {
  const ExampleRun elsewhere{.wall_s = 200,
                             .ended = "2026-11-22T20:40:00Z",
                             .host = "node<2>",
                             .libm = std::string(64, '7'),
                             .bytes = 400'000};
  publish(101, 112);
  for (std::int64_t run = 113; run <= 118; ++run) publish_example(plan_, path_, run, elsewhere);
  publish_example(plan_, path_, 104, elsewhere);
  attempt(120, "a", "crash", "node1", 1);
  attempt(120, "b", "crash", "node1", 1);
  folder_.write("attempts/000120/b.log", "a log");
  const auto shown = page(seconds_of_utc("2026-11-22T20:41:00Z"));
  for (const std::string part :
       {"<meta http-equiv=\"refresh\" content=\"60\">", ">gamma<", "runs an hour",
        "<a href=\"results/000/000104.log.zst\">104</a>", "<a href=\"attempts/000120/b.log\">120</a>",
        "3.33 min", "Runs need a look", "18 of ", "node&lt;2&gt;", "Poisoned", "Nodes by their last bits",
        "Beyond twice the median"})
    EXPECT_TRUE(has(shown, part));
  for (const std::string part : {"<script", "http:", "https:", "@import", "{{"})
    EXPECT_FALSE(has(shown, part)) << part;
}

TEST_F(ProductionFolder, TheLastLogOfARunAndItsReasonAreFound) {
  EXPECT_ERROR("was not begun", last_log(plan_, path_, 104));
  fs::create_directories(path_ / attempts_folder(104) / "c");
  EXPECT_ERROR("at work for the first time", last_log(plan_, path_, 104));
  attempt(104, "a", "crash", "node1", 1);
  attempt(104, "b", "killed", "node2");
  folder_.write("attempts/000104/a.log", "the first");
  EXPECT_EQ(last_log(plan_, path_, 104).file, "") << "the last one's is not kept";
  EXPECT_TRUE(
      has(last_log(plan_, path_, 104).head, "run 104: because of killed (and it is at work again)\nb: "));
  folder_.write("attempts/000104/b.log", "the second");
  EXPECT_EQ(last_log(plan_, path_, 104).file, "attempts/000104/b.log");
  publish(104, 104);
  EXPECT_EQ(last_log(plan_, path_, 104).file, "results/000/000104.log.zst");
  EXPECT_TRUE(has(last_log(plan_, path_, 104).head, "run 104: published, made on node1"));
  EXPECT_ERROR("has no run 99", last_log(plan_, path_, 99));
}

TEST_F(ProductionFolder, NothingPublishedIsAPageAndAnEmptyList) {
  collect_production(plan_, request(true));
  EXPECT_TRUE(manifest().at("run_list").empty());
  EXPECT_TRUE(has(page(1'800'000'000), "Not begun"));
  EXPECT_FALSE(has(page(1'800'000'000), "Runs that ended"));
}

TEST_F(ProductionFolder, WithOffsetsARunThatDrewMoreThanItsStrideIsNamed) {
  auto plan = example_plan();
  plan.seeds = SeedMode::offsets;
  plan.stride = 5'000'000;
  plan_again(plan);
  const auto publish_with = [&](std::int64_t run, const std::string& draws) {
    auto manifest = publish_example(plan_, path_, run);
    manifest.generator["draws"] = draws;
    support::write_file(path_ / manifest_path(plan_, run), manifest_text(manifest));
  };
  publish_with(101, "5000000");
  publish_with(102, "5000001");
  publish_with(103, "many");
  const auto sums = survey();
  EXPECT_EQ(sums.of(kPublished), 3);
  ASSERT_EQ(sums.issues.size(), 2U);
  EXPECT_EQ(sums.issues[0].state, "stride");
  EXPECT_TRUE(has(sums.issues[0].reason, "it drew 5000001 numbers"));
  EXPECT_EQ(sums.issues[1].run, 103);
}

TEST_F(ProductionFolder, AuditsAreOnThePageAndInTheManifest) {
  publish(101, 124);
  const auto audit = [&](int run, const std::string& kind, bool equal, double cpu) {
    nlohmann::json text{{"made_on", "node1"}, {"audited_on", "desk"}, {"published_cpu_s", 60.}};
    text.update({{"run", run}, {"kind", kind}, {"equal", equal}, {"audit_cpu_s", cpu}});
    text["reason"] = equal ? "" : "telescope.dat differs from byte 77 on";
    folder_.write("audits/" + std::to_string(run) + kind + ".json", text.dump());
  };
  audit(101, "stock", true, 360);
  audit(110, "stock", true, 420);
  audit(120, "elsewhere", false, 1);
  ASSERT_EQ(audits_of(path_).size(), 3U);
  const auto shown = page(1'800'000'000);
  EXPECT_TRUE(has(shown, "6.50 times stock&apos;s throughput (6.00 to 7.00), the median of 2 runs"));
  EXPECT_TRUE(has(shown, "telescope.dat differs from byte 77 on"));
  EXPECT_FALSE(has(shown, "http-equiv")) << "a complete production does not change";
  collect_production(plan_, request());
  EXPECT_EQ(manifest().at("audits").size(), 3U);
  EXPECT_EQ(gain_over_stock(nlohmann::json::array()), "");
}

TEST(RunLists, RunsBecomeRangesAndArrays) {
  EXPECT_EQ(range_text({}), "");
  EXPECT_EQ(range_text({5}), "5");
  EXPECT_EQ(range_text({5, 6, 8, 10, 11, 12}), "5-6,8,10-12");
  EXPECT_EQ(array_lines({101, 102, 105, 110, 111, 130}, 101, 10),
            (std::vector<std::string>{"101 0-1,4,9", "111 0", "121 9"}));
  EXPECT_TRUE(array_lines({}, 101, 10).empty());
}

TEST(RunLists, TimesAreReadBack) {
  EXPECT_EQ(seconds_of_utc("1970-01-02T00:00:01Z"), 86401);
  EXPECT_EQ(utc_of_seconds(86401), "1970-01-02 00:00 UTC");
  for (const std::string wrong : {"", "yesterday", "2026-11-22", "2026-11-22T20:15:00"})
    EXPECT_EQ(seconds_of_utc(wrong), 0);
}

}  // namespace
}  // namespace overlay
