// A run and its checks: see the header.
#include "overlay/production/finished_run.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>

#include "overlay/card/card.hpp"
#include "overlay/card/card_files.hpp"
#include "overlay/identity/corsika_log.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/production/attempts.hpp"
#include "overlay/production/exit_codes.hpp"
#include "overlay/production/output_check.hpp"
#include "overlay/run/program_summary.hpp"
#include "overlay/run/runner.hpp"
#include "overlay/run/telescope_pipe.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCommandLog = "light-pipe.log";  // what the command behind the pipe said

/// Makes a folder with links to all files of another one but those that no run reads.
void link_files(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to, error);
  for (fs::directory_iterator it(from, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool library = name.starts_with("lib") && name.find(".so") != std::string::npos;
    if (it->is_regular_file() && name != "example.card" && !library)
      fs::create_symlink(it->path(), to / name, error);
  }
  if (error) throw cannot_write(to, error.value());
}

/// Makes `scratch`/attempt/run beside folders of more tables, which EPOS adds to.
fs::path make_run_folder(const fs::path& executable, const std::string& card, const fs::path& scratch) {
  const fs::path tables = executable.parent_path(), run = scratch / "attempt" / "run";
  link_files(tables, run);
  std::error_code error;
  for (fs::directory_iterator it(tables.parent_path(), error), end; !error && it != end; it.increment(error))
    if (it->is_directory() && it->path() != tables)
      link_files(it->path(), run.parent_path() / it->path().filename());
  if (error) throw cannot_write(run, error.value());
  fs::remove(run / executable.filename());
  support::write_file(run / "card", card);
  return run;
}

/// What went wrong, without the log's place: scratch is deleted.
std::string reason_of(const RunFailed& failure) {
  const std::string what = failure.what();
  return what.substr(0, what.rfind(" (see "));
}

/// The exit status and the outcome of a run that failed.
WorkerError rejected(const RunFailed& failure, long shower, const fs::path& scratch) {
  using Why = RunFailed::Why;
  switch (failure.why()) {
    case Why::disk_full:
      return cannot_write(scratch, ENOSPC);
    case Why::card:
      return {WorkerExit::never, reason_of(failure)};
    case Why::timed_out:
      return {WorkerExit::try_again, reason_of(failure)};
    case Why::signal:
      // Nobody's program sends itself these: an engine did, an operator, or the kernel where memory ran out.
      if (failure.status() == SIGKILL || failure.status() == SIGTERM || failure.status() == SIGXCPU)
        return {WorkerExit::try_again, reason_of(failure), "killed"};
      break;
    default:
      break;
  }
  return {WorkerExit::try_again, reason_of(failure), "crash", shower};
}

RunSpec spec_of(const RunOrder& order, const std::string& card) {
  RunSpec spec;
  spec.label = order.program == order.plan.stock ? "stock program's" : "patched program's";
  spec.executable = fs::absolute(order.production / order.program).lexically_normal();
  spec.folder = make_run_folder(spec.executable, card, order.scratch);
  spec.errors = order.scratch / "errors";
  spec.check = order.check;
  spec.environment = {{"RANMAR_SUMMARY", "1"}, {"CHERENKOV_SUMMARY", "1"}};
  spec.environment.insert(kLinesAtOnce);
  // The patched program finds the libraries beside it by itself; stock is as CORSIKA's own build links it.
  if (order.program == order.plan.stock)
    spec.environment["LD_LIBRARY_PATH"] = spec.executable.parent_path().string();
  if (!order.plan.tunables.empty()) spec.environment["GLIBC_TUNABLES"] = order.plan.tunables;
  spec.first_shower = first_shower_marks();
  spec.end = kEndOfRun;
  return spec;
}

