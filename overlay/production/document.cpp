// The document of what a production's page shows, as JSON: counts, distributions, outliers, nodes, audits.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>

#include "overlay/card/card.hpp"
#include "overlay/production/production.hpp"

namespace overlay {
namespace {

using nlohmann::ordered_json;

constexpr double kMebibyte = 1024. * 1024.;

/// Numbers of values in bins of one width from `low` to `high`; the last bin holds those beyond, too.
ordered_json counts_in_bins(const std::vector<double>& values, double low, double high, std::size_t bins) {
  std::vector<std::int64_t> counts(bins);
  for (const double value : values)
    ++counts[static_cast<std::size_t>(std::clamp((value - low) / (high - low) * static_cast<double>(bins), 0.,
                                                 static_cast<double>(bins - 1)))];
  return {{"most", *std::max_element(counts.begin(), counts.end())}, {"counts", counts}};
}

/// The distribution of values from the least to the greatest one, or to half as much again as nearly all
/// have.
ordered_json histogram_of(const std::vector<double>& values, const char* unit) {
  constexpr std::size_t kLeast = 3, kBins = 24;
  constexpr double kNearlyAll = 0.99, kRoom = 1.5;
  if (values.size() < kLeast) return nullptr;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const double low = *least, end = std::min(*greatest, kRoom * support::quantile(values, kNearlyAll));
  const double high = end > low ? end : low + std::max(1e-3, std::abs(low) * 1e-3);
  ordered_json histogram{{"unit", unit}, {"low", low}, {"high", high}, {"median", support::median(values)}};
  histogram.update(counts_in_bins(values, low, high, kBins));
  const auto beyond = std::count_if(values.begin(), values.end(), [&](double value) { return value > high; });
  if (beyond > 0) histogram["beyond"] = beyond;
  return histogram;
}

/// Runs that ended, in intervals of one length from the first to the last.
ordered_json rate_of(const std::vector<RunFigures>& figures) {
  constexpr std::size_t kBars = 48;
  std::vector<double> ends;
  for (const auto& run : figures)
    if (run.ended_s > 0) ends.push_back(static_cast<double>(run.ended_s));
  const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
  if (first == last || *first == *last) return nullptr;
  ordered_json rate{{"from", utc_of_seconds(static_cast<std::int64_t>(*first))},
                    {"to", utc_of_seconds(static_cast<std::int64_t>(*last))},
                    {"seconds_of_bar", (*last - *first) / static_cast<double>(kBars)}};
  rate.update(counts_in_bins(ends, *first, *last, kBars));
  return rate;
}

/// A figure of published runs, by setting.
std::vector<std::vector<double>> by_setting(const ProductionPlan& plan, const Survey& survey,
                                            const auto& value_of) {
  std::vector<std::vector<double>> values(plan.settings.size());
  for (const auto& run : survey.figures)
    if (run.setting < values.size()) values[run.setting].push_back(static_cast<double>(value_of(run)));
  return values;
}

double wall_of(const RunFigures& run) { return run.wall_s; }
double cpu_of(const RunFigures& run) { return run.cpu_s; }
double size_of(const RunFigures& run) { return static_cast<double>(run.packed_bytes) / kMebibyte; }

ordered_json settings_of(const ProductionPlan& plan, const Survey& survey) {
  const auto walls = by_setting(plan, survey, wall_of), cpu = by_setting(plan, survey, cpu_of),
             sizes = by_setting(plan, survey, size_of);
  auto settings = ordered_json::array();
  for (std::size_t i = 0; i < plan.settings.size(); ++i) {
    const auto& setting = plan.settings[i];
    ordered_json entry{
        {"primary", setting.primary},
        {"particle", particle_name(setting.primary)},
        {"zenith", setting.zenith},
        {"planned", plan.runs_of_setting()},
        {"published", survey.published_of[i]},
        {"share", static_cast<double>(survey.published_of[i]) / static_cast<double>(plan.runs_of_setting())}};
    if (setting.atmosphere > 0) entry["atmosphere"] = setting.atmosphere;
    if (!walls[i].empty()) {
      entry["cpu_s_of_shower"] = std::accumulate(cpu[i].begin(), cpu[i].end(), 0.) /
                                 (static_cast<double>(cpu[i].size()) * static_cast<double>(plan.showers));
      entry["wall_s"] = support::median(walls[i]);
      entry["size_mib"] = support::median(sizes[i]);
    }
    settings.push_back(std::move(entry));
  }
  return settings;
}

/// Where the log of a published run is, as pack_outputs() names it.
std::string published_log(const ProductionPlan& plan, std::int64_t run) {
  return (results_folder(plan, run) / (run_name(run) + ".log.zst")).generic_string();
}

/// Runs that took more than twice their setting's median time or size; the furthest first. Settings with few
/// runs are left out.
ordered_json outliers_on_page(const ProductionPlan& plan, const Survey& survey) {
  constexpr std::size_t kLeastRuns = 8, kMost = 20;  // below, a median says little
  std::vector<ordered_json> found;
  for (const auto& [what, value_of] : {std::pair{"time", &wall_of}, {"size", &size_of}}) {
    const auto values = by_setting(plan, survey, value_of);
    std::vector<double> medians;
    for (const auto& each : values) medians.push_back(each.size() < kLeastRuns ? 0. : support::median(each));
    for (const auto& run : survey.figures) {
      const double median = run.setting < medians.size() ? medians[run.setting] : 0.;
      if (median > 0 && value_of(run) > 2 * median)
        found.push_back({{"run", run.run},
                         {"what", what},
                         {"times", value_of(run) / median},
                         {"zenith", plan.settings[run.setting].zenith},
                         {"wall_s", run.wall_s},
                         {"size_mib", size_of(run)},
                         {"log", published_log(plan, run.run)}});
    }
  }
  std::ranges::stable_sort(found, std::greater(),
                           [](const ordered_json& run) { return run.at("times").get<double>(); });
  found.resize(std::min(kMost, found.size()));
  return found;
}

/// The log that the page links to, in the production's folder; of a run that failed its last one, empty where
/// none is kept.
std::string log_of(const ProductionPlan& plan, const std::filesystem::path& folder, std::int64_t run) {
  try {
    return last_log(plan, folder, run).file.generic_string();
  } catch (const support::Error&) {  // its manifest is damaged, or the attempt is gone
    return {};
  }
}

std::string state_in_words(const Survey& survey) {
  if (survey.complete()) return "complete";
  if (survey.of(kRejected) + survey.of(kPoisoned) > 0) return "trouble";
  return survey.of(kPublished) + survey.of(kRunning) > 0 ? "going" : "planned";
}

}  // namespace

ordered_json production_document(const ProductionPlan& plan, const Survey& survey,
                                 const std::filesystem::path& folder, std::int64_t now_s) {
  const std::int64_t published = survey.of(kPublished);
  std::vector<double> walls, sizes;
  double memory = 0;
  for (const auto& run : survey.figures) {
    walls.push_back(wall_of(run));
    sizes.push_back(static_cast<double>(run.packed_bytes));
    memory = std::max<double>(memory, run.peak_mib);
  }
  constexpr std::size_t kMostIssues = 50, kMostLogs = 10'000;
  auto issues = ordered_json::array();
  for (const auto& issue : survey.issues | std::views::take(kMostIssues)) {
    issues.push_back(issue);
    issues.back()["log"] = log_of(plan, folder, issue.run);
  }
  auto logs = ordered_json::array();
  if (survey.figures.size() <= kMostLogs)
    for (const auto& run : survey.figures)
      logs.push_back({{"run", run.run}, {"log", published_log(plan, run.run)}});
  ordered_json runs{{"planned", plan.run_count()}};
  for (const char* state : {kPublished, kRunning, kMissing, kRejected, kPoisoned})
    runs[state] = survey.of(state);
  runs["share"] = static_cast<double>(published) / static_cast<double>(plan.run_count());
  ordered_json document{{"production", plan.name},
                        {"corsika", plan.corsika_version},
                        {"profile", plan.profile},
                        {"made", utc_of_seconds(now_s)},
                        {"state", state_in_words(survey)},
                        {"first_run", plan.first_run},
                        {"last_run", plan.last_run()},
                        {"run_numbers", plan.run_numbers()},
                        {"showers_of_run", plan.showers},
                        {"runs", runs},
                        {"showers", published * plan.showers},
                        {"settings", settings_of(plan, survey)},
                        {"classes", survey.groups},
                        {"outliers", outliers_on_page(plan, survey)},
                        {"issues", issues},
                        {"logs", logs},
                        {"failed_attempts", survey.failed_attempts}};
  document["outcomes"] = ordered_json::array();
  for (const auto& [outcome, count] : survey.outcomes)
    document["outcomes"].push_back({{"outcome", outcome}, {"count", count}});
  if (published > 0) {
    document["cpu_s_of_shower"] = survey.cpu_s / static_cast<double>(published * plan.showers);
    document["cpu_s"] = survey.cpu_s;
    const auto packed = static_cast<double>(survey.packed_bytes);
    document["packed_bytes"] = survey.packed_bytes;
    document["compression"] = packed > 0 ? static_cast<double>(survey.bytes) / packed : 0.;
    document["peak_mib"] = memory;
    document["time"] = histogram_of(walls, "s");
    document["size"] = histogram_of(sizes, "bytes");
    document["rate"] = rate_of(survey.figures);
  }
  if (const auto audits = audits_of(folder); !audits.empty()) {
    document["audits"] = audits;
    if (auto gain = gain_over_stock(audits); !gain.is_null()) document["stock"] = std::move(gain);
  }
  if (const auto estimate = survey.estimate(now_s)) {
    document["runs_per_hour"] = estimate->runs_per_hour;
    document["end"] = utc_of_seconds(estimate->end_s);
  }
  return document;
}

}  // namespace overlay
