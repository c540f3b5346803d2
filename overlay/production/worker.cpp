// The work of one run: see the header. Each step says with which status the worker ends where it fails.
#include "overlay/production/worker.hpp"

#include <fmt/format.h>

#include <optional>

#include "overlay/production/attempts.hpp"
#include "overlay/production/made_run.hpp"
#include "overlay/production/manifest.hpp"
#include "overlay/production/node_class.hpp"
#include "overlay/production/plan.hpp"
#include "overlay/production/publish.hpp"
#include "overlay/production/scratch.hpp"
#include "overlay/production/verify_run.hpp"
#include "overlay/production/worker_steps.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// An attempt that ended before its program did.
Attempt attempt_of(const WorkerError& error) {
  Attempt attempt;
  attempt.exit = static_cast<int>(error.status());
  attempt.reason = error.what();
  switch (error.status()) {
    case WorkerExit::disk_full:
      attempt.outcome = "disk-full";
      break;
    case WorkerExit::other_bits:
      attempt.outcome = "other-bits";
      break;
    case WorkerExit::never:
      attempt.outcome = "refused";
      break;
    default:
      attempt.outcome = "failed";
  }
  if (const auto* rejected = dynamic_cast<const AttemptFailed*>(&error)) {
    attempt.outcome = rejected->outcome();
    attempt.shower = rejected->shower();
  }
  return attempt;
}

RunManifest manifest_of(const RunOrder& order, const MadeRun& made, const std::string& attempt,
                        const std::string& digest, const NodeClass& node) {
  const ProductionPlan& plan = order.plan;
  RunManifest manifest;
  manifest.run = order.run.number;
  manifest.production = plan.name;
  manifest.plan_sha256 = digest;
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
  manifest.libm_file = libm_file();
  if (!manifest.libm_file.empty()) manifest.libm_sha256 = support::sha256_of_file(manifest.libm_file);
  manifest.tunables = tunables_of(plan);
  manifest.node = node;
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
  const RunInput input = checked_input(plan, folder, number);
  const support::TemporaryFolder scratch(scratch_folder(options.scratch),
                                         fmt::format("overlay-run-{}", number));
  const NodeClass node = checked_class(plan, folder, options.overlay, scratch.path(), check);
  fs::create_directory(scratch.path() / "attempt");
  const RunOrder order{plan, folder, plan.program, input.run, input.card, scratch.path() / "attempt", check};
  const MadeRun made = make_run(order);
  const std::string digest = plan_digest(folder);
  RunManifest manifest = manifest_of(order, made, mark.id(), digest, node);
  manifest.files = pack_outputs(made.outputs, number, mark.folder());
  const Publication publication = publish(plan, folder, manifest, mark.folder());
  switch (publication.outcome) {
    case Publication::Outcome::published:
      return {WorkerExit::done, fmt::format("run {} is published", number)};
    case Publication::Outcome::agrees:
      return {WorkerExit::done,
              fmt::format("run {} was published meanwhile by another attempt; it agrees", number)};
    case Publication::Outcome::disagrees:
      break;
  }
  throw AttemptFailed(
      WorkerExit::try_again, "disagrees", 0,
      fmt::format("run {} was published meanwhile by another attempt, and they disagree: {}; both are in {}",
                  number, publication.reason, quarantine_folder(number).string()));
}

/// What a worker does once it has a mark: it leaves either a manifest or an attempt's file.
WorkerResult marked_attempt(const ProductionPlan& plan, const fs::path& folder, std::int64_t run,
                            const WorkerOptions& options) {
  std::optional<RunningAttempt> mark;
  Attempt failed;
  try {
    mark.emplace(folder, run);
    return attempt_run(plan, folder, run, options, *mark);
  } catch (const WorkerError& error) {
    failed = attempt_of(error);
  } catch (const support::Interrupted&) {
    failed.outcome = "killed";
    failed.reason = fmt::format("run {} was stopped by a signal", run);
    failed.exit = static_cast<int>(WorkerExit::try_again);
  } catch (const std::exception& error) {
    const bool full = support::disk_is_full(folder, error.what());
    failed.outcome = full ? "disk-full" : "failed";
    failed.reason = error.what();
    failed.exit = static_cast<int>(full ? WorkerExit::disk_full : WorkerExit::try_again);
  }
  failed.reason = failed.reason.substr(0, failed.reason.find('\n'));
  if (mark) mark->failed(failed);
  WorkerResult result{static_cast<WorkerExit>(failed.exit), failed.reason};
  mark.reset();
  if (const auto why = result.exit == WorkerExit::try_again ? poisoned(folder, run) : std::nullopt)
    return {WorkerExit::never, fmt::format("{}; the run is poisoned", *why)};
  return result;
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
    if (!plan.has_run(run))
      return {WorkerExit::never, fmt::format("production {} has no run {}; it has runs {} to {}", plan.name,
                                             run, plan.first_run, plan.last_run())};
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
