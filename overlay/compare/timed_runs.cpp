// Timed runs: stock and patched in turn, each part of the overlay alone, stock as shipped; and the identity
// of all.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "overlay/compare/comparison.hpp"
#include "overlay/run/program_summary.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

void count_in(BuildRuns& runs, const RunResult& result) {
  runs.wall_s.push_back(result.wall_s);
  runs.cpu_s.push_back(result.cpu_s());
  runs.peak_rss_kib = std::max(runs.peak_rss_kib, result.peak_rss_kib);
  if (!result.startup) return;
  runs.startup_wall_s.push_back(result.startup->wall_s);
  runs.startup_cpu_s.push_back(result.startup->cpu_s);
}

/// An empty record of the runs of `program`, under the name `build`.
BuildRuns runs_of(const BuildSet& set, const std::string& program, const std::string& build) {
  BuildRuns runs;
  runs.build = build;
  runs.flags = program == "stock-shipped" ? "shipped" : set.flags;
  runs.fflags = set.programs.at(program).fflags;
  runs.cflags = set.programs.at(program).cflags;
  return runs;
}

/// Standard error without our libraries' own lines.
std::string other_messages(const fs::path& errors) {
  std::ifstream in(errors);
  std::string line, text;
  while (std::getline(in, line))
    if (!line.starts_with("ranmar:") && !line.starts_with("cherenkov:")) text += line + "\n";
  return text;
}

void count_numbers(Report& report, const FirstPair& pair) {
  report.numbers_log = read_log_draws(pair.stock.result.folder / "log");
  if (const auto summary = read_summary(pair.patched.result.errors, "ranmar:", "draws")) {
    report.summary = summary->line;
    report.backend = summary->text("backend");
    report.numbers = summary->number("draws");
    report.numbers_from = "counted by the patched program";
    if (report.numbers && report.numbers_log && *report.numbers != *report.numbers_log)
      add_note(
          report,
          fmt::format("the log's counters give {} numbers, the patched program {}: the log need not show "
                      "the last event",
                      *report.numbers_log, *report.numbers));
  } else {
    add_note(report, "the patched program gave no summary of its draws");
  }
  if (!report.numbers && report.numbers_log) {
    report.numbers = report.numbers_log;
    report.numbers_from = "by the counters in the log";
  }
}

void count_light(const Comparison& comparison, const CompletedRun& patched) {
  Report& report = comparison.report;
  CherenkovSummary& light = report.light;
  const auto& options = comparison.set.profile.options;
  light.with_light = std::find(options.begin(), options.end(), "CERENKOV") != options.end();
  if (light.asked == "off") return;
  const auto messages = read_messages(patched.result.errors, "cherenkov:", "bunches");
  for (const std::string& line : messages) add_note(report, "the patched program said: " + line);
  const auto summary = read_summary(patched.result.errors, "cherenkov:", "bunches");
  if (!summary) {
    if (light.with_light || light.asked != "auto")
      add_note(report, fmt::format("the Cherenkov stage {}", light.in_run()));
    return;
  }
  light.summary = summary->line;
  light.backend = summary->text("backend");
  light.steps = summary->number("steps");
  light.left_to_corsika = summary->number("left_to_corsika");
  light.bunches = summary->number("bunches");
  light.traced = summary->number("traced");
  light.skipped = summary->number("skipped");
  if (messages.empty() && light.steps.value_or(0) < light.left_to_corsika.value_or(0))
    add_note(report, fmt::format("the Cherenkov stage {}", light.in_run()));
  if (light.asked == "gpu" && light.backend != "gpu")
    add_note(report, "the Cherenkov stage was asked for on a GPU and ran on the CPU");
}

/// Counts a comparison of two runs into the report's identity, which keeps the first one that differs, else
/// the first one that could not be made.
void count_identity(Report& report, Identity identity, const std::string& what) {
  if (identity.identical || report.identity.differs()) return;
  if (!identity.differs() && !report.identity.identical) return;
  for (std::string& reason : identity.reasons) reason = fmt::format("{}: {}", what, reason);
  if (!identity.differs())
    identity.could_not_compare = fmt::format("{}: {}", what, identity.could_not_compare);
  report.identity = std::move(identity);
}

