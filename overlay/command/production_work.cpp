// overlay production run, start, check and audit: what makes runs, and what checks them. Prints one line for
// what an engine's log is to hold, and more for a person.
#include <fmt/format.h>

#include <algorithm>

#include "overlay/production/libm_bits.hpp"
#include "overlay/production/production_summary.hpp"
#include "overlay/production/worker.hpp"
#include "production_work_commands.hpp"
#include "support/error.hpp"

namespace overlay {
namespace {

/// The file of this program.
std::filesystem::path this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

}  // namespace

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
  if (request.stock == 0 && request.elsewhere <= 0 && request.runs.empty())
    throw support::Error("there is nothing to audit; give --stock N, --elsewhere SHARE%, or both");
  const AuditReport report = audit_production(request);
  for (const AuditedRun& run : report.runs) {
    if (run.equal)
      fmt::print("equal      run {} ({}), made on {}, again on {}\n", run.run, run.kind, run.made_on,
                 run.audited_on);
    else
      fmt::print(stderr, "overlay: error: run {} ({}), made on {}, is not what {} makes: {}\n", run.run,
                 run.kind, run.made_on, run.audited_on, run.reason);
  }
  for (const std::string& note : report.notes) fmt::print("note       {}\n", note);
  if (const auto gain = gain_over_stock(report.runs)) fmt::print("gain       {}\n", text_of(*gain));
  return report.equal() ? 0 : 1;
}

}  // namespace overlay
