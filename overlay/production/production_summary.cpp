// Sums of a production: counts, times, sizes, nodes. Computes only.
#include "overlay/production/production_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>

namespace overlay {

ProductionSummary::ProductionSummary(const ProductionPlan& plan) : plan_(plan) {
  published_of.resize(plan.settings.size());
}

void ProductionSummary::add(const ScannedRun& run) {
  bool at_work = false;
  const Attempt* last_failed = nullptr;
  for (const auto& attempt : run.attempts) {
    if (attempt.outcome == "running") {
      at_work = true;
      continue;
    }
    ++failed_attempts;
    ++outcomes[attempt.outcome];
    if (attempt.outcome == "other-bits") other_bits.insert(attempt.host);
    last_failed = &attempt;
  }
  switch (run.state.kind) {
    case RunState::Kind::published:
      if (run.state.manifest) add_published(*run.state.manifest);
      return;
    case RunState::Kind::rejected:
      ++rejected;
      add_issue({run.number, "rejected", run.state.reason});
      return;
    case RunState::Kind::poisoned:
      ++poisoned;
      add_issue({run.number, "poisoned", run.state.reason});
      return;
    case RunState::Kind::missing:
      ++(at_work ? running : missing);
      if (last_failed != nullptr && !at_work) add_issue({run.number, "failed", last_failed->reason});
      return;
  }
}

void ProductionSummary::check_stride(const RunManifest& manifest) {
  if (plan_.seeds != SeedMode::offsets) return;
  // As many in all sequences together: then no sequence drew more.
  const auto draws = manifest.generator.find("draws");
  std::int64_t drawn = -1;
  if (draws != manifest.generator.end())
    std::from_chars(draws->second.data(), draws->second.data() + draws->second.size(), drawn);
  if (drawn >= 0 && drawn <= plan_.stride) return;
  ++over_stride;
  add_issue(
      {manifest.run, "stride",
       drawn < 0
           ? "how many numbers it drew is not known: it may have used those of the next run"
           : fmt::format("it drew {} numbers, and runs are {} apart: it may have used those of the next run",
                         drawn, plan_.stride)});
}

void ProductionSummary::add_published(const RunManifest& manifest) {
  ++published;
  check_stride(manifest);
  if (manifest.setting < published_of.size()) ++published_of[manifest.setting];
  RunFigures run;
  run.run = manifest.run;
  run.began_s = seconds_of_utc(manifest.cost.began);
  run.ended_s = seconds_of_utc(manifest.cost.ended);
  run.wall_s = static_cast<float>(manifest.cost.wall_s);
  const double cpu = manifest.cost.user_s + manifest.cost.system_s;
  run.cpu_s = static_cast<float>(cpu);
  run.peak_mib = static_cast<float>(manifest.cost.peak_rss_kib) / 1024.F;
  run.setting = static_cast<std::uint32_t>(manifest.setting);
  for (const auto& file : manifest.files) {
    run.packed_bytes += file.packed_bytes;
    bytes += file.bytes;
  }
  packed_bytes += run.packed_bytes;
  cpu_s += cpu;
  wall_s += manifest.cost.wall_s;
  figures.push_back(run);
  auto group = std::find_if(groups.begin(), groups.end(),
                            [&](const auto& each) { return each.node == manifest.node; });
  if (group == groups.end()) group = groups.insert(groups.end(), NodeGroup{manifest.node, 0, {}, {}});
  ++group->runs;
  group->hosts.insert(manifest.host);
  group->processors.insert(manifest.processor);
}

void ProductionSummary::add_issue(RunIssue issue) {
  if (issues.size() < kMostIssues)
    issues.push_back(std::move(issue));
  else
    ++issues_left_out;
}

void ProductionSummary::finish() {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.runs > b.runs; });
}

