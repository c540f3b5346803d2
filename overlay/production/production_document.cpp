// What the page of a production shows, as JSON. Reads audits/ of the production's folder.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "overlay/production/audit.hpp"
#include "overlay/production/json_record.hpp"
#include "overlay/production/production_page.hpp"
#include "support/statistics.hpp"

namespace overlay {
namespace {

using nlohmann::ordered_json;

constexpr double kMebibyte = 1024. * 1024.;

/// Numbers of values in bins of one width, from the least to the greatest value, or to half as much again as
/// nearly all have: the last bin then holds those beyond, too.
ordered_json histogram_of(const std::vector<double>& values, const char* unit) {
  constexpr std::size_t kLeast = 3, kBins = 24;
  constexpr double kNearlyAll = 0.99, kRoom = 1.5;
  if (values.size() < kLeast) return nullptr;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const double low = *least, end = std::min(*greatest, kRoom * support::quantile(values, kNearlyAll));
  const double high = end > low ? end : low + std::max(1e-3, std::abs(low) * 1e-3);
  std::vector<std::int64_t> counts(kBins);
  for (const double value : values) {
    const double bin = (value - low) / (high - low) * static_cast<double>(kBins);
    ++counts[static_cast<std::size_t>(std::clamp(bin, 0., static_cast<double>(kBins - 1)))];
  }
  ordered_json histogram{{"unit", unit},
                         {"low", low},
                         {"high", high},
                         {"median", support::median(values)},
                         {"most", *std::max_element(counts.begin(), counts.end())},
                         {"counts", counts}};
  const auto beyond = std::count_if(values.begin(), values.end(), [&](double value) { return value > high; });
  if (beyond > 0) histogram["beyond"] = beyond;
  return histogram;
}

/// Runs that ended, in intervals of one length from the first to the last.
ordered_json rate_of(const std::vector<RunFigures>& figures) {
  constexpr std::size_t kBars = 48;
  std::int64_t first = 0, last = 0;
  for (const auto& run : figures) {
    if (run.ended_s <= 0) continue;
    first = first == 0 ? run.ended_s : std::min(first, run.ended_s);
    last = std::max(last, run.ended_s);
  }
  if (first == 0 || last <= first) return nullptr;
  std::vector<std::int64_t> counts(kBars);
  const double width = static_cast<double>(last - first) / static_cast<double>(kBars);
  for (const auto& run : figures)
    if (run.ended_s > 0)
      ++counts[std::min(kBars - 1,
                        static_cast<std::size_t>(static_cast<double>(run.ended_s - first) / width))];
  return {{"from", utc_of_seconds(first)},
          {"to", utc_of_seconds(last)},
          {"minutes_of_bar", width / 60.},
          {"most", *std::max_element(counts.begin(), counts.end())},
          {"counts", counts}};
}

ordered_json settings_of(const ProductionPlan& plan, const Survey& survey) {
  std::vector<std::vector<double>> walls(plan.settings.size()), sizes(plan.settings.size());
  std::vector<double> cpu(plan.settings.size());
  for (const auto& run : survey.figures) {
    if (run.setting >= walls.size()) continue;
    walls[run.setting].push_back(run.wall_s);
    sizes[run.setting].push_back(static_cast<double>(run.packed_bytes) / kMebibyte);
    cpu[run.setting] += run.cpu_s;
  }
  auto settings = ordered_json::array();
  for (std::size_t i = 0; i < plan.settings.size(); ++i) {
    const auto& setting = plan.settings[i];
    ordered_json entry{
        {"primary", setting.primary},
        {"zenith", setting.zenith},
        {"planned", plan.runs_per_setting},
        {"published", survey.published_of[i]},
        {"share", static_cast<double>(survey.published_of[i]) / static_cast<double>(plan.runs_per_setting)}};
    if (setting.atmosphere > 0) entry["atmosphere"] = setting.atmosphere;
    if (!walls[i].empty()) {
      entry["cpu_s_of_shower"] =
          cpu[i] / (static_cast<double>(walls[i].size()) * static_cast<double>(plan.showers));
      entry["wall_s"] = support::median(walls[i]);
      entry["size_mib"] = support::median(sizes[i]);
    }
    settings.push_back(std::move(entry));
  }
  return settings;
}

ordered_json groups_on_page(const Survey& survey) {
  constexpr std::size_t kMostNames = 8, kDigits = 12;
  const auto some = [](const std::set<std::string>& names) {
    std::string text;
    std::size_t count = 0;
    for (const auto& name : names)
      if (++count <= kMostNames) text += (text.empty() ? "" : ", ") + name;
    return count > kMostNames ? fmt::format("{} and {} more", text, count - kMostNames) : text;
  };
  auto groups = ordered_json::array();
  for (const auto& group : survey.groups)
    groups.push_back(
        {{"libm", group.node_class.empty() ? "not measured" : group.node_class.substr(0, kDigits)},
         {"runs", group.runs},
         {"host_count", group.hosts.size()},
         {"hosts", some(group.hosts)},
         {"processors", some(group.processors)}});
  return groups;
}

/// Runs that took more than twice their setting's median time or size; the furthest first. Settings with few
/// runs are left out.
ordered_json outliers_on_page(const ProductionPlan& plan, const Survey& survey) {
  constexpr std::size_t kLeastRuns = 8, kMost = 20;  // below, a median says little
  std::vector<std::pair<double, ordered_json>> found;
  const auto look = [&](const char* what, const auto& value_of) {
    std::vector<std::vector<double>> values(plan.settings.size());
    for (const auto& run : survey.figures)
      if (run.setting < values.size()) values[run.setting].push_back(value_of(run));
    std::vector<double> medians;
    for (const auto& each : values) medians.push_back(each.size() < kLeastRuns ? 0. : support::median(each));
    for (const auto& run : survey.figures) {
      const double median = run.setting < medians.size() ? medians[run.setting] : 0.;
      if (!(median > 0 && value_of(run) > 2 * median)) continue;
      found.push_back({value_of(run) / median,
                       {{"run", run.run},
                        {"what", what},
                        {"times", value_of(run) / median},
                        {"zenith", plan.settings[run.setting].zenith},
                        {"wall_s", run.wall_s},
                        {"size_mib", static_cast<double>(run.packed_bytes) / kMebibyte}}});
    }
  };
  look("time", [](const RunFigures& run) { return static_cast<double>(run.wall_s); });
  look("size", [](const RunFigures& run) { return static_cast<double>(run.packed_bytes); });
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  auto outliers = ordered_json::array();
  for (std::size_t i = 0; i < std::min(kMost, found.size()); ++i) outliers.push_back(found[i].second);
  return outliers;
}

ordered_json issues_on_page(const Survey& survey) {
  constexpr std::size_t kMost = 50;
  auto issues = ordered_json::array();
  for (std::size_t i = 0; i < std::min(kMost, survey.issues.size()); ++i)
    issues.push_back({{"run", survey.issues[i].run},
                      {"state", survey.issues[i].state},
                      {"reason", survey.issues[i].reason}});
  return issues;
}

std::string state_in_words(const Survey& survey) {
  if (survey.complete()) return "complete";
  if (survey.rejected + survey.poisoned > 0) return "trouble";
  return survey.published + survey.running > 0 ? "going" : "planned";
}

}  // namespace

std::string production_document(const ProductionPlan& plan, const Survey& survey,
                                const std::filesystem::path& folder, std::int64_t now_s) {
  std::vector<double> walls, sizes, memory;
  for (const auto& run : survey.figures) {
    walls.push_back(run.wall_s / 60.);
    sizes.push_back(static_cast<double>(run.packed_bytes) / kMebibyte);
    memory.push_back(run.peak_mib);
  }
  ordered_json document{
      {"production", plan.name},
      {"corsika", plan.corsika_version},
      {"profile", plan.profile},
      {"made", utc_of_seconds(now_s)},
      {"state", state_in_words(survey)},
      {"first_run", plan.first_run},
      {"last_run", plan.last_run()},
      {"showers_of_run", plan.showers},
      {"runs",
       {{"planned", plan.run_count()},
        {"published", survey.published},
        {"running", survey.running},
        {"missing", survey.missing},
        {"rejected", survey.rejected},
        {"poisoned", survey.poisoned},
        {"share", static_cast<double>(survey.published) / static_cast<double>(plan.run_count())}}},
      {"showers", survey.published * plan.showers},
      {"settings", settings_of(plan, survey)},
      {"classes", groups_on_page(survey)},
      {"outliers", outliers_on_page(plan, survey)},
      {"issues", issues_on_page(survey)},
      {"failed_attempts", survey.failed_attempts}};
  auto outcomes = ordered_json::array();
  for (const auto& [outcome, count] : survey.outcomes)
    outcomes.push_back({{"outcome", outcome}, {"count", count}});
  document["outcomes"] = outcomes;
  if (survey.published > 0) {
    const double showers = static_cast<double>(survey.published) * static_cast<double>(plan.showers);
    document["cpu_s_of_shower"] = survey.cpu_s / showers;
    document["cpu_h"] = survey.cpu_s / 3600.;
    document["size_gib"] = static_cast<double>(survey.packed_bytes) / (1024. * kMebibyte);
    document["compression"] =
        survey.packed_bytes > 0 ? static_cast<double>(survey.bytes) / static_cast<double>(survey.packed_bytes)
                                : 0.;
    document["peak_mib"] = *std::max_element(memory.begin(), memory.end());
    document["time"] = histogram_of(walls, "minutes");
    document["size"] = histogram_of(sizes, "MiB");
    document["rate"] = rate_of(survey.figures);
  }
  if (const auto audits = audits_of(folder); !audits.empty()) {
    document["audits"] = audits_json(audits);
    if (const auto gain = gain_over_stock(audits)) {
      document["stock"] = {{"measured", gain->ratio.value}, {"audits", gain->runs}};
      if (gain->ratio.has_interval) {
        document["stock"]["low"] = gain->ratio.low;
        document["stock"]["high"] = gain->ratio.high;
      }
    }
  }
  if (const auto estimate = survey.estimate(now_s)) {
    document["runs_per_hour"] = estimate->runs_per_hour;
    document["end"] = utc_of_seconds(estimate->end_s);
  }
  return text_of(document) + "\n";
}

}  // namespace overlay
