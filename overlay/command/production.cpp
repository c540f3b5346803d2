// overlay production: thousands of runs of one plan, on a cluster or here. Prints what was done.
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "overlay/production/check_seeds.hpp"
#include "overlay/production/node_class.hpp"
#include "overlay/production/worker.hpp"
#include "production_commands.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// "1 run", "3,000 runs" without the comma: numbers as other programs read them.
std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// The file of this program.
fs::path this_program() { return fs::read_symlink("/proc/self/exe"); }

/// The files to read: a folder that is no production stands for all files in it, by name.
std::vector<fs::path> files_of(const std::vector<fs::path>& given) {
  std::vector<fs::path> files;
  for (const auto& path : given) {
    std::error_code error;
    if (!fs::is_directory(path, error) || fs::exists(path / "production.toml", error)) {
      files.push_back(path);
      continue;
    }
    std::vector<fs::path> inner;
    for (fs::recursive_directory_iterator it(path, error), end; !error && it != end; it.increment(error))
      if (it->is_regular_file()) inner.push_back(it->path());
    if (error) throw support::Error("cannot read the folder {} ({})", path.string(), error.message());
    std::sort(inner.begin(), inner.end());
    files.insert(files.end(), inner.begin(), inner.end());
  }
  return files;
}

}  // namespace

int run_production_new(NewProduction request) {
  request.program = program_folder() / "overlay";
  const auto plan = create_production(request);
  const auto folder = request.folder.string();
  fmt::print("production {}: {} of {}, runs {} to {}, {}\n", plan.name,
             counted(plan.run_count(), "run", "runs"), counted(plan.showers, "shower", "showers"),
             plan.first_run, plan.last_run(),
             counted(static_cast<std::int64_t>(plan.settings.size()), "setting", "settings"));
  if (plan.seeds == SeedMode::planned)
    fmt::print("seeds      {} to {}, each used once\n", planned_seed(plan.first_place, 1),
               planned_seed(plan.first_place + plan.run_count() - 1, plan.sequences));
  else
    fmt::print("seeds      {} to {} for all runs, {} numbers apart\n", planned_seed(plan.first_place, 1),
               planned_seed(plan.first_place, plan.sequences), plan.stride);
  fmt::print("CORSIKA    {}, profile {}, {}\n", plan.corsika_version, plan.profile, plan.program);
  fmt::print(
      "next       overlay production check {0}; overlay production emit {0} --for htcondor, slurm or local\n",
      folder);
  return 0;
}

int run_production_emit(EmitRequest request) {
  const auto emitted = emit_production(request);
  fmt::print("a run gets {} MiB of memory, {} MiB of disk, {} minutes: {}\n", emitted.requests.memory_mib,
             emitted.requests.disk_mib, emitted.requests.minutes,
             emitted.requests.from_pilot ? "from the pilot run"
                                         : "there was no pilot run; overlay production check makes one");
  fmt::print("next       {}\n", emitted.command);
  return 0;
}

int run_production_run(const WorkRequest& request) {
  const WorkerResult result = work_on_run(request.folder, request.run, {request.scratch, this_program()});
  if (result.exit == WorkerExit::done)
    fmt::print("{}\n", result.said);
  else
    fmt::print(stderr, "overlay: error: {}\n", result.said);
  return static_cast<int>(result.exit);
}

int run_production_libm_bits() {
  fmt::print("{}\n", libm_bits());
  return 0;
}

int run_production_start(const LocalRequest& asked) {
  LocalRequest request = asked;
  request.overlay = this_program();
  const LocalSummary summary = run_locally(request);
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < std::min(kShown, summary.failed.size()); ++i)
    fmt::print(stderr, "overlay: run {} ended with {}: {}\n", summary.failed[i].run, summary.failed[i].exit,
               summary.failed[i].said);
  if (summary.failed.size() > kShown)
    fmt::print(stderr, "overlay: and {} more\n", summary.failed.size() - kShown);
  const auto done = summary.done_before + summary.made;
  fmt::print("{} of {} runs are published, {} of them by this call\n", done, summary.planned, summary.made);
  if (done == summary.planned) return 0;
  fmt::print("next       overlay production start {}: it does what is left\n", request.folder.string());
  if (!summary.failed.empty()) return 1;
  return summary.stopped ? 130 : 0;  // 0: --most ended it
}

int run_production_check(const PilotRequest& asked) {
  PilotRequest request = asked;
  request.overlay = this_program();
  const PilotReport report = check_production(request);
  for (const std::string& fact : report.facts) fmt::print("ok         {}\n", fact);
  for (const PilotRun& run : report.runs) {
    fmt::print(
        "pilot      run {} with {} showers: start-up {:.1f} s, {:.3g} s a shower; a whole run: {:.1f} min, "
        "{:.0f} MiB "
        "of memory, {:.3g} GiB on scratch, {:.3g} GiB kept\n",
        run.run, run.showers, run.startup_s, run.cpu_s_per_shower, run.seconds / 60, run.memory_mib,
        run.disk_mib / 1024, run.packed_mib / 1024);
    for (const std::string& line : run.messages) fmt::print("note       run {} said: {}\n", run.run, line);
  }
  for (const std::string& problem : report.problems) fmt::print(stderr, "overlay: error: {}\n", problem);
  return report.problems.empty() ? 0 : 1;
}

int run_production_audit(const AuditRequest& request) {
  const std::vector<AuditedRun> audits = audit_production(request);
  for (const AuditedRun& run : audits) {
    if (run.equal)
      fmt::print("equal      run {} ({}), made on {}, again on {}\n", run.run, run.kind, run.made_on,
                 run.audited_on);
    else
      fmt::print(stderr, "overlay: error: run {} ({}), made on {}, is not what {} makes: {}\n", run.run,
                 run.kind, run.made_on, run.audited_on, run.reason);
  }
  if (const auto gain = gain_over_stock(audits)) fmt::print("gain       {}\n", text_of(*gain));
  return std::all_of(audits.begin(), audits.end(), [](const AuditedRun& run) { return run.equal; }) ? 0 : 1;
}

int run_production_check_seeds(CheckSeeds request) {
  const auto files = files_of(request.files);
  std::vector<RunSeeds> runs;
  std::vector<std::string> silent;
  for (const auto& file : files) {
    support::check_interrupt();
    auto found = read_run_seeds(file);
    if (found.empty()) silent.push_back(file.string());
    runs.insert(runs.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  if (runs.empty())
    throw support::Error("none of {} files says anything of seeds; give cards, logs or output files",
                         files.size());
  auto report = compare_seeds(std::move(runs));
  if (!silent.empty())
    report.unknown.push_back(
        fmt::format("{} files say nothing of seeds, {} for one", silent.size(), silent.front()));
  for (const auto& line : report.repeats) fmt::print("{}\n", line);
  for (const auto& line : report.overlaps) fmt::print("{}\n", line);
  for (const auto& line : report.unknown) fmt::print("not known: {}\n", line);
  fmt::print("{} runs: {} repeat an earlier one, {} groups of repeats, {} overlaps of streams\n", report.runs,
             report.repeating, report.repeats.size(), report.overlaps.size());
  return report.clean() ? 0 : 1;
}

}  // namespace overlay
