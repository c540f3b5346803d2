// The engines' files of a production: what is in them, and that a shell takes their scripts.
#include "overlay/production/emit.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "example_plan.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

namespace fs = std::filesystem;

class Emit : public ::testing::Test {
 protected:
  Emit() { make(example_plan()); }

  void make(const ProductionPlan& plan) {
    fs::create_directories(path_);
    write_plan(plan, kExampleTemplate, path_);
  }
  EmitRequest request(const std::string& engine) {
    EmitRequest request;
    request.folder = path_;
    request.engine = engine;
    return request;
  }
  std::string text(const std::string& name) { return support::read_file(path_ / name); }
  /// How often a text holds another.
  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  support::TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "prod";
};

TEST_F(Emit, HTCondorGetsOneDagWithANodeForEachRun) {
  const auto emitted = emit_production(request("htcondor"));
  EXPECT_EQ(emitted.start, path_ / "htcondor/production.dag");
  const auto dag = text("htcondor/production.dag"), dir = path_.string();
  EXPECT_EQ(count(dag, "\nJOB "), 24);
  EXPECT_NE(dag.find("\nJOB 101 " + dir + "/htcondor/run.sub\n"), std::string::npos) << dag;
  EXPECT_NE(dag.find("\nJOB 124 "), std::string::npos);
  for (const std::string line : {"RETRY ALL_NODES 5 UNLESS-EXIT 65\n", "PRE_SKIP ALL_NODES 3\n",
                                 "VARS ALL_NODES run=\"$(JOB)\"", "FINAL collect "})
    EXPECT_NE(dag.find("\n" + line), std::string::npos) << line;
  const auto submit = text("htcondor/run.sub");
  EXPECT_NE(submit.find("\narguments = production run " + dir + " $(run)\n"), std::string::npos);
  EXPECT_NE(submit.find("\nperiodic_remove = JobStatus == 5 &&"), std::string::npos);
  EXPECT_NE(submit.find("\nrequest_memory = 2048 MB\n"), std::string::npos);
  EXPECT_NE(submit.find("TARGET.Machine =!= MachineAttrMachine1"), std::string::npos);
  EXPECT_TRUE(fs::is_directory(path_ / "htcondor/log/part-0000"));
}

TEST_F(Emit, ALargeProductionIsADagOfDags) {
  auto large = request("htcondor");
  large.nodes_of_dag = 10;
  large.avoid = "slot";
  large.lines = {"+Queue = \"long\""};
  emit_production(large);
  const auto dag = text("htcondor/production.dag");
  EXPECT_EQ(count(dag, "\nSUBDAG EXTERNAL "), 3);
  EXPECT_EQ(count(dag, "\nFINAL "), 1);
  int nodes = 0;
  for (const char* part : {"0000", "0001", "0002"}) {
    const auto one = text(std::string("htcondor/part-") + part + ".dag");
    nodes += count(one, "\nJOB ");
    EXPECT_EQ(count(one, "\nFINAL "), 0);
  }
  EXPECT_EQ(nodes, 24);
  EXPECT_NE(text("htcondor/part-0002.dag").find("\nJOB 121 "), std::string::npos);
  EXPECT_NE(text("htcondor/run.sub").find("\n+Queue = \"long\"\nqueue\n"), std::string::npos);
  EXPECT_NE(text("htcondor/run.sub").find("TARGET.Name =!= LastRemoteHost"), std::string::npos);
}

/// A worker that answers each command with a status from a file, in the place of bin/overlay.
void put_overlay(const fs::path& path, const std::string& script) {
  fs::create_directories(path / "bin");
  support::write_file(path / "bin/overlay", "#!/bin/sh\n" + script);
  fs::permissions(path / "bin/overlay", fs::perms::owner_all);
}