std::vector<Outlier> ProductionSummary::outliers(double times, std::size_t most) const {
  constexpr std::size_t kLeastRuns = 8;  // below, a median says little
  std::vector<std::vector<double>> walls(plan_.settings.size()), sizes(plan_.settings.size());
  for (const auto& run : figures) {
    if (run.setting >= walls.size()) continue;
    walls[run.setting].push_back(run.wall_s);
    sizes[run.setting].push_back(static_cast<double>(run.packed_bytes));
  }
  std::vector<double> wall_median, size_median;
  for (std::size_t i = 0; i < walls.size(); ++i) {
    const bool enough = walls[i].size() >= kLeastRuns;
    wall_median.push_back(enough ? support::median(std::move(walls[i])) : 0.);
    size_median.push_back(enough ? support::median(std::move(sizes[i])) : 0.);
  }
  std::vector<Outlier> found;
  const auto look = [&](const RunFigures& run, double value, double median, const char* what) {
    if (median > 0 && value > times * median) found.push_back({run, what, value / median});
  };
  for (const auto& run : figures) {
    if (run.setting >= wall_median.size()) continue;
    look(run, run.wall_s, wall_median[run.setting], "time");
    look(run, static_cast<double>(run.packed_bytes), size_median[run.setting], "size");
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.times > b.times; });
  if (found.size() > most) found.resize(most);
  return found;
}

std::optional<EndEstimate> ProductionSummary::estimate(std::int64_t now_s) const {
  constexpr std::int64_t kHour = 3600;
  std::int64_t ended = 0, began = now_s;
  for (const auto& run : figures) {
    if (run.began_s > 0) began = std::min(began, run.began_s);
    if (run.ended_s > now_s - kHour && run.ended_s <= now_s) ++ended;
  }
  const auto left = plan_.run_count() - published;
  if (ended == 0 || left <= 0) return std::nullopt;
  const double span = static_cast<double>(std::max<std::int64_t>(1, std::min(kHour, now_s - began)));
  const double rate = static_cast<double>(ended) / span;
  return EndEstimate{rate * static_cast<double>(kHour),
                     now_s + static_cast<std::int64_t>(static_cast<double>(left) / rate)};
}

std::optional<StockGain> gain_over_stock(const std::vector<AuditedRun>& audits) {
  std::vector<double> stock, published;
  for (const auto& audit : audits) {
    if (audit.kind != "stock" || !(audit.audit_cpu_s > 0) || !(audit.published_cpu_s > 0)) continue;
    stock.push_back(audit.audit_cpu_s);
    published.push_back(audit.published_cpu_s);
  }
  if (stock.empty()) return std::nullopt;
  return StockGain{support::paired_ratio(stock, published), static_cast<std::int64_t>(stock.size())};
}

std::string text_of(const StockGain& gain) {
  const auto& ratio = gain.ratio;
  const std::string interval =
      ratio.has_interval ? fmt::format(" ({:.2f} to {:.2f})", ratio.low, ratio.high) : "";
  return fmt::format("{:.2f} times stock's throughput{}, {} audited with stock", ratio.value, interval,
                     gain.runs == 1 ? "1 run" : fmt::format("the median of {} runs", gain.runs));
}

std::int64_t seconds_of_utc(const std::string& text) {
  std::tm day{};
  char end = '\0';
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%c", &day.tm_year, &day.tm_mon, &day.tm_mday,
                  &day.tm_hour, &day.tm_min, &day.tm_sec, &end) != 7 ||
      end != 'Z')
    return 0;
  day.tm_year -= 1900;
  day.tm_mon -= 1;
  return static_cast<std::int64_t>(timegm(&day));
}

std::string utc_of_seconds(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm day{};
  char text[32] = "";
  if (gmtime_r(&time, &day) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &day);
  return text;
}

std::string range_text(const std::vector<std::int64_t>& runs) {
  std::string text;
  for (std::size_t at = 0; at < runs.size();) {
    auto end = at + 1;
    while (end < runs.size() && runs[end] == runs[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", runs[at]);
    if (end - at > 1) text += fmt::format("-{}", runs[end - 1]);
    at = end;
  }
  return text;
}

std::vector<std::string> array_lines(const std::vector<std::int64_t>& pending, std::int64_t first_run,
                                     std::int64_t size) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < pending.size();) {
    const auto base = first_run + (pending[at] - first_run) / size * size;
    std::vector<std::int64_t> tasks;
    for (; at < pending.size() && pending[at] < base + size; ++at) tasks.push_back(pending[at] - base);
    lines.push_back(fmt::format("{} {}", base, range_text(tasks)));
  }
  return lines;
}

}  // namespace overlay
