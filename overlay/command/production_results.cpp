// Commands of overlay production on runs that were made: status, verify, collect, check-seeds. Prints what a
// production's folder holds, and writes its page.
#include <algorithm>
#include <ctime>
#include <span>
#include <thread>

#include "options.hpp"
#include "overlay/production/production.hpp"
#include "overlay/production/seeds.hpp"
#include "overlay/report/page.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace {

/// `overlay production status`.
struct StatusRequest {
  fs::path folder;
  std::int64_t pending = 0;  ///< above 0: print the runs that are not done, as job arrays of at most so many
  bool other_bits = false;   ///< print the hosts that ended runs with 69, joined by commas
  std::int64_t every = 0;    ///< above 0: again after so many seconds, until all runs are done
};

/// `overlay production verify`.
struct VerifyRequest {
  fs::path folder;
  std::vector<std::int64_t> runs;  ///< empty: all
  bool quick = false;              ///< sizes, not checksums
  bool keep = false;               ///< leave what is wrong where it is
};

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
      if (fs::is_regular_file(support::status_of(it->path()))) inner.insert(it->path());
    if (error) throw support::Error("cannot read the folder {} ({})", path.string(), error.message());
    files.insert(files.end(), inner.begin(), inner.end());
  }
  return files;
}

void print_issue(const RunIssue& issue) {
  fmt::print("{:<10} run {}: {}\n", issue.state, issue.run, issue.reason);
}

double now_s() { return static_cast<double>(std::time(nullptr)); }

void print_counts(const ProductionPlan& plan, const Survey& summary) {
  fmt::print("production {}: {} of {} runs done ({}), {}\n", plan.name, summary.of(kPublished),
             summary.planned, percent(summary.share(kPublished)), summary.not_done());
}

void print_status(const ProductionPlan& plan, const Survey& summary) {
  print_counts(plan, summary);
  constexpr std::size_t kMostLines = 20;
  std::ranges::for_each(std::span(summary.issues).first(std::min(kMostLines, summary.issues.size())),
                        print_issue);
  if (summary.issues.size() > kMostLines)
    fmt::print("           and {} more\n", summary.issues.size() - kMostLines);
  for (const auto& fact : production_facts(plan, summary, now_s())) fmt::print("           {}\n", fact);
  for (const auto& group : summary.groups)
    fmt::print("nodes      {} {}, {}\n", counted(group.hosts.size(), "host"),
               group.node_class.empty() ? "whose last bits were not measured (--processors any)"
                                        : "of class " + group.node_class.substr(0, 12),
               counted(static_cast<std::uint64_t>(group.runs), "run"));
  if (const auto audits = audits_of(plan.folder); !audits.empty())
    fmt::print("audits     {} of {} have the same bytes\n",
               std::ranges::count_if(audits, [](const auto& audit) { return audit.value("equal", false); }),
               audits.size());
}

/// The page beside the production's files; a folder that cannot be written to is no error of status.
void write_page(const ProductionPlan& plan, const Survey& summary, const char* name) {
  const auto page = plan.folder / name;
  try {
    support::write_file(page, production_page(plan, summary, now_s()));
    fmt::print("page       {}\n", page.string());
  } catch (const support::Error& problem) {
    fmt::print("page       none: {}\n", problem.what());
  }
}

int verify_some(const ProductionPlan& plan, const VerifyRequest& request, VerifyDepth depth) {
  bool right = true;
  for (const auto run : request.runs) {
    planned_run(plan, run);  // it has that run
    const auto found = verify_run(plan, run, depth);
    right = right && found.state == kPublished;
    fmt::print("run {} is {}{}{}\n", run, found.state == kPublished ? "done" : found.state,
               found.reason.empty() ? "" : ": ", found.reason);
    if (found.state == kRejected && !request.keep) set_aside(plan, run, found.reason);
  }
  return right ? 0 : 1;
}

int run_production_status(const StatusRequest& request) {
  for (;;) {
    const auto plan = read_plan(request.folder);
    const auto summary = survey_of(plan, VerifyDepth::sizes);
    if (request.pending > 0) {
      for (const auto& line : array_lines(summary.pending, plan.ranges[0].first_run, request.pending))
        fmt::print("{}\n", line);
      if (summary.of(kPoisoned) > 0)
        fmt::print(stderr, "overlay: {} poisoned runs are left out\n", summary.of(kPoisoned));
      return 0;
    }
    if (request.other_bits) {
      fmt::print("{}\n", fmt::join(summary.other_bits, ","));
      return 0;
    }
    print_status(plan, summary);
    write_page(plan, summary, "status.html");
    if (request.every <= 0 || summary.complete()) return 0;
    std::fflush(stdout);
    for (std::int64_t i = 0; i < request.every; ++i) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      support::check_interrupt();
    }
  }
}

