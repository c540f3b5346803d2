// The engines' files of a production: what is in them, and that a shell takes their scripts.

#include "error_of.hpp"
#include "example.hpp"

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
  EmitRequest request(const std::string& engine) { return {.folder = path_, .engine = engine}; }
  std::string text(const std::string& name) { return support::read_file(path_ / name); }
  void expect(const std::string& name, const std::string& part) {
    EXPECT_TRUE(has(text(name), part)) << name << " has no " << part;
  }
  /// How often a text holds another.
  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  /// A script in the place of bin/overlay, or of an engine's tool; tools are found first in PATH.
  void put(const std::string& name, const std::string& script) {
    folder_.write(name, "#!/bin/sh\n" + script, true);
  }
  support::CommandResult run(std::vector<std::string> argv,
                             std::map<std::string, std::string> environment = {}) {
    const char* path = std::getenv("PATH");
    environment["PATH"] = (folder_.path() / "tools").string() + ":" + (path != nullptr ? path : "");
    argv[0] = (path_ / argv[0]).string();
    return support::run({.argv = argv, .environment = environment});
  }

  support::TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "prod";
  const std::string dir_ = path_.string();
};

TEST_F(Emit, HTCondorGetsOneDagWithANodeForEachRun) {
  EXPECT_EQ(emit_production(request("htcondor")), "condor_submit_dag " + dir_ + "/htcondor/production.dag");
  EXPECT_EQ(count(text("htcondor/production.dag"), "\nJOB "), 24);
  for (const std::string& line :
       {"JOB 101 " + dir_ + "/htcondor/run.sub\n", std::string("JOB 124 "),
        std::string("PRE_SKIP ALL_NODES 3\n"), std::string("RETRY ALL_NODES 5 UNLESS-EXIT 65\n"),
        std::string("VARS ALL_NODES run=\"$(JOB)\""), std::string("FINAL collect ")})
    expect("htcondor/production.dag", "\n" + line);
  expect("htcondor/run.sub", "\narguments = production run " + dir_ + " $(run)\n");
  expect("htcondor/run.sub", "\nperiodic_remove = JobStatus == 5 &&");
  expect("htcondor/run.sub", "\nrequest_memory = 2048 MB\n");
  expect("htcondor/run.sub", "TARGET.Machine =!= MachineAttrMachine1");
  EXPECT_TRUE(fs::is_directory(path_ / "htcondor/log/part-0000"));
}