TEST_F(Emit, TheDagsScriptsGiveTheStatusThatTheRunsStateSays) {
  emit_production(request("htcondor"));
  const auto status = [&](const char* script, std::vector<std::string> arguments) {
    std::vector<std::string> argv{(path_ / "htcondor" / script).string()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return support::run({.argv = argv}).status;
  };
  put_overlay(path_,
              "[ \"$*\" = \"production verify " + path_.string() + " --quick --run 105\" ] || exit 9\n");
  EXPECT_EQ(status("pre", {"105"}), 3);  // published: the job is skipped
  EXPECT_EQ(status("post", {"105", "0"}), 0);
  EXPECT_EQ(status("post", {"105", "-9"}), 0);  // killed after it had published
  put_overlay(path_, "exit 1\n");
  EXPECT_EQ(status("pre", {"105"}), 0);
  EXPECT_EQ(status("post", {"105", "0"}), 75);  // an end of 0 that left nothing
  EXPECT_EQ(status("post", {"105", "-9"}), 75);
  EXPECT_EQ(status("post", {"105", "65"}), 65);
  EXPECT_EQ(status("post", {"105", "69"}), 69);
  EXPECT_EQ(status("post", {"105", "74"}), 74);
}

TEST_F(Emit, SlurmGetsArraysOfWhatIsPendingAndACollectorBehindThem) {
  auto slurm = request("slurm");
  slurm.array_size = 500;
  emit_production(slurm);
  fs::create_directories(folder_.path() / "tools");
  const auto sbatch = folder_.path() / "tools" / "sbatch";
  support::write_file(sbatch, "#!/bin/sh\necho \"$@\" >> " + (folder_.path() / "calls").string() +
                                  "\nn=$(wc -l < " + (folder_.path() / "calls").string() +
                                  ")\necho \"10$n;cluster\"\n");
  fs::permissions(sbatch, fs::perms::owner_all);
  put_overlay(path_,
              "case \"$4\" in --other-bits) echo node3,node7;; --pending) [ \"$5\" = 500 ] && printf '101 "
              "0-3,9\\n601 2\\n';; esac\n");
  const char* path = std::getenv("PATH");
  const auto submit = [&] {
    return support::run(
        {.argv = {(path_ / "slurm/submit").string(), "--partition=long"},
         .environment = {{"PATH", (folder_.path() / "tools").string() + ":" + (path ? path : "")}}});
  };
  EXPECT_EQ(submit().status, 0);
  const auto dir = path_.string();
  EXPECT_EQ(support::read_file(folder_.path() / "calls"),
            "--parsable --exclude=node3,node7 --partition=long --array=0-3,9 " + dir + "/slurm/run 101\n" +
                "--parsable --exclude=node3,node7 --partition=long --array=2 " + dir + "/slurm/run 601\n" +
                "--parsable --partition=long --dependency=afterany:101:102 " + dir + "/slurm/collect\n");
  put_overlay(path_, "exit 0\n");
  const auto nothing = submit();
  EXPECT_EQ(nothing.status, 0);
  EXPECT_EQ(nothing.output, "all runs are done\n");
}

TEST_F(Emit, ASlurmTaskIsRequeuedAtMostThreeTimesAndOnlyWhereItMaySucceed) {
  emit_production(request("slurm"));
  fs::create_directories(folder_.path() / "tools");
  const auto scontrol = folder_.path() / "tools" / "scontrol", calls = folder_.path() / "calls";
  support::write_file(scontrol, "#!/bin/sh\necho \"$@\" >> " + calls.string() + "\nexit 1\n");
  fs::permissions(scontrol, fs::perms::owner_all);
  const char* path = std::getenv("PATH");
  const auto status = [&](int worker, const std::string& restarts) {
    put_overlay(path_, "[ \"$2 $4\" = 'run 113' ] || exit 9\nexit " + std::to_string(worker) + "\n");
    fs::remove(calls);
    const auto result = support::run(
        {.argv = {(path_ / "slurm/run").string(), "101"},
         .environment = {{"PATH", (folder_.path() / "tools").string() + ":" + (path ? path : "")},
                         {"SLURM_ARRAY_TASK_ID", "12"},
                         {"SLURM_ARRAY_JOB_ID", "77"},
                         {"SLURM_RESTART_COUNT", restarts}}});
    EXPECT_EQ(result.status, worker);
    return fs::exists(calls) ? support::read_file(calls) : std::string();
  };
  EXPECT_EQ(status(75, "0"), "requeue 77_12\n");
  EXPECT_EQ(status(74, "2"), "requeue 77_12\n");
  EXPECT_EQ(status(137, "0"), "requeue 77_12\n");
  EXPECT_EQ(status(75, "3"), "");
  for (const int never : {0, 65, 69}) EXPECT_EQ(status(never, "0"), "") << never;
}

TEST_F(Emit, ThePilotSaysWhatARunNeeds) {
  support::write_file(path_ / "pilot.json", R"({"memory_mib": 700.5, "disk_mib": 3000, "seconds": 7200})");
  const auto pilot = engine_requests(path_);
  EXPECT_TRUE(pilot.from_pilot);
  EXPECT_EQ(pilot.memory_mib, 1051);
  EXPECT_EQ(pilot.disk_mib, 4500);
  EXPECT_EQ(pilot.minutes, 480);
  auto slurm = request("slurm");
  slurm.memory_mib = 99;
  emit_production(slurm);
  EXPECT_NE(text("slurm/run").find("#SBATCH --mem=99M\n#SBATCH --tmp=4500M\n#SBATCH --time=480\n"),
            std::string::npos);
  for (const std::string wrong :
       {"", "[]", R"({"memory_mib": "much"})", R"({"memory_mib":1,"disk_mib":1,"seconds":-5})"}) {
    support::write_file(path_ / "pilot.json", wrong);
    EXPECT_NE(error_of([&] { engine_requests(path_); }).find("call check again"), std::string::npos) << wrong;
  }
}

TEST_F(Emit, WhatAnEngineCannotTakeIsRefused) {
  const auto refused = [&](auto change) {
    auto wrong = request("htcondor");
    change(wrong);
    return error_of([&] { emit_production(wrong); });
  };
  EXPECT_NE(refused([](auto& r) { r.engine = "pbs"; }).find("give htcondor, slurm or local"),
            std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.avoid = "rack"; }).find("machine or slot"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.retries = -1; }).find("--retries"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.lines = {"a\nqueue 1000"}; }).find("one line"), std::string::npos);
  path_ = folder_.path() / "my prod";
  make(example_plan());
  EXPECT_NE(error_of([&] { emit_production(request("slurm")); }).find("my prod"), std::string::npos);
  EXPECT_FALSE(fs::exists(path_ / "slurm"));
}

TEST_F(Emit, ThisMachineGetsAScript) {
  EXPECT_EQ(emit_production(request("local")).command, (path_ / "local/start").string());
  put_overlay(path_, "echo \"$@\"\n");
  EXPECT_EQ(support::run({.argv = {(path_ / "local/start").string(), "--jobs", "2"}}).output,
            "production start " + path_.string() + " --jobs 2\n");
}

}  // namespace
}  // namespace overlay
