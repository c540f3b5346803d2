// Publishing and verifying: who comes second, what was changed since, and what is set aside.
#include "overlay/production/results.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "error_of.hpp"
#include "example_plan.hpp"
#include "overlay/production/packed_file.hpp"
#include "support/checksum.hpp"
#include "support/files.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

class Publish : public ::testing::Test {
 protected:
  Publish() { production.write("production.toml", "plan\n"); }

  /// An attempt whose light has these bytes; change: of its manifest.
  Publication attempt(std::int64_t run, const std::string& light, const std::string& id,
                      const std::function<void(RunManifest&)>& change = {}) {
    const support::TemporaryFolder work;
    const support::TemporaryFolder stage(production.path(), "stage");
    std::vector<OutputFile> outputs{{work.write("telescope.dat", light), "telescope.dat"},
                                    {work.write("log", " END OF RUN\n"), "log"}};
    RunManifest manifest;
    manifest.run = run;
    manifest.plan_sha256 = plan_digest(production.path());
    manifest.attempt = id;
    manifest.starts = planned_run(plan, run).starts;
    manifest.showers = plan.showers;
    manifest.files = pack_outputs(outputs, run, stage.path());
    if (change) change(manifest);
    return publish(plan, production.path(), manifest, stage.path());
  }

  RunState state(std::int64_t run, VerifyDepth depth = VerifyDepth::digests) const {
    return verify_run(plan, production.path(), plan_digest(production.path()), run, depth);
  }

  std::vector<std::string> names_in(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(production.path() / folder))
      if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  ProductionPlan plan = example_plan();
  support::TemporaryFolder production;
};

using Names = std::vector<std::string>;
const Names kPublished{"000101.json", "000101.log.zst", "000101.telescope.dat.zst"};

TEST_F(Publish, ARunThatVerifies) {
  EXPECT_EQ(state(101).kind, RunState::Kind::missing);
  EXPECT_EQ(attempt(101, "light", "first").outcome, Publication::Outcome::published);
  EXPECT_EQ(names_in("results"), kPublished);
  const RunState found = state(101);
  EXPECT_EQ(found.kind, RunState::Kind::published) << found.reason;
  EXPECT_EQ(found.manifest->files.at(0).sha256, support::sha256_of_text("light"));
}

TEST_F(Publish, WhoComesSecondAgreesAndLeavesNoTrace) {
  attempt(101, "light", "first");
  const std::string manifest = production.read("results/000/000101.json");
  EXPECT_EQ(attempt(101, "light", "second").outcome, Publication::Outcome::agrees);
  EXPECT_EQ(names_in("results"), kPublished);
  EXPECT_EQ(production.read("results/000/000101.json"), manifest);
}

TEST_F(Publish, TwoThatDisagreeAreBothSetAside) {
  attempt(101, "light", "first");
  attempt(102, "light", "other run");
  const Publication second = attempt(101, "other", "second");
  EXPECT_EQ(second.outcome, Publication::Outcome::disagrees);
  EXPECT_EQ(second.reason, "telescope.dat has other content");
  EXPECT_EQ(state(101).kind, RunState::Kind::missing);
  EXPECT_EQ(state(102).kind, RunState::Kind::published);
  EXPECT_EQ(names_in("quarantine"),
            (Names{"000101.log.zst", "000101.log.zst", "000101.telescope.dat.zst", "000101.telescope.dat.zst",
                   "manifest.json", "manifest.json", "reason.txt"}));
  EXPECT_EQ(attempt(101, "light", "third").outcome, Publication::Outcome::published);
  EXPECT_EQ(state(101).kind, RunState::Kind::published);
}

TEST_F(Publish, FilesWithoutAManifestDoNotStandInTheWay) {
  // What a worker left that was killed before it published its manifest: one file the same, one not.
  fs::create_directories(production.path() / "results/000");
  pack_file("light", production.path() / "results/000/000101.telescope.dat.zst");
  production.write("results/000/000101.log.zst", "half");
  EXPECT_EQ(attempt(101, "light", "first").outcome, Publication::Outcome::published);
  EXPECT_EQ(state(101).kind, RunState::Kind::published) << state(101).reason;
  EXPECT_EQ(production.read("results/000/000101.log.zst"), "half");
}

TEST_F(Publish, AChangedByteIsSeenAndNamed) {
  attempt(101, std::string(3000, 'x') + "light", "first");
  const auto file = production.path() / "results/000/000101.telescope.dat.zst";
  std::string bytes = support::read_file(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_EQ(state(101, VerifyDepth::sizes).kind, RunState::Kind::published);
  const RunState found = state(101);
  EXPECT_EQ(found.kind, RunState::Kind::rejected);
  EXPECT_NE(found.reason.find("000101.telescope.dat.zst"), std::string::npos) << found.reason;
  set_aside(plan, production.path(), 101, found.reason);
  EXPECT_EQ(state(101).kind, RunState::Kind::missing);
}

TEST_F(Publish, ACopiedManifestIsNotTheRuns) {
  attempt(101, "light", "first");
  fs::copy_file(production.path() / "results/000/000101.json", production.path() / "results/000/000102.json");
  EXPECT_EQ(state(102).kind, RunState::Kind::rejected);
  EXPECT_EQ(state(102).reason, "its manifest is that of run 101");
}

TEST_F(Publish, AManifestOfAnotherPlanOrWithAChangedByte) {
  attempt(101, "light", "first");
  const std::string manifest = production.read("results/000/000101.json");
  production.write("production.toml", "other plan\n");
  EXPECT_EQ(state(101).reason, "its manifest is of another production, or of an earlier plan");
  production.write("production.toml", "plan\n");
  for (std::size_t at = 0; at + 3 < manifest.size(); at += 7) {
    std::string changed = manifest;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    fs::permissions(production.path() / "results/000/000101.json", fs::perms::owner_write,
                    fs::perm_options::add);
    production.write("results/000/000101.json", changed);
    EXPECT_EQ(state(101).kind, RunState::Kind::rejected) << at;
  }
}

TEST_F(Publish, ARunOfOtherSeedsOrShowersIsNotThePlans) {
  attempt(101, "light", "first", [](RunManifest& manifest) { ++manifest.starts.at(3).calls; });
  EXPECT_EQ(state(101).kind, RunState::Kind::rejected);
  EXPECT_EQ(state(101).reason, "its manifest has other seeds than the plan");
  attempt(102, "light", "first", [](RunManifest& manifest) { ++manifest.showers; });
  EXPECT_EQ(state(102).kind, RunState::Kind::rejected);
  EXPECT_NE(state(102).reason.find("showers; the plan has"), std::string::npos) << state(102).reason;
}

TEST_F(Publish, AMissingFileIsNamed) {
  attempt(101, "light", "first");
  fs::remove(production.path() / "results/000/000101.log.zst");
  EXPECT_EQ(state(101, VerifyDepth::sizes).reason, "000101.log.zst is missing");
}

}  // namespace
}  // namespace overlay
