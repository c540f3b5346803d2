// What a production's folder holds: runs scanned, summed up, collected, and shown as a page.

#include "example.hpp"

namespace overlay {
namespace {

class ProductionFolder : public Production {
 protected:
  void attempt(std::int64_t run, const std::string& name, const std::string& outcome, const std::string& host,
               long shower = 0) {
    const nlohmann::json text{{"id", name},
                              {"host", host},
                              {"outcome", outcome},
                              {"shower", shower},
                              {"reason", "because of " + outcome},
                              {"ended", "2026-11-22T20:00:00Z"}};
    folder.write((attempts_folder(run) / (name + ".json")).string(), text.dump());
  }
  Survey survey(const std::function<void(const RunManifest&)>& visit = {}) const {
    return survey_of(plan, VerifyDepth::sizes, visit);
  }
  std::string page(std::int64_t now_s = 1'800'000'000) const {
    return production_page(plan, survey(), now_s);
  }
  Collected collect(bool partial = false, std::int64_t list = 0) const {
    return collect_production(plan,
                              {.folder = path, .accept_partial = partial, .digests = false, .list = list});
  }
  nlohmann::json manifest() const { return nlohmann::json::parse(folder.read("production-manifest.json")); }
};

TEST_F(ProductionFolder, EveryRunIsVisitedOnceInOrder) {
  plan.ranges[0].runs_per_setting = 2500;
  plan_again(plan);
  make_all(1099, 1102);  // around the end of a folder
  make_all(5100, 5100);
  std::vector<std::int64_t> visited;
  const auto sums = survey([&](const RunManifest& manifest) { visited.push_back(manifest.run); });
  EXPECT_EQ(visited, (std::vector<std::int64_t>{1099, 1100, 1101, 1102, 5100}));
  ASSERT_EQ(sums.absent.size(), 4995U);
  EXPECT_EQ(sums.absent[997], 1098);
  EXPECT_EQ(sums.absent[998], 1103);
  EXPECT_EQ(sums.of(kPublished), 5);
  EXPECT_EQ(sums.of(kMissing), 4995);
}

TEST_F(ProductionFolder, RunsThatWereAddedCountAsTheOthers) {
  make_all(101, 124);
  add({201, 1, 500});
  make_all(201, 201);
  const auto sums = survey();
  EXPECT_EQ(sums.of(kPublished), 25) << "those that were published before stay so";
  EXPECT_EQ(sums.absent, (std::vector<std::int64_t>{202}));
  EXPECT_EQ(array_lines(sums.pending, plan.ranges[0].first_run, 1000), (std::vector<std::string>{"101 101"}));
}

TEST_F(ProductionFolder, RunsAreCountedByTheirState) {
  make_all(101, 106);
  fs::remove(path / "results/000/000102.log.zst");
  folder.write("results/000/000102.log.zst", "short");                                // not whole
  fs::copy_file(path / "results/000/000101.json", path / "results/000/000107.json");  // a copied manifest
  attempt(108, "a", "crash", "node1", 1);
  attempt(108, "b", "crash", "node2", 1);
  attempt(109, "a", "disk-full", "node1");
  attempt(110, "a", "other-bits", "node9");
  fs::create_directories(path / attempts_folder(111) / "at-work");
  attempt(103, "a", "killed", "node3");  // and was published later
  const auto sums = survey();
  for (const auto& [state, count] :
       {std::pair{kPublished, 5}, {kRejected, 2}, {kPoisoned, 1}, {kRunning, 1}, {kMissing, 24 - 9}})
    EXPECT_EQ(sums.of(state), count) << state;
  EXPECT_EQ(sums.failed_attempts, 5);
  EXPECT_EQ(sums.other_bits, (std::set<std::string>{"node9"}));
  ASSERT_EQ(sums.issues.size(), 5U);
  EXPECT_EQ(sums.issues[0].run, 102);
  EXPECT_PRED2(holds, sums.issues[1].reason, "that of run 101");
  EXPECT_EQ(sums.issues[2].state, "poisoned");
  EXPECT_EQ(sums.issues[3].reason, "because of disk-full");
}

TEST_F(ProductionFolder, ACompleteProductionIsCollected) {
  make_all(101, 124);
  const auto collected = collect(false, 5);
  EXPECT_TRUE(manifest().at("complete"));
  EXPECT_FALSE(manifest().at("accepted_partial"));
  EXPECT_EQ(manifest().at("run_list").size(), 24U);
  EXPECT_EQ(manifest().at("run_list").at(23).at("run"), 124);
  EXPECT_EQ(manifest().at("absent"), "");
  EXPECT_EQ(manifest().at("classes").at(0).at("class"), std::string(64, '1'));
  // 12 runs a setting in lists of 5: three lists each, of telescope files alone.
  EXPECT_EQ(collected.lists, 6);
  EXPECT_EQ(folder.read("lists/setting-001/telescope.dat/00002.txt"),
            "results/000/000123.telescope.dat.zst\nresults/000/000124.telescope.dat.zst\n");
  EXPECT_FALSE(fs::exists(path / "lists/setting-000/log"));
  // The same contents give the same digest, in lists of other lengths too; old lists go, other files stay.
  folder.write("lists/mine.txt", "mine");
  EXPECT_EQ(collect(false, 12).content_sha256, collected.content_sha256);
  EXPECT_FALSE(fs::exists(path / "lists/setting-001/telescope.dat/00002.txt"));
  EXPECT_TRUE(fs::exists(path / "lists/setting-001/telescope.dat/00000.txt"));
  EXPECT_TRUE(fs::exists(path / "lists/mine.txt"));
  set_aside(plan, 110, "for a test");
  make(110, "other light");
  EXPECT_NE(collect().content_sha256, collected.content_sha256);
}

TEST_F(ProductionFolder, AnIncompleteProductionIsCollectedOnlyWhereThatIsAccepted) {
  make_all(101, 110);
  make_all(115, 124);
  EXPECT_ERROR("20 of 24 runs", collect());
  EXPECT_FALSE(fs::exists(path / "production-manifest.json"));
  collect(true);
  EXPECT_FALSE(manifest().at("complete"));
  EXPECT_TRUE(manifest().at("accepted_partial"));
  EXPECT_EQ(manifest().at("absent"), "111-114");
  for (const auto& entry : fs::directory_iterator(path))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".overlay")) << entry.path();
}

