// The work of one run: see the header. Each step says with which status the worker ends where it fails.
#include "overlay/production/worker.hpp"

#include <fmt/format.h>

#include <optional>

#include "overlay/production/attempts.hpp"
#include "overlay/production/exit_codes.hpp"
#include "overlay/production/finished_run.hpp"
#include "overlay/production/manifest.hpp"
#include "overlay/production/node_class.hpp"
#include "overlay/production/plan.hpp"
#include "overlay/production/results.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

RunManifest manifest_of(const RunOrder& order, const FinishedRun& made, const std::string& attempt) {
  const ProductionPlan& plan = order.plan;
  RunManifest manifest;
  manifest.run = order.run.number;
  manifest.production = plan.name;
  manifest.plan_sha256 = plan_digest(order.production);
  manifest.attempt = attempt;
  manifest.starts = order.run.starts;
  manifest.setting = order.run.setting;
  manifest.showers = plan.showers;
  manifest.card_sha256 = support::sha256_of_text(order.card);
  manifest.program = order.program;
  manifest.program_sha256 = plan.files.contains(order.program) ? plan.files.at(order.program) : std::string();
  manifest.flags = plan.flags;
  manifest.compilers = plan.compilers;
  manifest.corsika_version = plan.corsika_version;
  manifest.overlay_version = plan.overlay_version;
  const support::Machine machine = support::describe_machine();
  manifest.host = host_name();
  manifest.processor = machine.cpu;
  manifest.kernel = machine.kernel;
  manifest.system = machine.system;
  manifest.tunables = plan.tunables;
  manifest.cost = made.cost;
  manifest.cherenkov = made.cherenkov;
  manifest.generator = made.generator;
  return manifest;
}

/// One attempt, from the checks to the publication.
WorkerResult attempt_run(const ProductionPlan& plan, const fs::path& folder, std::int64_t number,
                         const WorkerOptions& options, RunningAttempt& mark) {
  const auto check = [&mark] {
    support::check_interrupt();
    mark.beat();
  };
  const PlannedRun run = planned_run(plan, number);
  const std::string card = checked_card(plan, folder, plan.program, run);
  const std::string node_class = checked_class(plan, folder, options.overlay);
  const support::TemporaryFolder scratch(scratch_folder(options.scratch),
                                         fmt::format("overlay-run-{}", number));
  const RunOrder order{plan, folder, plan.program, run, card, scratch.path(), check};
  const FinishedRun made = make_run(order);
  RunManifest manifest = manifest_of(order, made, mark.id());
  manifest.node_class = node_class;
  manifest.files = pack_outputs(made.outputs, number, mark.folder());
  const Publication publication = publish(plan, folder, manifest, mark.folder());
  if (publication.outcome == Publication::Outcome::published)
    return {WorkerExit::done, fmt::format("run {} is published", number)};
  if (publication.outcome == Publication::Outcome::agrees)
    return {WorkerExit::done,
            fmt::format("run {} was published meanwhile by another attempt; it agrees", number)};
  throw WorkerError(
      WorkerExit::try_again,
      fmt::format("run {} was published meanwhile by another attempt, and they disagree: {}; both are in {}",
                  number, publication.reason, quarantine_folder(number).string()),
      "disagrees");
}

/// What a worker does once it has a mark: it leaves either a manifest or an attempt's file.
WorkerResult marked_attempt(const ProductionPlan& plan, const fs::path& folder, std::int64_t run,
                            const WorkerOptions& options) {
  std::optional<RunningAttempt> mark;
  Attempt failed;
  const auto fail = [&failed](WorkerExit exit, const std::string& outcome, const std::string& why) {
    failed.exit = static_cast<int>(exit);
    failed.outcome = outcome;
    failed.reason = why.substr(0, why.find('\n'));
  };
  try {
    mark.emplace(folder, run);
    return attempt_run(plan, folder, run, options, *mark);
  } catch (const WorkerError& error) {
    fail(error.status(), error.outcome(), error.what());
    failed.shower = error.shower();
  } catch (const support::Interrupted&) {
    fail(WorkerExit::try_again, "killed", fmt::format("run {} was stopped by a signal", run));
  } catch (const std::exception& error) {
    if (support::disk_is_full(folder, error.what()))
      fail(WorkerExit::disk_full, "disk-full", cannot_write(folder / "results", ENOSPC).what());
    else
      fail(WorkerExit::try_again, "failed", error.what());
  }
  if (mark) mark->failed(failed);
  mark.reset();
  const auto exit = static_cast<WorkerExit>(failed.exit);
  if (const auto why = exit == WorkerExit::try_again ? poisoned(folder, run) : std::nullopt)
    return {WorkerExit::never, fmt::format("{}; the run is poisoned", *why)};
  return {exit, failed.reason};
}

}  // namespace

WorkerResult work_on_run(const fs::path& folder, std::int64_t run, const WorkerOptions& options) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "production.toml", error))
    return {WorkerExit::try_again,
            fmt::format(
                "{} has no production.toml; give the folder that overlay production new made, and see that "
                "this node can reach it",
                folder.string())};
  try {
    const ProductionPlan plan = read_plan(folder);
    planned_run(plan, run);  // it has that run
    note_vanished(folder, run);
    const RunState state = verify_run(plan, folder, plan_digest(folder), run, VerifyDepth::digests);
    if (state.kind == RunState::Kind::published)
      return {WorkerExit::done, fmt::format("run {} is done already", run)};
    if (state.kind == RunState::Kind::poisoned)
      return {WorkerExit::never, fmt::format("{}; the run is poisoned: delete {} to try it again",
                                             state.reason, attempts_folder(run).string())};
    if (state.kind == RunState::Kind::rejected) set_aside(plan, folder, run, state.reason);
    return marked_attempt(plan, folder, run, options);
  } catch (const support::Interrupted& stopped) {
    return {WorkerExit::try_again, stopped.what()};
  } catch (const support::Error& problem) {
    // The plan itself is not right: no attempt can mend that.
    const bool full = support::disk_is_full(folder, problem.what());
    return {full ? WorkerExit::disk_full : WorkerExit::never, problem.what()};
  }
}

}  // namespace overlay