/// `overlay production log`.
struct LogRequest {
  fs::path folder;
  std::int64_t run = 0;
};

int run_production_log(const LogRequest& request) {
  const auto log = last_log(read_plan(request.folder), request.run);
  fmt::print("{}\n{}\n", log.head, log.file.empty() ? "No log of it was kept." : "");
  const auto print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  if (log.file.extension() == ".zst")
    unpack_file(request.folder / log.file, print);
  else if (!log.file.empty())
    print(support::read_file(request.folder / log.file));
  return 0;
}

void declare_log(CLI::App& production, Chosen& chosen) {
  auto [options, request] = production_command<LogRequest>(
      production, chosen, "log", "Prints the log of a run's last attempt, why it failed first",
      run_production_log);
  options.value("run", request.run, "RUN", "the run's number").necessary().decimal();
}

void declare_status(CLI::App& production, Chosen& chosen) {
  auto [options, request] = production_command<StatusRequest>(
      production, chosen, "status", "What is done, at work, missing, rejected, poisoned",
      run_production_status);
  options
      .value("--pending", request.pending, "N",
             "print the runs that are not done instead, as base and tasks of job arrays of N")
      .flag("--other-bits", request.other_bits,
            "print the hosts whose last bits differ instead, joined by commas")
      .value("--every", request.every, "SECONDS", "again after so many seconds, until all runs are done");
}

int run_production_verify(const VerifyRequest& request) {
  const auto plan = read_plan(request.folder);
  const auto depth = request.quick ? VerifyDepth::sizes : VerifyDepth::digests;
  if (!request.runs.empty()) return verify_some(plan, request, depth);
  bool right = true;
  if (!request.quick)
    for (const auto& change : changed_files(plan)) {
      fmt::print("changed    {}\n", change);
      right = false;
    }
  const auto summary = survey_of(plan, depth);
  print_counts(plan, summary);
  for (const auto& issue : summary.issues) {
    if (issue.state == "failed") continue;
    right = false;
    print_issue(issue);
    if (issue.state == kRejected && !request.keep) set_aside(plan, issue.run, issue.reason);
  }
  if (summary.of(kRejected) > 0 && !request.keep)
    fmt::print("           moved to {}/quarantine; the next submission makes these runs again\n",
               request.folder.string());
  return right ? 0 : 1;
}

void declare_verify(CLI::App& production, Chosen& chosen) {
  auto [options, request] = production_command<VerifyRequest>(
      production, chosen, "verify", "Checks every file of every published run; sets wrong runs aside",
      run_production_verify);
  options
      .value("--run", request.runs, "RUN", "only this run; 1 where it is not done and right; may be repeated")
      .many()
      .decimal()
      .flag("--quick", request.quick, "manifests and sizes, not checksums")
      .flag("--keep", request.keep, "leave wrong runs where they are");
}

int run_production_collect(const CollectRequest& request) {
  const auto plan = read_plan(request.folder);
  const auto collected = collect_production(plan, request);
  print_counts(plan, collected.survey);
  fmt::print("content    {}\n", collected.content_sha256);
  if (collected.lists > 0)
    fmt::print("lists      {} in {}\n", collected.lists, (request.folder / "lists").string());
  write_page(plan, collected.survey, "production.html");
  fmt::print("manifest   {}\n", (request.folder / "production-manifest.json").string());
  return 0;
}

void declare_collect(CLI::App& production, Chosen& chosen) {
  auto [options, request] = production_command<CollectRequest>(
      production, chosen, "collect", "One manifest of all runs; fails unless all are done",
      run_production_collect);
  options.flag("--accept-partial", request.accept_partial, "collect what there is; the manifest says so")
      .flag("--digests", request.digests, "read all files, not just their sizes")
      .value("--list", request.list, "N", "write lists of files, of N runs each");
}

int run_production_check_seeds(const std::vector<fs::path>& given) {
  const auto files = files_of(given);
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

void declare_check_seeds(CLI::App& production, Chosen& chosen) {
  const auto files = std::make_shared<std::vector<fs::path>>();
  Options(production, chosen, "check-seeds",
          "Lists runs, of any production, that share random numbers; 1 where any do",
          [files] { return run_production_check_seeds(*files); })
      .value("files", *files, "FILE...",
             "cards, logs, particle or telescope files, folders of them, or productions")
      .files();
}

}  // namespace

void declare_production_results(CLI::App& production, Chosen& chosen) {
  declare_status(production, chosen);
  declare_log(production, chosen);
  declare_verify(production, chosen);
  declare_collect(production, chosen);
  declare_check_seeds(production, chosen);
}

}  // namespace overlay
