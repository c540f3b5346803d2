// Commands of overlay production that plan and make runs: new, emit, check, run, start, audit.
#include "overlay/production/production.hpp"

#include "options.hpp"
#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "overlay/report/page.hpp"

namespace overlay {
namespace {

/// Says what the last range of a plan has: all runs of a new one, or those that were added.
void print_range(const ProductionPlan& plan, const char* how) {
  const auto& range = plan.ranges.back();
  const auto count = plan.runs_of(range);
  fmt::print("production {}: {} of {}, runs {} to {}, {}\n", plan.name,
             counted(static_cast<std::uint64_t>(count), std::string(how) + "run"),
             counted(static_cast<std::uint64_t>(plan.showers), "shower"), range.first_run,
             range.first_run + count - 1, counted(plan.settings.size(), "setting"));
  const auto& first = planned_run(plan, range.first_run).seeds;
  const auto& last = planned_run(plan, range.first_run + count - 1).seeds;
  fmt::print(
      "seeds      {} to {}{}\n", first.front().seed, last.back().seed,
      plan.offsets() ? fmt::format(" for all runs, {} numbers apart", plan.stride) : ", each used once");
}

int run_production_new(const NewProduction& request) {
  const auto plan = create_production(request);
  const auto folder = request.folder.string();
  print_range(plan, "");
  fmt::print("CORSIKA    {}, profile {}, {}\n", plan.corsika_version, plan.profile, plan.program);
  for (const auto& substitute : plan.substitutes) fmt::print("substitute {}\n", substitute);
  fmt::print("next       {}\n", to_type({"production", "check", folder}));
  fmt::print("then       {}   (or slurm, local)\n",
             to_type({"production", "emit", folder, "--for", "htcondor"}));
  return 0;
}

int run_production_extend(const RunsRequest& request) {
  const auto plan = extend_production(request);
  print_range(plan, "more ");
  fmt::print("next       as before: emit anew for HTCondor, then submit or start\n");
  return 0;
}

/// --first-run and --ledger.
Options& declare_runs(Options& options, RunsRequest& request) {
  return options
      .value("--first-run", request.first_run, "N",
             "number of the first run; the others follow (default: numbers that no production of the ledger "
             "has)")
      .value("--ledger", request.ledger, "FILE",
             "file that hands out seeds and run numbers to all productions of a group (also $OVERLAY_LEDGER; "
             "default: ~/.local/share/overlay/seeds.ledger)");
}

void declare_extend(CLI::App& production, Chosen& chosen) {
  auto [options, request] = production_command<RunsRequest>(
      production, chosen, "extend", "Adds runs to a production, with numbers and seeds that no other has",
      run_production_extend);
  options.value("--runs", request.runs, "N", "runs of each setting that are added").necessary();
  declare_runs(options, request);
}

void declare_new(CLI::App& production, Chosen& chosen) {
  auto [options, request] = production_command<NewProduction>(
      production, chosen, "new", "Plans a production: seeds, cards, programs in one folder",
      run_production_new);
  declare_program(options, request.build);
  declare_showers(options, request.build);
  declare_substitutes(options, request.build);
  options.value("--zenith", request.zeniths, "DEGREES,...", "zenith angles in degrees: 20,30,40")
      .list()
      .value("--atmosphere", request.atmospheres, "N,...", "numbers of atmosphere tables: 61,62")
      .list()
      .value("--primary", request.primaries, "NAME,...",
             "particles: gamma,proton,helium,iron, or CORSIKA's codes: 1,14,402,5626")
      .list()
      .value("--seeds", request.plan.seeds, "TEXT",
             "planned (own seeds for each run) or offsets (the same seeds, each run further on)")
      .value("--stride", request.plan.stride, "N",
             "with --seeds offsets: numbers that a sequence of a run may draw")
      .value("--processors", request.plan.class_policy, "TEXT",
             "same (nodes whose last bits agree), pinned (libm's common variants on every node) or any")
      .flag("--keep-light", request.plan.keep_light,
            "publish light that the card sends into a command (TELFIL |COMMAND), too")
      .value("--after", request.plan.after, "COMMAND",
             "command for a shell, in the folder of each run that is whole: telescope simulation, "
             "conversion; $RUN is the run's number, and what it writes there is published, too")
      .value("--like", request.like, "DIR",
             "an earlier production, in place of --corsika: all of it is taken, programs too, but runs and "
             "seeds")
      .alone()
      .value("--runs", request.runs, "N",
             "runs of each setting (with --like: as many as the earlier one has)");
  declare_runs(options, request);
}

void declare_emit(CLI::App& production, Chosen& chosen) {
  auto [options, request] = production_command<EmitRequest>(
      production, chosen, "emit", "Writes the files by which HTCondor, Slurm or this machine runs it",
      [](const EmitRequest& asked) {
        fmt::print("next       {}\n", emit_production(asked));
        return 0;
      });
  options.value("--for", request.engine, "ENGINE", "htcondor, slurm or local")
      .necessary()
      .value("--memory", request.memory_mib, "MIB", "of a run, in MiB (default: 1.5 times the pilot's)")
      .value("--disk", request.disk_mib, "MIB", "of a run, in MiB (default: 1.5 times the pilot's)")
      .value("--time", request.minutes, "MINUTES", "of a run, in minutes (default: 4 times the pilot's)")
      .value("--line", request.lines, "TEXT", "a line for the engine's job file, as it is; may be repeated")
      .many()
      .value("--retries", request.retries, "N", "htcondor: tries of a run after the first")
      .value("--avoid", request.avoid, "TEXT",
             "htcondor: after exit 69 a run goes to another machine, or just another slot")
      .value("--array-size", request.array_size, "N", "slurm: runs of one array, below its MaxArraySize");
}

void declare_check(CLI::App& production, Chosen& chosen) {
  auto [options, request] = production_command<PilotRequest>(
      production, chosen, "check",
      "Files, seeds, this node's class, disks, and a short run of each setting: what a run will need",
      check_production);
  options.value("--pilot-showers", request.showers, "N", "showers of a pilot run");
}

struct WorkRequest {
  fs::path folder, scratch;
  std::int64_t run = 0;
};

int run_production_run(const WorkRequest& request) {
  try {
    fmt::print("{}\n", work_on_run(request.folder, request.run, request.scratch));
    return 0;
  } catch (const WorkerError& error) {
    fmt::print(stderr, "overlay: error: {}\n", error.what());
    return static_cast<int>(error.status);
  }
}

void declare_run(CLI::App& production, Chosen& chosen) {
  auto [options, request] = production_command<WorkRequest>(
      production, chosen, "run",
      "The work of one run; engines call it. Exit status: 0 done, 65 never will, 69 this node's "
      "bits differ, 74 disk full, 75 try again",
      run_production_run);
  options.value("run", request.run, "RUN", "the run's number").necessary().decimal();
}

void declare_start(CLI::App& production, Chosen& chosen) {
  auto [options, request] = production_command<LocalRequest>(
      production, chosen, "start",
      "Runs what is not done yet on this machine; may be stopped and called again", start_production);
  options.value("--jobs", request.jobs, "N", "runs at a time (default: all cores)")
      .value("--retries", request.retries, "N", "of a run that may yet succeed")
      .value("--most", request.most, "N", "end after so many runs (default: all)");
}

/// A share as a user gives it: 1% or 0.01. Throws support::Error where it is neither.
double read_share(const std::string& text) {
  const bool percent = text.ends_with('%');
  const auto value = card_real(text.substr(0, text.size() - (percent ? 1 : 0)));
  if (!value) throw support::Error("--elsewhere cannot be '{}'; give a share such as 1%", text);
  return percent ? *value / 100 : *value;
}

void declare_audit(CLI::App& production, Chosen& chosen) {
  auto [options, request] = production_command<AuditRequest>(
      production, chosen, "audit",
      "Makes published runs again and compares bytes: with the stock program, or those of other nodes here",
      audit_production);
  options.value("--stock", request.stock, "N", "published runs to make again with the stock program")
      .text(
          "--elsewhere", [&share = request.elsewhere](const std::string& text) { share = read_share(text); },
          "SHARE%", "share of the published runs to make again here, of those made on other nodes: 1%")
      .value("--run", request.runs, "RUN,...", "audit these runs")
      .list()
      .decimal();
}

}  // namespace

void declare_production(CLI::App& app, Chosen& chosen) {
  auto& production = *app.add_subcommand(
      "production", "Thousands of runs on HTCondor, Slurm or this machine, each with its proof");
  production.require_subcommand(1);
  for (const auto declare : {declare_new, declare_extend, declare_emit, declare_production_results,
                             declare_check, declare_run, declare_start, declare_audit})
    declare(production, chosen);
  // What a worker calls with other tunables in its environment.
  Options(production, chosen, "libm-bits", "", [] {
    fmt::print("{}\n", libm_bits());
    return 0;
  }).hidden();
}

}  // namespace overlay
