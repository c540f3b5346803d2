// overlay production status, verify, collect: what a production's folder holds. Prints, and writes the page.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "overlay/production/audit.hpp"
#include "overlay/production/production_page.hpp"
#include "overlay/production/survey.hpp"
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

void print_issues(const Survey& summary) {
  constexpr std::size_t kMostLines = 20;
  for (std::size_t i = 0; i < std::min(kMostLines, summary.issues.size()); ++i)
    fmt::print("{:<10} run {}: {}\n", summary.issues[i].state, summary.issues[i].run,
               summary.issues[i].reason);
  if (summary.issues.size() > kMostLines)
    fmt::print("           and {} more\n", summary.issues.size() - kMostLines);
}

void print_counts(const ProductionPlan& plan, const Survey& summary) {
  fmt::print("production {}: {} of {} runs done ({}), {} at work, {} missing, {} rejected, {} poisoned\n",
             plan.name, summary.published, plan.run_count(), share(summary.published, plan.run_count()),
             summary.running, summary.missing, summary.rejected, summary.poisoned);
}

void print_status(const ProductionPlan& plan, const Survey& summary, const fs::path& folder) {
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
                                       [](const auto& group) { return group.node_class.empty(); });
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
void write_page(const ProductionPlan& plan, const Survey& summary, const fs::path& folder, const char* name) {
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

int verify_some(const ProductionPlan& plan, const VerifyRequest& request, VerifyDepth depth) {
  const auto digest = plan_digest(request.folder);
  bool right = true;
  for (const auto run : request.runs) {
    planned_run(plan, run);  // it has that run
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
  const auto summary = survey_of(plan, request.folder, VerifyDepth::sizes);
  if (request.pending > 0) {
    for (const auto& line : array_lines(summary.pending, plan.first_run, request.pending))
      fmt::print("{}\n", line);
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
    fmt::print("{:<10} run {}: {}\n", issue.state, issue.run, issue.reason);
    if (issue.state == "rejected" && !request.keep) set_aside(plan, request.folder, issue.run, issue.reason);
  }
  if (summary.rejected > 0 && !request.keep)
    fmt::print("           moved to {}/quarantine; the next submission makes these runs again\n",
               request.folder.string());
  for (const auto& stray : summary.strays) fmt::print("stray      {}\n", stray);
  right = right && summary.strays.empty() && summary.rejected + summary.poisoned == 0;
  return right && !summary.has_issue("stride") ? 0 : 1;
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
  fmt::print("manifest   {}\n", collected.manifest.string());
  return 0;
}

}  // namespace overlay
