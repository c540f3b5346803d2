// The engines' files of a production: what is in them, and that a shell takes their scripts.

#include "example.hpp"

namespace overlay {
namespace {

class Emit : public Production {
 protected:
  EmitRequest request(const std::string& engine) const { return {.folder = path, .engine = engine}; }
  void expect(const std::string& name, const std::vector<std::string>& parts) {
    for (const auto& part : parts) EXPECT_PRED2(holds, folder.read(name), part);
  }
  /// How often a file holds a text.
  int count(const std::string& name, const std::string& part) const {
    int found = 0;
    const auto text = folder.read(name);
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  /// A script in the place of bin/overlay, or of an engine's tool; tools are found first in PATH.
  void put(const std::string& name, const std::string& script) {
    folder.write(name, "#!/bin/sh\n" + script, true);
  }
  support::CommandResult run(std::vector<std::string> argv,
                             std::map<std::string, std::string> environment = {}) {
    const char* search = std::getenv("PATH");
    environment["PATH"] = dir_ + "/tools:" + (search != nullptr ? search : "");
    argv[0] = dir_ + "/" + argv[0];
    return support::run({.argv = argv, .environment = environment});
  }

  const std::string dir_ = path.string(), calls_ = dir_ + "/calls";
};

TEST_F(Emit, HTCondorGetsOneDagWithANodeForEachRun) {
  EXPECT_EQ(emit_production(request("htcondor")), "condor_submit_dag " + dir_ + "/htcondor/production.dag");
  EXPECT_EQ(count("htcondor/production.dag", "\nJOB "), 24);
  expect("htcondor/production.dag",
         {"\nJOB 101 " + dir_ + "/htcondor/run.sub\n", "\nJOB 124 ", "\nPRE_SKIP ALL_NODES 3\n",
          "\nRETRY ALL_NODES 5 UNLESS-EXIT 65\n", "\nVARS ALL_NODES run=\"$(JOB)\"", "\nFINAL collect "});
  expect("htcondor/run.sub",
         {"\narguments = production run " + dir_ + " $(run)\n", "\nperiodic_remove = JobStatus == 5 &&",
          "\nrequest_memory = 2048 MB\n", "TARGET.Machine =!= MachineAttrMachine1"});
  EXPECT_TRUE(fs::is_directory(path / "htcondor/log/part-0000"));
}

TEST_F(Emit, ALargeProductionIsADagOfDags) {
  plan.ranges[0].runs_per_setting = 10'001;
  plan_again(plan);
  auto large = request("htcondor");
  large.avoid = "slot";
  large.lines = {"+Queue = \"long\""};
  emit_production(large);
  EXPECT_EQ(count("htcondor/production.dag", "\nSUBDAG EXTERNAL "), 3);
  EXPECT_EQ(count("htcondor/production.dag", "\nFINAL "), 1);
  int nodes = 0;
  for (const std::string part :
       {"htcondor/part-0000.dag", "htcondor/part-0001.dag", "htcondor/part-0002.dag"}) {
    nodes += count(part, "\nJOB ");
    EXPECT_EQ(count(part, "\nFINAL "), 0);
  }
  EXPECT_EQ(nodes, 20'002);
  expect("htcondor/part-0002.dag", {"\nJOB 20102 "});
  expect("htcondor/run.sub", {"\n+Queue = \"long\"\nqueue\n", "TARGET.Name =!= LastRemoteHost"});
}

TEST_F(Emit, TheDagsScriptsGiveTheStatusThatTheRunsStateSays) {
  emit_production(request("htcondor"));
  put("bin/overlay", "[ \"$*\" = \"production verify " + dir_ + " --quick --run 105\" ] || exit 9\n");
  EXPECT_EQ(run({"htcondor/pre", "105"}).status, 3);  // published: the job is skipped
  for (const char* ended : {"0", "-9"})               // -9: killed after it had published
    EXPECT_EQ(run({"htcondor/post", "105", ended}).status, 0);
  put("bin/overlay", "exit 1\n");
  EXPECT_EQ(run({"htcondor/pre", "105"}).status, 0);
  for (const auto& [ended, status] :  // 0: an end that left nothing
       {std::pair{"0", 75}, {"-9", 75}, {"65", 65}, {"69", 69}, {"74", 74}})
    EXPECT_EQ(run({"htcondor/post", "105", ended}).status, status) << ended;
}

TEST_F(Emit, SlurmGetsArraysOfWhatIsPendingAndACollectorBehindThem) {
  auto slurm = request("slurm");
  slurm.array_size = 500;
  emit_production(slurm);
  put("tools/sbatch", "echo \"$@\" >> " + calls_ + "\necho \"10$(wc -l < " + calls_ + ");cluster\"\n");
  put("bin/overlay",
      "case \"$4\" in --other-bits) echo node3,node7;; --pending) [ \"$5\" = 500 ] && printf '101 "
      "0-3,9\\n601 2\\n';; esac\n");
  EXPECT_EQ(run({"slurm/submit", "--partition=long"}).status, 0);
  EXPECT_EQ(folder.read("calls"),
            "--parsable --exclude=node3,node7 --partition=long --array=0-3,9 " + dir_ + "/slurm/run 101\n" +
                "--parsable --exclude=node3,node7 --partition=long --array=2 " + dir_ + "/slurm/run 601\n" +
                "--parsable --partition=long --dependency=afterany:101:102 " + dir_ + "/slurm/collect\n");
  put("bin/overlay", "exit 0\n");
  EXPECT_EQ(run({"slurm/submit"}).output, "all runs are done\n");
}

TEST_F(Emit, ASlurmTaskIsRequeuedAtMostThreeTimesAndOnlyWhereItMaySucceed) {
  emit_production(request("slurm"));
  put("tools/scontrol", "echo \"$@\" > " + calls_ + "\nexit 1\n");
  for (const auto& [worker, restarts, calls] : {std::tuple{75, "0", "requeue 77_12\n"},
                                                {74, "2", "requeue 77_12\n"},
                                                {137, "0", "requeue 77_12\n"},
                                                {75, "3", ""},
                                                {0, "0", ""},
                                                {65, "0", ""},
                                                {69, "0", ""}}) {
    put("bin/overlay", "[ \"$2 $4\" = 'run 113' ] || exit 9\nexit " + std::to_string(worker) + "\n");
    fs::remove(calls_);
    EXPECT_EQ(
        run({"slurm/run", "101"},
            {{"SLURM_ARRAY_TASK_ID", "12"}, {"SLURM_ARRAY_JOB_ID", "77"}, {"SLURM_RESTART_COUNT", restarts}})
            .status,
        worker);
    EXPECT_EQ(folder.read("calls"), calls) << worker;
  }
}

TEST_F(Emit, ThePilotSaysWhatARunNeeds) {
  folder.write("pilot.json", R"({"memory_mib": 700.5, "disk_mib": 3000, "seconds": 7200, "packed_mib": 1})");
  auto slurm = request("slurm");
  emit_production(slurm);
  expect("slurm/run", {"#SBATCH --mem=1051M\n"});
  slurm.memory_mib = 99;
  emit_production(slurm);
  expect("slurm/run", {"#SBATCH --mem=99M\n#SBATCH --tmp=4500M\n#SBATCH --time=480\n"});
  for (const std::string wrong : {"", "[]", R"({"memory_mib": "much"})",
                                  R"({"memory_mib":1,"disk_mib":1,"seconds":-5,"packed_mib":1})"}) {
    folder.write("pilot.json", wrong);
    EXPECT_ERROR("call check again", emit_production(slurm)) << wrong;
  }
}

TEST_F(Emit, WhatAnEngineCannotTakeIsRefused) {
  const auto spaced = path / "my prod";
  fs::create_directory(spaced);
  write_plan(plan, kExampleTemplate, spaced);
  const std::pair<std::function<void(EmitRequest&)>, const char*> cases[] = {
      {[](auto& wrong) { wrong.engine = "pbs"; }, "give htcondor, slurm or local"},
      {[](auto& wrong) { wrong.array_size = 0; }, "--array-size"},
      {[](auto& wrong) { wrong.retries = -1; }, "--retries"},
      {[](auto& wrong) { wrong.avoid = "rack"; }, "machine or slot"},
      {[](auto& wrong) { wrong.lines = {"a\nqueue 1000"}; }, "one line"},
      {[&](auto& wrong) { wrong.folder = spaced; }, "my prod"}};
  for (const auto& [change, why] : cases) {
    auto wrong = request("htcondor");
    change(wrong);
    EXPECT_ERROR(why, emit_production(wrong));
  }
  EXPECT_FALSE(fs::exists(spaced / "htcondor"));
}

TEST_F(Emit, ThisMachineGetsAScript) {
  EXPECT_EQ(emit_production(request("local")), dir_ + "/local/start");
  put("bin/overlay", "echo \"$@\"\n");
  EXPECT_EQ(run({"local/start", "--jobs", "2"}).output, "production start " + dir_ + " --jobs 2\n");
}

}  // namespace
}  // namespace overlay
