// HTCondor: one DAG, one submit file, and the scripts that look at a run before and after its job.
#include <fmt/format.h>

#include <fstream>

#include "emit_files.hpp"
#include "support/error.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// After exit 69, this node's bits differ, HTCondor runs the job again elsewhere: not where it ran last
/// (LastRemoteHost, slot@machine), nor where it ran before that.
std::string elsewhere(const std::string& avoid) {
  if (avoid == "slot")
    return "(ExitCode =!= 69) || ((TARGET.Name =!= LastRemoteHost) && (TARGET.Name =!= MachineAttrName1) && "
           "(TARGET.Name =!= MachineAttrName2))";
  return "(ExitCode =!= 69) || ((split(LastRemoteHost, \"@\")[1] =!= TARGET.Machine) && "
         "(TARGET.Machine =!= MachineAttrMachine1) && (TARGET.Machine =!= MachineAttrMachine2))";
}

std::string submit_file(const EmitJob& job) {
  constexpr int kOtherMachines = 5;  // tries of one job on nodes whose bits differ
  return fmt::format(
      "# One run of production {name}; the DAG sets $(run). Made by overlay production emit.\n"
      "universe = vanilla\n"
      "executable = {dir}/bin/overlay\n"
      "arguments = production run {dir} $(run)\n"
      "transfer_executable = False\n"
      "should_transfer_files = NO\n"
      "output = {dir}/htcondor/log/$(part)/$(run).out\n"
      "error = {dir}/htcondor/log/$(part)/$(run).err\n"
      "log = {dir}/htcondor/jobs.log\n"
      "request_cpus = 1\n"
      "request_memory = {memory} MB\n"
      "request_disk = {disk} MB\n"
      "# A held job would stall the DAG for ever.\n"
      "periodic_remove = JobStatus == 5 && time() - EnteredCurrentStatus > 600\n"
      "# 69: this node computes other last bits. The job goes elsewhere.\n"
      "job_machine_attrs = {attribute}\n"
      "job_machine_attrs_history_length = 3\n"
      "on_exit_remove = (ExitCode =!= 69) || (NumJobStarts > {tries})\n"
      "requirements = {elsewhere}\n"
      "{lines}queue\n",
      fmt::arg("name", job.plan.name), fmt::arg("dir", job.folder.string()),
      fmt::arg("memory", job.requests.memory_mib), fmt::arg("disk", job.requests.disk_mib),
      fmt::arg("attribute", job.request.avoid == "slot" ? "Name" : "Machine"),
      fmt::arg("tries", kOtherMachines), fmt::arg("elsewhere", elsewhere(job.request.avoid)),
      fmt::arg("lines", own_lines(job.request)));
}

std::string collect_file(const EmitJob& job) {
  return fmt::format(
      "# The last node: collects production {name}, and fails unless it is complete.\n"
      "universe = vanilla\n"
      "executable = {dir}/bin/overlay\n"
      "arguments = production collect {dir}\n"
      "transfer_executable = False\n"
      "should_transfer_files = NO\n"
      "output = {dir}/htcondor/collect.out\n"
      "error = {dir}/htcondor/collect.err\n"
      "log = {dir}/htcondor/jobs.log\n"
      "request_cpus = 1\n"
      "request_memory = 1024 MB\n"
      "periodic_remove = JobStatus == 5 && time() - EnteredCurrentStatus > 600\n"
      "{lines}queue\n",
      fmt::arg("name", job.plan.name), fmt::arg("dir", job.folder.string()),
      fmt::arg("lines", own_lines(job.request)));
}

std::string pre_script(const EmitJob& job) {
  return fmt::format(
      "#!/bin/sh\n"
      "# pre RUN: 3 where the run is published already, so that DAGMan skips its job (PRE_SKIP).\n"
      "{0}/bin/overlay production verify {0} --quick --run \"$1\" > /dev/null 2>&1 && exit 3\n"
      "exit 0\n",
      job.folder.string());
}

std::string post_script(const EmitJob& job) {
  return fmt::format(
      "#!/bin/sh\n"
      "# post RUN STATUS: the node's status is what the run left, whatever its job said. 65: it is not tried "
      "again.\n"
      "[ \"$2\" != 65 ] || exit 65\n"
      "{0}/bin/overlay production verify {0} --quick --run \"$1\" > /dev/null 2>&1 && exit 0\n"
      "case $2 in\n"
      "  69|74) exit \"$2\" ;;\n"
      "  *) exit 75 ;;\n"
      "esac\n",
      job.folder.string());
}

/// Runs `first` to `last` as one DAG. `part` names the folder of their logs.
void write_dag(const EmitJob& job, const fs::path& file, std::int64_t first, std::int64_t last,
               const std::string& part, bool collects) {
  const auto dir = (job.folder / "htcondor").string();
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << fmt::format("# Runs {} to {} of production {}. Made by overlay production emit.\n", first, last,
                     job.plan.name);
  for (std::int64_t run = first; run <= last; ++run) out << fmt::format("JOB {} {}/run.sub\n", run, dir);
  out << fmt::format("VARS ALL_NODES run=\"$(JOB)\" part=\"{}\"\n", part);
  out << fmt::format("RETRY ALL_NODES {} UNLESS-EXIT 65\n", job.request.retries);
  out << fmt::format("SCRIPT PRE ALL_NODES {}/pre $JOB\n", dir);
  out << "PRE_SKIP ALL_NODES 3\n";
  out << fmt::format("SCRIPT POST ALL_NODES {}/post $JOB $RETURN\n", dir);
  if (collects) out << fmt::format("FINAL collect {}/collect.sub\n", dir);
  out.close();
  if (!out)
    throw support::Error(
        fmt::format("cannot write {}: is there space, and may you write there?", file.string()));
  fs::create_directories(job.folder / "htcondor" / "log" / part);
}

/// A DAG of DAGs: DAGMan holds each node of a DAG in memory for as long as it works on it.
void write_dag_of_dags(const EmitJob& job, const fs::path& file) {
  constexpr int kAtOnce = 4;
  const auto dir = job.folder / "htcondor";
  std::string text =
      fmt::format("# Production {} in parts. Made by overlay production emit.\n", job.plan.name);
  std::int64_t number = 0;
  for (auto first = job.plan.first_run; first <= job.plan.last_run();
       first += job.request.nodes_of_dag, ++number) {
    const auto part = fmt::format("part-{:04}", number);
    const auto last = std::min(first + job.request.nodes_of_dag - 1, job.plan.last_run());
    write_dag(job, dir / (part + ".dag"), first, last, part, false);
    text += fmt::format("SUBDAG EXTERNAL {0} {1}/{0}.dag\nCATEGORY {0} parts\n", part, dir.string());
  }
  text += fmt::format("MAXJOBS parts {}\nFINAL collect {}/collect.sub\n", kAtOnce, dir.string());
  write_engine_file(file, text, false);
}

}  // namespace

fs::path emit_htcondor(const EmitJob& job) {
  const auto dir = job.folder / "htcondor";
  fs::create_directories(dir / "log");
  write_engine_file(dir / "run.sub", submit_file(job), false);
  write_engine_file(dir / "collect.sub", collect_file(job), false);
  write_engine_file(dir / "pre", pre_script(job), true);
  write_engine_file(dir / "post", post_script(job), true);
  const auto dag = dir / "production.dag";
  if (job.plan.run_count() <= job.request.nodes_of_dag)
    write_dag(job, dag, job.plan.first_run, job.plan.last_run(), "part-0000", true);
  else
    write_dag_of_dags(job, dag);
  return dag;
}

}  // namespace overlay
