// A run and its checks: see the header.
#include "overlay/production/made_run.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "overlay/card/card.hpp"
#include "overlay/card/output_places.hpp"
#include "overlay/card/telescope_output.hpp"
#include "overlay/identity/corsika_log.hpp"
#include "overlay/identity/output_files.hpp"
#include "overlay/production/attempts.hpp"
#include "overlay/production/node_class.hpp"
#include "overlay/production/output_check.hpp"
#include "overlay/production/scratch.hpp"
#include "overlay/run/program_summary.hpp"
#include "overlay/run/runner.hpp"
#include "overlay/run/telescope_pipe.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCommandLog = "light-pipe.log";  // what the command behind the pipe said

/// What went wrong, without the log's place: scratch is deleted.
std::string reason_of(const RunFailed& failure) {
  const std::string what = failure.what();
  return what.substr(0, what.rfind(" (see "));
}

/// The exit status and the outcome of a run that failed.
AttemptFailed rejected(const RunFailed& failure, long shower, const fs::path& scratch) {
  using Why = RunFailed::Why;
  switch (failure.why()) {
    case Why::disk_full:
      return {WorkerExit::disk_full, "disk-full", 0,
              fmt::format("the disk of {} is full; free some space, or give --scratch DIR elsewhere",
                          scratch.string())};
    case Why::card:
      return {WorkerExit::never, "refused", 0, reason_of(failure)};
    case Why::timed_out:
      return {WorkerExit::try_again, "failed", 0, reason_of(failure)};
    case Why::signal:
      // Nobody's program sends itself these: an engine did, an operator, or the kernel where memory ran out.
      if (failure.status() == SIGKILL || failure.status() == SIGTERM || failure.status() == SIGXCPU)
        return {WorkerExit::try_again, "killed", 0, reason_of(failure)};
      break;
    default:
      break;
  }
  return {WorkerExit::try_again, "crash", shower, reason_of(failure)};
}

RunSpec spec_of(const RunOrder& order, const std::string& card) {
  RunSpec spec;
  spec.label = order.program == order.plan.stock ? "stock program's" : "patched program's";
  spec.executable = fs::absolute(order.production / order.program).lexically_normal();
  spec.folder = make_run_folder(order.production, order.program, card, order.scratch);
  spec.errors = order.scratch / "errors";
  spec.check = order.check;
  spec.environment = {{"RANMAR_SUMMARY", "1"}, {"CHERENKOV_SUMMARY", "1"}};
  spec.environment.insert(kLinesAtOnce);
  // The patched program finds the libraries beside it by itself; stock is as CORSIKA's own build links it.
  if (order.program == order.plan.stock)
    spec.environment["LD_LIBRARY_PATH"] = spec.executable.parent_path().string();
  if (const std::string tunables = tunables_of(order.plan); !tunables.empty())
    spec.environment["GLIBC_TUNABLES"] = tunables;
  spec.first_shower = first_shower_marks();
  spec.end = kEndOfRun;
  return spec;
}

std::vector<OutputFile> outputs_in(const fs::path& folder) {
  std::vector<OutputFile> outputs;
  for (const auto& [name, path] : output_files(folder))
    outputs.push_back({path, name, name != kPipedTelescopeData});
  return outputs;
}

void check_whole(const RunOrder& order, const fs::path& folder) {
  const std::vector<std::string> problems =
      check_outputs(folder, Card(order.card).showers(), order.plan.outputs, order.run);
  if (problems.empty()) return;
  if (support::disk_is_full(order.scratch, ""))
    throw WorkerError(
        WorkerExit::disk_full,
        fmt::format("the disk of {} is full: {}; free some space, or give --scratch DIR elsewhere",
                    order.scratch.string(), problems.front()));
  const auto of_the_plan = [](const std::string& why) {
    return why.find("the plan has") != std::string::npos;
  };
  const bool other_seeds = std::any_of(problems.begin(), problems.end(), of_the_plan);
  throw AttemptFailed(other_seeds ? WorkerExit::never : WorkerExit::try_again,
                      other_seeds ? "refused" : "incomplete", last_begun_shower(folder),
                      fmt::format("run {} is not whole although the program exited with 0: {}",
                                  order.run.number, support::join(problems, "; ")));
}

/// The command behind TELFIL | gets the light; its status is the run's.
void run_command_behind(const RunOrder& order, const fs::path& folder) {
  const auto command = telescope_command(Card(order.card));
  if (!command) return;
  const std::string why =
      run_behind_telescope_pipe(*command, folder, folder / kCommandLog, std::chrono::milliseconds{0});
  if (!why.empty())
    throw AttemptFailed(WorkerExit::try_again, "pipe-command", 0,
                        fmt::format("the command behind TELFIL of run {} {}", order.run.number, why));
}

std::map<std::string, std::string> summary_in(const fs::path& errors, const char* who, const char* needed) {
  const auto summary = read_summary(errors, who, needed);
  return summary ? summary->values : std::map<std::string, std::string>();
}

}  // namespace

MadeRun make_run(const RunOrder& order) {
  MadeRun made;
  const std::string card = card_with_telescope_pipe(order.card);
  if (const std::string why = outputs_elsewhere(order.card, order.plan.options); !why.empty())
    throw AttemptFailed(WorkerExit::never, "refused", 0, why);
  const RunSpec spec = spec_of(order, card);
  if (card != order.card) write_telescope_pipe(spec.folder);
  made.cost.began = utc_now();
  RunResult result;
  try {
    result = run_program(spec);
    wait_for_telescope_pipe(spec.folder);
  } catch (const RunFailed& failure) {
    throw rejected(failure, last_begun_shower(spec.folder), order.scratch.parent_path());
  }
  check_whole(order, spec.folder);
  if (order.feed_command) run_command_behind(order, spec.folder);
  made.cost.ended = utc_now();
  made.cost.wall_s = result.wall_s;
  made.cost.user_s = result.user_s;
  made.cost.system_s = result.system_s;
  made.cost.startup_cpu_s = result.startup ? result.startup->cpu_s : 0;
  made.cost.peak_rss_kib = result.peak_rss_kib;
  made.outputs = outputs_in(spec.folder);
  for (const OutputFile& output : made.outputs) made.cost.scratch_bytes += fs::file_size(output.path);
  made.generator = summary_in(spec.errors, "ranmar:", "draws");
  made.messages = read_messages(spec.errors, "cherenkov:", "bunches");
  made.cherenkov = summary_in(spec.errors, "cherenkov:", "bunches");
  return made;
}

}  // namespace overlay
