// overlay production: thousands of runs of one plan, on a cluster or here. Prints what was done and what a
// production's folder holds, and writes its page.
#include <algorithm>
#include <ctime>

#include "commands.hpp"
#include "overlay/production/json_record.hpp"
#include "overlay/production/seeds.hpp"
#include "overlay/report/page.hpp"
#include "production_commands.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// "1 run", "3,000 runs" without the comma: numbers as other programs read them.
std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// The files to read: a folder that is no production stands for all files in it, by name.
std::vector<fs::path> files_of(const std::vector<fs::path>& given) {
  std::vector<fs::path> files;
  for (const auto& path : given) {
    std::error_code error;
    if (!fs::is_directory(path, error) || fs::exists(path / "production.toml", error)) {
      files.push_back(path);
      continue;
    }
    std::set<fs::path> inner;
    for (fs::recursive_directory_iterator it(path, error), end; !error && it != end; it.increment(error))
      if (it->is_regular_file()) inner.insert(it->path());
    if (error) throw support::Error("cannot read the folder {} ({})", path.string(), error.message());
    files.insert(files.end(), inner.begin(), inner.end());
  }
  return files;
}

std::string hours(double seconds) {
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.1f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

std::string size_text(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  return fmt::format("{:.1f} {}", bytes, units[unit]);
}

void print_issues(const Survey& summary) {
  constexpr std::size_t kMostLines = 20;
  for (std::size_t i = 0; i < std::min(kMostLines, summary.issues.size()); ++i)
    fmt::print("{:<10} run {}: {}\n", summary.issues[i].state, summary.issues[i].run,
               summary.issues[i].reason);
  if (summary.issues.size() > kMostLines)
    fmt::print("           and {} more\n", summary.issues.size() - kMostLines);
}

void print_counts(const ProductionPlan& plan, const Survey& summary) {
  fmt::print("production {}: {} of {} runs done ({}), {}\n", plan.name, summary.of(kPublished),
             plan.run_count(),
             percent(static_cast<double>(summary.of(kPublished)) / static_cast<double>(plan.run_count())),
             summary.not_done());
}

void print_status(const ProductionPlan& plan, const Survey& summary, const fs::path& folder) {
  print_counts(plan, summary);
  if (summary.failed_attempts > 0) {
    std::vector<std::string> kinds;
    for (const auto& [outcome, count] : summary.outcomes)
      kinds.push_back(fmt::format("{} {}", count, outcome));
    fmt::print("attempts   {} failed: {}\n", summary.failed_attempts, fmt::join(kinds, ", "));
  }
  print_issues(summary);
  if (const double runs = static_cast<double>(summary.of(kPublished)); runs > 0) {
    const double showers = runs * static_cast<double>(plan.showers);
    fmt::print("time       {} CPU a shower, {} a run, {} in sum\n", hours(summary.cpu_s / showers),
               hours(summary.wall_s / runs), hours(summary.cpu_s));
    fmt::print("size       {}; {} before compression\n", size_text(static_cast<double>(summary.packed_bytes)),
               size_text(static_cast<double>(summary.bytes)));
    std::size_t hosts = 0;
    bool measured = true;
    for (const auto& group : summary.groups) {
      hosts += group.hosts.size();
      measured = measured && !group.node_class.empty();
    }
    const auto classes = static_cast<std::int64_t>(summary.groups.size());
    fmt::print("nodes      {}, {}\n", counted(static_cast<std::int64_t>(hosts), "host", "hosts"),
               measured ? counted(classes, "class of last bits", "classes of last bits")
                        : "last bits not measured (--processors any)");
  }
  const auto audits = audits_of(folder);
  const auto equal = std::count_if(audits.begin(), audits.end(),
                                   [](const auto& audit) { return audit.at("equal") == true; });
  if (!audits.empty()) fmt::print("audits     {} of {} have the same bytes\n", equal, audits.size());
  if (const auto gain = gain_over_stock(audits)) fmt::print("gain       {}\n", text_of(*gain));
  const auto estimate = summary.estimate(static_cast<std::int64_t>(std::time(nullptr)));
  if (estimate)
    fmt::print("end        about {}, at {:.0f} runs an hour\n", utc_of_seconds(estimate->end_s),
               estimate->runs_per_hour);
  else if (!summary.complete())
    fmt::print("end        not known: no run ended within the last hour\n");
}

/// The page beside the production's files; a folder that cannot be written to is no error of status.
void write_page(const ProductionPlan& plan, const Survey& summary, const fs::path& folder, const char* name) {
  try {
    const auto document = production_document(plan, summary, folder, std::time(nullptr));
    support::write_file(folder / fmt::format("{}.json", name), text_of(document) + "\n");
    support::write_file(folder / fmt::format("{}.html", name), production_page(document));
    fmt::print("page       {}\n", (folder / fmt::format("{}.html", name)).string());
  } catch (const support::Error& problem) {
    fmt::print("page       none: {}\n", problem.what());
  }
}

int verify_some(const ProductionPlan& plan, const VerifyRequest& request, VerifyDepth depth) {
  const auto digest = plan_digest(request.folder);
  bool right = true;
  for (const auto run : request.runs) {
    planned_run(plan, run);  // it has that run
    const auto found = verify_run(plan, request.folder, digest, run, depth);
    right = right && found.state == kPublished;
    fmt::print("run {} is {}{}{}\n", run, found.state == kPublished ? "done" : found.state,
               found.reason.empty() ? "" : ": ", found.reason);
    if (found.state == kRejected && !request.keep) set_aside(plan, request.folder, run, found.reason);
  }
  return right ? 0 : 1;
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
  fmt::print("next       {}\n", emit_production(request));
  return 0;
}

int run_production_run(const WorkRequest& request) {
  try {
    fmt::print("{}\n", work_on_run(request.folder, request.run, request.scratch));
    return 0;
  } catch (const WorkerError& error) {
    fmt::print(stderr, "overlay: error: {}\n", error.what());
    return static_cast<int>(error.status);
  }
}

int run_production_libm_bits() {
  fmt::print("{}\n", libm_bits());
  return 0;
}

int run_production_audit(const AuditRequest& request) {
  const auto audits = audit_production(request);
  bool equal = true;
  for (const auto& run : audits) {
    const auto text = [&](const char* member) { return run.at(member).get<std::string>(); };
    const std::string what =
        fmt::format("run {} ({}), made on {}", run.at("run").dump(), text("kind"), text("made_on"));
    if (run.at("equal"))
      fmt::print("equal      {}, again on {}\n", what, text("audited_on"));
    else
      fmt::print(stderr, "overlay: error: {}, is not what {} makes: {}\n", what, text("audited_on"),
                 text("reason"));
    equal = equal && run.at("equal");
  }
  if (const auto gain = gain_over_stock(audits)) fmt::print("gain       {}\n", text_of(*gain));
  return equal ? 0 : 1;
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

int run_production_status(StatusRequest request) {
  const auto plan = read_plan(request.folder);
  const auto summary = survey_of(plan, request.folder, VerifyDepth::sizes);
  if (request.pending > 0) {
    for (const auto& line : array_lines(summary.pending, plan.first_run, request.pending))
      fmt::print("{}\n", line);
    if (summary.of(kPoisoned) > 0)
      fmt::print(stderr, "overlay: {} poisoned runs are left out\n", summary.of(kPoisoned));
    return 0;
  }
  if (request.other_bits) {
    fmt::print("{}\n", fmt::join(summary.other_bits, ","));
    return 0;
  }
  print_status(plan, summary, request.folder);
  for (const auto& stray : summary.strays) fmt::print("stray      {}\n", stray);
  write_page(plan, summary, request.folder, "status");
  return 0;
}

int run_production_verify(VerifyRequest request) {
  const auto plan = read_plan(request.folder);
  const auto depth = request.quick ? VerifyDepth::sizes : VerifyDepth::digests;
  if (!request.runs.empty()) return verify_some(plan, request, depth);
  bool right = true;
  if (!request.quick)
    for (const auto& change : changed_files(plan, request.folder)) {
      fmt::print("changed    {}\n", change);
      right = false;
    }
  const auto summary = survey_of(plan, request.folder, depth);
  print_counts(plan, summary);
  for (const auto& issue : summary.issues) {
    if (issue.state == "failed") continue;
    right = false;
    fmt::print("{:<10} run {}: {}\n", issue.state, issue.run, issue.reason);
    if (issue.state == kRejected && !request.keep) set_aside(plan, request.folder, issue.run, issue.reason);
  }
  if (summary.of(kRejected) > 0 && !request.keep)
    fmt::print("           moved to {}/quarantine; the next submission makes these runs again\n",
               request.folder.string());
  for (const auto& stray : summary.strays) fmt::print("stray      {}\n", stray);
  return right && summary.strays.empty() ? 0 : 1;
}

int run_production_collect(CollectRequest request) {
  const auto plan = read_plan(request.folder);
  const auto collected = collect_production(plan, request);
  print_counts(plan, collected.survey);
  for (const auto& stray : collected.survey.strays) fmt::print("stray      {}\n", stray);
  fmt::print("content    {}\n", collected.content_sha256);
  if (collected.lists > 0)
    fmt::print("lists      {} in {}\n", collected.lists, (request.folder / "lists").string());
  write_page(plan, collected.survey, request.folder, "production");
  fmt::print("manifest   {}\n", (request.folder / "production-manifest.json").string());
  return 0;
}

}  // namespace overlay
