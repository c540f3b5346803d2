// overlay production status, verify, collect: what a production's folder holds. Prints, and writes the page.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "overlay/production/production_page.hpp"
#include "overlay/production/production_summary.hpp"
#include "production_commands.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

std::string share(std::int64_t part, std::int64_t whole) {
  return fmt::format("{:.1f}%", 100. * static_cast<double>(part) / static_cast<double>(whole));
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

void print_issues(const ProductionSummary& summary) {
  constexpr std::size_t kMostLines = 20;
  for (std::size_t i = 0; i < std::min(kMostLines, summary.issues.size()); ++i)
    fmt::print("{:<10} run {}: {}\n", summary.issues[i].state, summary.issues[i].run,
               summary.issues[i].reason);
  const auto all = static_cast<std::int64_t>(summary.issues.size()) + summary.issues_left_out;
  if (all > static_cast<std::int64_t>(kMostLines))
    fmt::print("           and {} more\n", all - static_cast<std::int64_t>(kMostLines));
}

void print_counts(const ProductionPlan& plan, const ProductionSummary& summary) {
  fmt::print("production {}: {} of {} runs done ({}), {} at work, {} missing, {} rejected, {} poisoned\n",
             plan.name, summary.published, plan.run_count(), share(summary.published, plan.run_count()),
             summary.running, summary.missing, summary.rejected, summary.poisoned);
}

void print_status(const ProductionPlan& plan, const ProductionSummary& summary, const fs::path& folder) {
  print_counts(plan, summary);
  if (summary.failed_attempts > 0) {
    std::string kinds;
    for (const auto& [outcome, count] : summary.outcomes)
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, outcome);
    fmt::print("attempts   {} failed: {}\n", summary.failed_attempts, kinds);
  }
  print_issues(summary);
  if (summary.published > 0) {
    const double showers = static_cast<double>(summary.published) * static_cast<double>(plan.showers);
    fmt::print("time       {} CPU a shower, {} a run, {} in sum\n", hours(summary.cpu_s / showers),
               hours(summary.wall_s / static_cast<double>(summary.published)), hours(summary.cpu_s));
    fmt::print("size       {}; {} before compression\n", size_text(static_cast<double>(summary.packed_bytes)),
               size_text(static_cast<double>(summary.bytes)));
    std::size_t hosts = 0;
    for (const auto& group : summary.groups) hosts += group.hosts.size();
    const bool measured = std::none_of(summary.groups.begin(), summary.groups.end(),
                                       [](const auto& group) { return group.node.libm.empty(); });
    fmt::print("nodes      {} {}, {}\n", hosts, hosts == 1 ? "host" : "hosts",
               measured ? fmt::format("{} {} of last bits", summary.groups.size(),
                                      summary.groups.size() == 1 ? "class" : "classes")
                        : "last bits not measured (--processors any)");
  }
  const auto audits = audits_of(folder);
  const auto equal =
      std::count_if(audits.begin(), audits.end(), [](const auto& audit) { return audit.equal; });
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
void write_page(const ProductionPlan& plan, const ProductionSummary& summary, const fs::path& folder,
                const char* name) {
  try {
    const auto document =
        production_document(plan, summary, folder, static_cast<std::int64_t>(std::time(nullptr)));
    support::write_file(folder / fmt::format("{}.json", name), document);
    support::write_file(folder / fmt::format("{}.html", name), production_page(document));
    fmt::print("page       {}\n", (folder / fmt::format("{}.html", name)).string());
  } catch (const support::Error& problem) {
    fmt::print("page       none: {}\n", problem.what());
  }
}

ProductionSummary summed_up(const ProductionPlan& plan, const fs::path& folder,
                            std::vector<std::int64_t>* pending, std::vector<std::string>& strays) {
  ProductionSummary summary(plan);
  strays = scan_runs(plan, folder, VerifyDepth::sizes, [&](const ScannedRun& run) {
    summary.add(run);
    const auto kind = run.state.kind;
    if (pending != nullptr && (kind == RunState::Kind::missing || kind == RunState::Kind::rejected))
      pending->push_back(run.number);
  });
  summary.finish();
  return summary;
}

int verify_some(const ProductionPlan& plan, const VerifyRequest& request, VerifyDepth depth) {
  const auto digest = plan_digest(request.folder);
  bool right = true;
  for (const auto run : request.runs) {
    if (!plan.has_run(run))
      throw support::Error(fmt::format("production {} has no run {}; it has runs {} to {}", plan.name, run,
                                       plan.first_run, plan.last_run()));
    const auto state = verify_run(plan, request.folder, digest, run, depth);
    right = right && state.kind == RunState::Kind::published;
    if (state.kind == RunState::Kind::published) fmt::print("run {} is done\n", run);
    if (state.kind == RunState::Kind::missing) fmt::print("run {} is missing\n", run);
    if (state.kind == RunState::Kind::rejected || state.kind == RunState::Kind::poisoned)
      fmt::print("run {} is {}: {}\n", run, state.kind == RunState::Kind::rejected ? "rejected" : "poisoned",
                 state.reason);
    if (state.kind == RunState::Kind::rejected && !request.keep)
      set_aside(plan, request.folder, run, state.reason);
  }
  return right ? 0 : 1;
}

}  // namespace