TEST_F(Emit, ALargeProductionIsADagOfDags) {
  auto plan = example_plan();
  plan.runs_per_setting = 10'001;
  make(plan);
  auto large = request("htcondor");
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
  EXPECT_EQ(nodes, 20'002);
  expect("htcondor/part-0002.dag", "\nJOB 20102 ");
  expect("htcondor/run.sub", "\n+Queue = \"long\"\nqueue\n");
  expect("htcondor/run.sub", "TARGET.Name =!= LastRemoteHost");
}

TEST_F(Emit, TheDagsScriptsGiveTheStatusThatTheRunsStateSays) {
  emit_production(request("htcondor"));
  put("prod/bin/overlay", "[ \"$*\" = \"production verify " + dir_ + " --quick --run 105\" ] || exit 9\n");
  EXPECT_EQ(run({"htcondor/pre", "105"}).status, 3);  // published: the job is skipped
  for (const char* ended : {"0", "-9"})               // -9: killed after it had published
    EXPECT_EQ(run({"htcondor/post", "105", ended}).status, 0);
  put("prod/bin/overlay", "exit 1\n");
  EXPECT_EQ(run({"htcondor/pre", "105"}).status, 0);
  for (const auto& [ended, status] :  // 0: an end that left nothing
       {std::pair{"0", 75}, {"-9", 75}, {"65", 65}, {"69", 69}, {"74", 74}})
    EXPECT_EQ(run({"htcondor/post", "105", ended}).status, status) << ended;
}

TEST_F(Emit, SlurmGetsArraysOfWhatIsPendingAndACollectorBehindThem) {
  auto slurm = request("slurm");
  slurm.array_size = 500;
  emit_production(slurm);
  const auto calls = (folder_.path() / "calls").string();
  put("tools/sbatch", "echo \"$@\" >> " + calls + "\necho \"10$(wc -l < " + calls + ");cluster\"\n");
  put("prod/bin/overlay",
      "case \"$4\" in --other-bits) echo node3,node7;; --pending) [ \"$5\" = 500 ] && printf '101 "
      "0-3,9\\n601 2\\n';; esac\n");
  EXPECT_EQ(run({"slurm/submit", "--partition=long"}).status, 0);
  EXPECT_EQ(folder_.read("calls"),
            "--parsable --exclude=node3,node7 --partition=long --array=0-3,9 " + dir_ + "/slurm/run 101\n" +
                "--parsable --exclude=node3,node7 --partition=long --array=2 " + dir_ + "/slurm/run 601\n" +
                "--parsable --partition=long --dependency=afterany:101:102 " + dir_ + "/slurm/collect\n");
  put("prod/bin/overlay", "exit 0\n");
  EXPECT_EQ(run({"slurm/submit"}).output, "all runs are done\n");
}

TEST_F(Emit, ASlurmTaskIsRequeuedAtMostThreeTimesAndOnlyWhereItMaySucceed) {
  emit_production(request("slurm"));
  put("tools/scontrol", "echo \"$@\" > " + (folder_.path() / "calls").string() + "\nexit 1\n");
  const struct {
    int worker;
    const char *restarts, *calls;
  } cases[] = {{75, "0", "requeue 77_12\n"},
               {74, "2", "requeue 77_12\n"},
               {137, "0", "requeue 77_12\n"},
               {75, "3", ""},
               {0, "0", ""},
               {65, "0", ""},
               {69, "0", ""}};
  for (const auto& [worker, restarts, calls] : cases) {
    put("prod/bin/overlay", "[ \"$2 $4\" = 'run 113' ] || exit 9\nexit " + std::to_string(worker) + "\n");
    fs::remove(folder_.path() / "calls");
    EXPECT_EQ(
        run({"slurm/run", "101"},
            {{"SLURM_ARRAY_TASK_ID", "12"}, {"SLURM_ARRAY_JOB_ID", "77"}, {"SLURM_RESTART_COUNT", restarts}})
            .status,
        worker);
    EXPECT_EQ(folder_.read("calls"), calls) << worker;
  }
}

TEST_F(Emit, ThePilotSaysWhatARunNeeds) {
  support::write_file(path_ / "pilot.json",
                      R"({"memory_mib": 700.5, "disk_mib": 3000, "seconds": 7200, "packed_mib": 1})");
  emit_production(request("slurm"));
  expect("slurm/run", "#SBATCH --mem=1051M\n");
  auto slurm = request("slurm");
  slurm.memory_mib = 99;
  emit_production(slurm);
  expect("slurm/run", "#SBATCH --mem=99M\n#SBATCH --tmp=4500M\n#SBATCH --time=480\n");
  for (const std::string wrong : {"", "[]", R"({"memory_mib": "much"})",
                                  R"({"memory_mib":1,"disk_mib":1,"seconds":-5,"packed_mib":1})"}) {
    support::write_file(path_ / "pilot.json", wrong);
    EXPECT_ERROR("call check again", emit_production(slurm)) << wrong;
  }
}

TEST_F(Emit, WhatAnEngineCannotTakeIsRefused) {
  const std::pair<void (*)(EmitRequest&), const char*> cases[] = {
      {[](auto& wrong) { wrong.engine = "pbs"; }, "give htcondor, slurm or local"},
      {[](auto& wrong) { wrong.array_size = 0; }, "--array-size"},
      {[](auto& wrong) { wrong.retries = -1; }, "--retries"},
      {[](auto& wrong) { wrong.avoid = "rack"; }, "machine or slot"},
      {[](auto& wrong) { wrong.lines = {"a\nqueue 1000"}; }, "one line"}};
  for (const auto& [change, why] : cases) {
    auto wrong = request("htcondor");
    change(wrong);
    EXPECT_ERROR(why, emit_production(wrong));
  }
  path_ = folder_.path() / "my prod";
  make(example_plan());
  EXPECT_ERROR("my prod", emit_production(request("slurm")));
  EXPECT_FALSE(fs::exists(path_ / "slurm"));
}

TEST_F(Emit, ThisMachineGetsAScript) {
  EXPECT_EQ(emit_production(request("local")), dir_ + "/local/start");
  put("prod/bin/overlay", "echo \"$@\"\n");
  EXPECT_EQ(run({"local/start", "--jobs", "2"}).output, "production start " + dir_ + " --jobs 2\n");
}

}  // namespace
}  // namespace overlay