/// One run of a part alone. Its outputs must be stock's, too.
void run_part(const Comparison& comparison, BuildRuns& into, RunRequest request, const CompletedRun& stock) {
  Report& report = comparison.report;
  const std::string what = fmt::format("{} {}", into.build, into.cpu_s.size() + 1);
  const CompletedRun run = comparison.run(std::move(request));
  count_in(into, run.result);
  Identity identity = compare_runs(stock, run);
  report.parts_identical = report.parts_identical.value_or(true) && identity.identical;
  const bool keep = !identity.identical;
  count_identity(report, std::move(identity), what);
  if (!keep) comparison.runs.remove(run);
}

/// Each part of the overlay alone, for the stock run of the same pair.
void run_parts(const Comparison& comparison, int pair, const CompletedRun& stock, BuildRuns& generator,
               BuildRuns& stage) {
  RunRequest request;
  request.build = "patched";
  request.what = fmt::format("generator-{}", pair);
  request.environment = {{"CHERENKOV_BACKEND", "off"}};
  run_part(comparison, generator, std::move(request), stock);
  if (!comparison.has("patched-stage")) return;
  request = {};
  request.build = "patched-stage";
  request.what = std::to_string(pair);
  run_part(comparison, stage, std::move(request), stock);
}

}  // namespace

FirstPair run_timed_pairs(const Comparison& comparison) {
  Report& report = comparison.report;
  if (comparison.options.warm_up)
    for (const char* build : {"stock", "patched"}) comparison.runs.remove(comparison.run(build, "warm-up"));
  BuildRuns stock_runs = runs_of(comparison.set, "stock", "stock");
  BuildRuns patched_runs = runs_of(comparison.set, "patched", "patched");
  BuildRuns generator = runs_of(comparison.set, "patched", "patched-generator"), stage = generator;
  stage.build = "patched-stage";
  FirstPair first;
  for (int pair = 1; pair <= comparison.counts.pairs; ++pair) {
    const std::string what = std::to_string(pair);
    const CompletedRun stock = comparison.run("stock", what);
    const CompletedRun patched = comparison.run("patched", what);
    count_in(stock_runs, stock.result);
    count_in(patched_runs, patched.result);
    Identity identity = compare_runs(stock, patched);
    const bool identical = identity.identical;
    ++report.identity_pairs;
    if (pair == 1) {
      report.identity = std::move(identity);
      first = {stock, patched};
      count_numbers(report, first);
      count_light(comparison, patched);
    } else {
      count_identity(report, std::move(identity), fmt::format("pair {}", pair));
    }
    if (report.light.taken() && pair <= comparison.counts.parts)
      run_parts(comparison, pair, stock, generator, stage);
    if (pair > 1 && identical) {
      comparison.runs.remove(stock);
      comparison.runs.remove(patched);
    }
  }
  if (!report.table_differences.empty()) {
    report.identity.identical = false;
    report.identity.could_not_compare.clear();
    auto& reasons = report.identity.reasons;
    reasons.insert(reasons.end(), report.table_differences.begin(), report.table_differences.end());
  }
  report.runs = {stock_runs, patched_runs};
  if (!generator.cpu_s.empty()) report.runs.push_back(generator);
  if (!stage.cpu_s.empty()) report.runs.push_back(stage);
  if (other_messages(first.stock.result.errors) != other_messages(first.patched.result.errors))
    add_note(report,
             "stock and patched wrote different messages to standard error (not part of the identity check)");
  return first;
}

void run_shipped(const Comparison& comparison, const CompletedRun& stock) {
  BuildRuns runs = runs_of(comparison.set, "stock-shipped", "stock-shipped");
  for (int i = 1; i <= comparison.counts.shipped; ++i) {
    const CompletedRun run = comparison.run("stock-shipped", std::to_string(i));
    count_in(runs, run.result);
    if (i == 1 && !compare_runs(stock, run).identical)
      add_note(comparison.report,
               fmt::format("stock as shipped and stock with flags {} leave different outputs",
                           comparison.set.flags));
    comparison.runs.remove(run);
  }
  comparison.report.runs.push_back(runs);
}

}  // namespace overlay