void check_whole(const RunOrder& order, const fs::path& folder) {
  const std::vector<std::string> problems =
      check_outputs(folder, Card(order.card).showers(), order.plan.outputs, order.run);
  if (problems.empty()) return;
  if (support::disk_is_full(order.scratch, "")) throw cannot_write(order.scratch, ENOSPC);
  const bool other_seeds = std::any_of(problems.begin(), problems.end(), [](const std::string& why) {
    return why.find("the plan has") != std::string::npos;
  });
  const std::string why = fmt::format("run {} is not whole although the program exited with 0: {}",
                                      order.run.number, support::join(problems, "; "));
  if (other_seeds) throw WorkerError(WorkerExit::never, why);
  throw WorkerError(WorkerExit::try_again, why, "incomplete", last_begun_shower(folder));
}

/// The command behind TELFIL | gets the light; its status is the run's.
void run_command_behind(const RunOrder& order, const fs::path& folder) {
  const auto command = telescope_command(Card(order.card));
  if (!command) return;
  const std::string why =
      run_behind_telescope_pipe(*command, folder, folder / kCommandLog, std::chrono::milliseconds{0});
  if (!why.empty())
    throw WorkerError(WorkerExit::try_again,
                      fmt::format("the command behind TELFIL of run {} {}", order.run.number, why),
                      "pipe-command");
}

std::map<std::string, std::string> summary_in(const fs::path& errors, const char* who, const char* needed) {
  const auto summary = read_summary(errors, who, needed);
  return summary ? summary->values : std::map<std::string, std::string>();
}

}  // namespace

fs::path scratch_folder(const fs::path& asked) {
  std::error_code error;
  if (!asked.empty()) {
    if (!fs::is_directory(asked, error))
      throw WorkerError(WorkerExit::try_again,
                        fmt::format("--scratch cannot be {}; give a folder", asked.string()));
    return fs::canonical(asked);
  }
  for (const char* name : {"_CONDOR_SCRATCH_DIR", "SLURM_TMPDIR", "TMPDIR"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0' && fs::is_directory(value, error)) return fs::canonical(value);
  }
  return "/tmp";
}

std::string checked_card(const ProductionPlan& plan, const fs::path& folder, const std::string& program,
                         const PlannedRun& run) {
  const std::string ours = fs::path(program).parent_path().parent_path().string() + "/";
  try {
    for (const std::string& under : {ours, std::string("card.template")})
      for (const std::string& change : changed_files(plan, folder, under))
        throw WorkerError(WorkerExit::never, change);
    return run_card(plan, support::read_file(folder / "card.template"), run);
  } catch (const support::Interrupted&) {
    throw;
  } catch (const support::Error& problem) {
    throw WorkerError(WorkerExit::never, problem.what());
  }
}

FinishedRun make_run(const RunOrder& order) {
  FinishedRun run;
  const std::string card = card_with_telescope_pipe(order.card);
  if (const std::string why = outputs_elsewhere(order.card, order.plan.options); !why.empty())
    throw WorkerError(WorkerExit::never, why);
  const RunSpec spec = spec_of(order, card);
  if (card != order.card) write_telescope_pipe(spec.folder);
  run.cost.began = utc_now();
  RunResult result;
  try {
    result = run_program(spec);
    wait_for_telescope_pipe(spec.folder);
  } catch (const RunFailed& failure) {
    throw rejected(failure, last_begun_shower(spec.folder), order.scratch);
  }
  check_whole(order, spec.folder);
  run_command_behind(order, spec.folder);
  run.cost.ended = utc_now();
  run.cost.wall_s = result.wall_s;
  run.cost.user_s = result.user_s;
  run.cost.system_s = result.system_s;
  run.cost.startup_cpu_s = result.startup ? result.startup->cpu_s : 0;
  run.cost.peak_rss_kib = result.peak_rss_kib;
  for (const auto& [name, path] : output_files(spec.folder))
    run.outputs.push_back({path, name, name != kPipedTelescopeData});
  for (const OutputFile& output : run.outputs) run.cost.scratch_bytes += fs::file_size(output.path);
  run.generator = summary_in(spec.errors, "ranmar:", "draws");
  run.messages = read_messages(spec.errors, "cherenkov:", "bunches");
  run.cherenkov = summary_in(spec.errors, "cherenkov:", "bunches");
  return run;
}

}  // namespace overlay