TEST_F(ProductionFolder, OutliersAreMeasuredAgainstTheirOwnSetting) {
  make_all(101, 124, [](RunManifest& manifest) {  // usual at the second setting, ten times the first's median
    if (manifest.run > 112 || manifest.run == 105) manifest.cost.wall_s = 600;
  });
  const auto shown = page();
  EXPECT_PRED2(holds, shown, "results/000/000105.log.zst\">105</a></th>");
  EXPECT_FALSE(holds(shown, "results/000/000113.log.zst\">113</a></th>"));
  EXPECT_PRED2(holds, shown, "10.0");
}

TEST_F(ProductionFolder, TheEndIsEstimatedByTheLastHour) {
  make_all(101, 112);  // began 20:00:00, ended 20:01:00
  const auto began = seconds_of_utc("2026-11-22T20:00:00Z");
  const auto sums = survey();
  const auto soon = sums.estimate(began + 600);  // twelve runs in ten minutes, twelve to go
  ASSERT_TRUE(soon);
  EXPECT_NEAR(soon->runs_per_hour, 72, 0.01);
  EXPECT_NEAR(static_cast<double>(soon->end_s), static_cast<double>(began + 1200), 2);
  EXPECT_FALSE(sums.estimate(began + 7200));
}

TEST_F(ProductionFolder, ThePageShowsTheDocumentsNumbers) {
  const auto elsewhere = [](RunManifest& manifest) {
    manifest.cost.wall_s = 200;
    manifest.cost.ended = "2026-11-22T20:40:00Z";
    manifest.host = "node<2>";
    manifest.node_class = std::string(64, '7');
  };
  make_all(101, 103);
  make(104, std::string(400'000, 'x'), elsewhere);
  make_all(105, 112);
  make_all(113, 118, elsewhere);
  attempt(120, "a", "crash", "node1", 1);
  attempt(120, "b", "crash", "node1", 1);
  folder.write("attempts/000120/b.log", "a log");
  const auto shown = page(seconds_of_utc("2026-11-22T20:41:00Z"));
  for (const std::string part :
       {"<meta http-equiv=\"refresh\" content=\"60\">", ">gamma<", "runs an hour",
        "<a href=\"results/000/000104.log.zst\">104</a>", "<a href=\"attempts/000120/b.log\">120</a>",
        "3.33 min", "Runs need a look", "18 of ", "node&lt;2&gt;", "Poisoned", "Nodes by their last bits",
        "Beyond twice the median"})
    EXPECT_PRED2(holds, shown, part);
}

TEST_F(ProductionFolder, TheLastLogOfARunAndItsReasonAreFound) {
  EXPECT_ERROR("was not begun", last_log(plan, 104));
  fs::create_directories(path / attempts_folder(104) / "c");
  EXPECT_ERROR("at work for the first time", last_log(plan, 104));
  attempt(104, "a", "crash", "node1", 1);
  attempt(104, "b", "killed", "node2");
  folder.write("attempts/000104/a.log", "the first");
  EXPECT_EQ(last_log(plan, 104).file, "") << "the last one's is not kept";
  EXPECT_PRED2(holds, last_log(plan, 104).head, "run 104: because of killed (and it is at work again)\nb: ");
  folder.write("attempts/000104/b.log", "the second");
  EXPECT_EQ(last_log(plan, 104).file, "attempts/000104/b.log");
  make_all(104, 104);
  EXPECT_EQ(last_log(plan, 104).file, "results/000/000104.log.zst");
  EXPECT_PRED2(holds, last_log(plan, 104).head, "run 104: published, made on node1");
  EXPECT_ERROR("has no run 99", last_log(plan, 99));
}

TEST_F(ProductionFolder, NothingPublishedIsAPageAndAnEmptyList) {
  collect(true);
  EXPECT_TRUE(manifest().at("run_list").empty());
  EXPECT_PRED2(holds, page(), "Not begun");
  EXPECT_FALSE(holds(page(), "Runs that ended"));
}

TEST_F(ProductionFolder, WithOffsetsARunThatDrewMoreThanItsStrideIsNamed) {
  plan.seeds = "offsets";
  plan.stride = 5'000'000;
  plan_again(plan);
  for (const auto& [run, draws] : {std::pair{101, "5000000"}, {102, "5000001"}, {103, "many"}})
    make(run, "light", [draws](RunManifest& manifest) { manifest.generator["draws"] = draws; });
  const auto sums = survey();
  EXPECT_EQ(sums.of(kPublished), 3);
  ASSERT_EQ(sums.issues.size(), 2U);
  EXPECT_EQ(sums.issues[0].state, "stride");
  EXPECT_PRED2(holds, sums.issues[0].reason, "it drew 5000001 numbers");
  EXPECT_EQ(sums.issues[1].run, 103);
}

TEST_F(ProductionFolder, AuditsAreOnThePageAndInTheManifest) {
  make_all(101, 124);
  const auto audit = [&](int run, const std::string& kind, double cpu, const std::string& reason = "") {
    const nlohmann::json text{
        {"run", run},         {"kind", kind},         {"made_on", "node1"}, {"equal", reason.empty()},
        {"audit_cpu_s", cpu}, {"audited_on", "desk"}, {"reason", reason},   {"published_cpu_s", 60.}};
    folder.write("audits/" + std::to_string(run) + kind + ".json", text.dump());
  };
  audit(101, "stock", 360);
  audit(110, "stock", 420);
  audit(120, "elsewhere", 1, "telescope.dat differs from byte 77 on");
  ASSERT_EQ(audits_of(path).size(), 3U);
  const auto shown = page();
  EXPECT_PRED2(holds, shown, "6.50 times stock&apos;s throughput (6.00 to 7.00), the median of 2 runs");
  EXPECT_PRED2(holds, shown, "telescope.dat differs from byte 77 on");
  EXPECT_FALSE(holds(shown, "http-equiv")) << "a complete production does not change";
  collect();
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