int run_production_status(StatusRequest request) {
  const auto plan = read_plan(request.folder);
  std::vector<std::int64_t> pending;
  std::vector<std::string> strays;
  const auto summary = summed_up(plan, request.folder, &pending, strays);
  if (request.pending > 0) {
    for (const auto& line : array_lines(pending, plan.first_run, request.pending)) fmt::print("{}\n", line);
    if (summary.poisoned > 0)
      fmt::print(stderr, "overlay: {} poisoned runs are left out\n", summary.poisoned);
    return 0;
  }
  if (request.other_bits) {
    std::string hosts;
    for (const auto& host : summary.other_bits) hosts += (hosts.empty() ? "" : ",") + host;
    fmt::print("{}\n", hosts);
    return 0;
  }
  print_status(plan, summary, request.folder);
  for (const auto& stray : strays) fmt::print("stray      {}\n", stray);
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
  ProductionSummary summary(plan);
  std::vector<std::pair<std::int64_t, std::string>> wrong;
  const auto strays = scan_runs(plan, request.folder, depth, [&](const ScannedRun& run) {
    summary.add(run);
    if (run.state.kind == RunState::Kind::rejected) wrong.emplace_back(run.number, run.state.reason);
  });
  print_counts(plan, summary);
  for (const auto& [run, reason] : wrong) {
    fmt::print("rejected   run {}: {}\n", run, reason);
    if (!request.keep) set_aside(plan, request.folder, run, reason);
  }
  if (!wrong.empty() && !request.keep)
    fmt::print("           moved to {}/quarantine; the next submission makes these runs again\n",
               request.folder.string());
  for (const auto& issue : summary.issues)
    if (issue.state == "poisoned" || issue.state == "stride")
      fmt::print("{:<10} run {}: {}\n", issue.state, issue.run, issue.reason);
  for (const auto& stray : strays) fmt::print("stray      {}\n", stray);
  return right && wrong.empty() && strays.empty() && summary.poisoned == 0 && summary.over_stride == 0 ? 0
                                                                                                       : 1;
}

int run_production_collect(CollectRequest request) {
  const auto plan = read_plan(request.folder);
  const auto collected = collect_production(plan, request);
  print_counts(plan, collected.summary);
  for (const auto& stray : collected.strays) fmt::print("stray      {}\n", stray);
  fmt::print("content    {}\n", collected.content_sha256);
  if (collected.lists > 0)
    fmt::print("lists      {} in {}\n", collected.lists, (request.folder / "lists").string());
  write_page(plan, collected.summary, request.folder, "production");
  fmt::print("manifest   {}\n", collected.manifest.string());
  return 0;
}

}  // namespace overlay
