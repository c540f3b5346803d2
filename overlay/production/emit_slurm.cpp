// Slurm: job arrays of the runs that are not done, and a collector behind them.
#include <fmt/format.h>

#include "emit_files.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

std::string run_script(const EmitJob& job) {
  constexpr int kRequeues = 3;
  return fmt::format(
      "#!/bin/sh\n"
      "#SBATCH --job-name={name}\n"
      "#SBATCH --requeue\n"
      "#SBATCH --cpus-per-task=1\n"
      "#SBATCH --mem={memory}M\n"
      "#SBATCH --tmp={disk}M\n"
      "#SBATCH --time={minutes}\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --output={dir}/slurm/log/%A_%a.log\n"
      "{lines}"
      "# run BASE: run BASE + the task's number. Made by overlay production emit.\n"
      "{dir}/bin/overlay production run {dir} $(($1 + SLURM_ARRAY_TASK_ID))\n"
      "status=$?\n"
      "case $status in\n"
      "  0|65|69) ;;  # done; never will be; other bits: slurm/submit excludes this node\n"
      "  *) if [ \"${{SLURM_RESTART_COUNT:-0}}\" -lt {requeues} ] &&\n"
      "        scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID\"; then\n"
      "       sleep 60  # Slurm ends this script\n"
      "     fi ;;\n"
      "esac\n"
      "exit $status\n",
      fmt::arg("name", job.plan.name), fmt::arg("memory", job.requests.memory_mib),
      fmt::arg("disk", job.requests.disk_mib), fmt::arg("minutes", job.requests.minutes),
      fmt::arg("dir", job.folder.string()), fmt::arg("lines", own_lines(job.request)),
      fmt::arg("requeues", kRequeues));
}

std::string collect_script(const EmitJob& job) {
  return fmt::format(
      "#!/bin/sh\n"
      "#SBATCH --job-name={name}-collect\n"
      "#SBATCH --cpus-per-task=1\n"
      "#SBATCH --mem=1024M\n"
      "#SBATCH --output={dir}/slurm/collect.log\n"
      "{lines}"
      "exec {dir}/bin/overlay production collect {dir}\n",
      fmt::arg("name", job.plan.name), fmt::arg("dir", job.folder.string()),
      fmt::arg("lines", own_lines(job.request)));
}

/// afterany, not afterok: Slurm leaves a job behind one failed task pending for ever.
std::string submit_script(const EmitJob& job) {
  return fmt::format(
      "#!/bin/sh\n"
      "# Submits every run of production {name} that is not done, in arrays, and a job behind them that "
      "collects.\n"
      "# Nodes that ended runs with 69, other bits, are left out. Options go to sbatch. May be called at any "
      "time.\n"
      "set -eu\n"
      "overlay={dir}/bin/overlay\n"
      "exclude=$($overlay production status {dir} --other-bits)\n"
      "pending=$($overlay production status {dir} --pending {size})\n"
      "if [ -z \"$pending\" ]; then echo 'all runs are done'; exit 0; fi\n"
      "ids=''\n"
      "while read -r base tasks; do\n"
      "  id=$(sbatch --parsable ${{exclude:+--exclude=$exclude}} \"$@\" --array=\"$tasks\" {dir}/slurm/run "
      "\"$base\")\n"
      "  ids=$ids:${{id%%;*}}\n"
      "  echo \"array ${{id%%;*}}: from run $base, tasks $tasks\"\n"
      "done <<TEXT\n"
      "$pending\n"
      "TEXT\n"
      "id=$(sbatch --parsable \"$@\" --dependency=\"afterany$ids\" {dir}/slurm/collect)\n"
      "echo \"collector ${{id%%;*}}\"\n",
      fmt::arg("name", job.plan.name), fmt::arg("dir", job.folder.string()),
      fmt::arg("size", job.request.array_size));
}

}  // namespace

fs::path emit_slurm(const EmitJob& job) {
  const auto dir = job.folder / "slurm";
  fs::create_directories(dir / "log");
  write_engine_file(dir / "run", run_script(job), true);
  write_engine_file(dir / "collect", collect_script(job), true);
  write_engine_file(dir / "submit", submit_script(job), true);
  return dir / "submit";
}

}  // namespace overlay
