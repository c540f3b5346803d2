// The page of a production: what a survey found, as tables and pictures.
#include "overlay/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "overlay/build/workplace.hpp"
#include "overlay/card/card.hpp"
#include "overlay/production/production.hpp"

namespace overlay {
namespace {

using nlohmann::json;

constexpr double kMebibyte = 1024. * 1024.;

std::vector<double> values_of(const std::vector<RunFigures>& runs, auto figure) {
  std::vector<double> values;
  std::ranges::transform(runs, std::back_inserter(values), figure);
  return values;
}

/// Runs by state, side by side.
json progress_bar(const Survey& survey) {
  constexpr double kLeast = 0.004;  // one run of many is to be seen
  json shapes = json::array({shape(0, 1, 0, 22, "scale")});
  double at = 0;
  for (const auto& [state, style] :
       {std::pair{kPublished, "interval"}, {kRunning, "gain"}, {kRejected, "bad"}, {kPoisoned, "bad"}}) {
    if (survey.of(state) == 0) continue;
    const double share = std::clamp(survey.share(state), kLeast, 1.);
    at = std::min(at, 1. - share);
    shapes.push_back(shape(at, at + share, 0, 22, style));
    at += share;
  }
  return {{"height", 22}, {"shapes", shapes}};
}

/// A table of one picture.
json picture_of(const std::string& title, const json& picture) {
  return table_of(json::array({{{"picture", picture}}}), {{title, "picture", "picture"}});
}

/// The distribution of values, in columns of one width from the least to the greatest one, or to half as much
/// again as nearly all have.
Block distribution_of(const std::vector<double>& values, const std::string& title,
                      std::string (*in_words)(double)) {
  constexpr std::size_t kLeast = 3, kColumns = 24;
  constexpr double kNearlyAll = 0.99, kRoom = 1.5;
  constexpr int kHeight = 120;
  if (values.size() < kLeast) return {};
  const auto [low, greatest] = std::ranges::minmax(values);
  const double end = std::min(greatest, kRoom * support::quantile(values, kNearlyAll));
  const double high = end > low ? end : low + std::max(1e-3, std::abs(low) * 1e-3);
  std::vector<int> counts(kColumns);
  for (const double value : values)
    ++counts[static_cast<std::size_t>(
        std::clamp((value - low) / (high - low) * kColumns, 0., kColumns - 1.))];
  const int most = std::ranges::max(counts);
  json shapes;
  for (std::size_t i = 0; i < kColumns; ++i) {
    if (counts[i] == 0) continue;
    const int height = std::max(1, counts[i] * (kHeight - 2) / most);
    const double from = static_cast<double>(i);
    shapes.push_back(
        shape((from + 0.1) / kColumns, (from + 0.9) / kColumns, kHeight - height, height, "interval"));
  }
  const auto beyond = std::ranges::count_if(values, [high](double value) { return value > high; });
  return {
      .note = fmt::format("{} to {}, median {}. The highest column is {}{}.", in_words(low), in_words(high),
                          in_words(support::median(values)), counted(static_cast<std::uint64_t>(most), "run"),
                          beyond > 0 ? fmt::format("; the last one holds {} beyond", beyond) : ""),
      .heading = title,
      .table = picture_of(title, {{"height", kHeight}, {"shapes", shapes}})};
}

/// Where the log of a published run is, as pack_outputs() names it.
std::string published_log(const ProductionPlan& plan, std::int64_t run) {
  return (results_folder(plan, run) / (run_name(run) + ".log.zst")).generic_string();
}

/// The log of a run that failed, in the production's folder; empty where none is kept.
std::string failed_log(const ProductionPlan& plan, std::int64_t run) {
  try {
    return last_log(plan, run).file.generic_string();
  } catch (const support::Error&) {  // its manifest is damaged, or the attempt is gone
    return {};
  }
}

/// Runs that took more than twice their setting's median time or size. Settings with few runs are left out.
void add_outliers(std::vector<json>& found, const ProductionPlan& plan, const std::vector<RunFigures>& runs) {
  constexpr std::size_t kLeastRuns = 8;  // below, a median says little
  if (runs.size() < kLeastRuns) return;
  for (const auto& [what, figure] : std::initializer_list<std::pair<const char*, double RunFigures::*>>{
           {"time", &RunFigures::wall_s}, {"size", &RunFigures::packed_bytes}}) {
    const double median = support::median(values_of(runs, figure));
    for (const auto& run : runs)
      if (median > 0 && run.*figure > 2 * median)
        found.push_back({{"run", run.run},
                         {"what", what},
                         {"times", run.*figure / median},
                         {"zenith", plan.settings[run.setting].zenith},
                         {"wall_s", run.wall_s},
                         {"size_mib", run.packed_bytes / kMebibyte},
                         {"log", published_log(plan, run.run)}});
  }
}

/// The settings and the runs beyond their medians.
std::vector<Section> settings_of(const ProductionPlan& plan, const Survey& survey) {
  constexpr std::size_t kMost = 20;
  std::vector<std::vector<RunFigures>> by_setting(plan.settings.size());
  for (const auto& run : survey.figures)
    if (run.setting < by_setting.size()) by_setting[run.setting].push_back(run);
  auto rows = json::array();
  std::vector<json> outliers;
  for (std::size_t i = 0; i < by_setting.size(); ++i) {
    const auto& [zenith, atmosphere, primary, values] = plan.settings[i];
    const auto& runs = by_setting[i];
    json row{{"particle", particle_name(primary)},
             {"zenith", zenith},
             {"published", runs.size()},
             {"planned", plan.runs_of_setting()}};
    if (atmosphere > 0) row["atmosphere"] = atmosphere;
    if (!runs.empty()) {
      const auto cpu = values_of(runs, &RunFigures::cpu_s);
      row["cpu_s_of_shower"] = std::accumulate(cpu.begin(), cpu.end(), 0.) /
                               static_cast<double>(static_cast<long>(cpu.size()) * plan.showers);
      row["wall_s"] = support::median(values_of(runs, &RunFigures::wall_s));
      row["size_mib"] = support::median(values_of(runs, &RunFigures::packed_bytes)) / kMebibyte;
    }
    const double share = static_cast<double>(runs.size()) / static_cast<double>(plan.runs_of_setting());
    row["done"] = {{"height", 12},
                   {"shapes", {shape(0, 1, 0, 12, "scale"), shape(0, share, 0, 12, "interval")}}};
    rows.push_back(std::move(row));
    add_outliers(outliers, plan, runs);
  }
  std::ranges::stable_sort(outliers, std::greater(),
                           [](const json& run) { return run["times"].get<double>(); });
  outliers.resize(std::min(kMost, outliers.size()));
  return {{"Beyond twice the median of their setting",
           {{.table = table_of(outliers, {{"Run", "run"},
                                          {"In", "what"},
                                          {"Times the median", "times", "significant"},
                                          {"Zenith", "zenith", "significant"},
                                          {"Time", "wall_s", "duration"},
                                          {"Size, MiB", "size_mib", "significant"}})}}},
          {"Settings",
           {{.table = table_of(rows, {{"Primary", "particle"},
                                      {"Zenith", "zenith", "significant"},
                                      {"Atmosphere", "atmosphere"},
                                      {"Done", "published", "count"},
                                      {"Runs", "planned", "count"},
                                      {"CPU a shower", "cpu_s_of_shower", "duration"},
                                      {"Time", "wall_s", "duration"},
                                      {"Size, MiB", "size_mib", "significant"},
                                      {"Share done", "done", "picture"}})},
            {.note = "Time and size are medians."}}}};
}

json issues_table(const ProductionPlan& plan, const Survey& survey) {
  constexpr std::size_t kMost = 50;
  auto rows = json::array();
  for (const auto& [run, state, reason] :
       std::span(survey.issues).first(std::min(kMost, survey.issues.size())))
    rows.push_back({{"run", run}, {"state", state}, {"reason", reason}, {"log", failed_log(plan, run)}});
  return table_of(rows, {{"Run", "run"}, {"State", "state"}, {"Why", "reason"}});
}

json nodes_table(const Survey& survey) {
  constexpr std::size_t kMostNames = 8, kDigits = 12;
  const auto some = [&](const std::set<std::string>& names) {
    const auto more = names.size() > kMostNames ? fmt::format(" and {} more", names.size() - kMostNames) : "";
    const auto shown = static_cast<std::ptrdiff_t>(std::min(kMostNames, names.size()));
    return fmt::format("{}{}", fmt::join(names.begin(), std::next(names.begin(), shown), ", "), more);
  };
  auto rows = json::array();
  for (const auto& [libm, runs, hosts, processors] : survey.groups)
    rows.push_back({{"runs", runs},
                    {"host_count", hosts.size()},
                    {"libm", libm.empty() ? "not measured" : libm.substr(0, kDigits)},
                    {"processors", some(processors)},
                    {"hosts", some(hosts)}});
  return table_of(rows, {{"Runs", "runs", "count"},
                         {"Hosts", "host_count", "count"},
                         {"libm's bits", "libm", "code"},
                         {"Processors", "processors"},
                         {"Names", "hosts"}});
}

json audits_table(json audits) {
  for (json& audit : audits)
    audit["bytes"] = audit.at("equal") == true ? "the same" : "differ: " + text_at(audit, "reason");
  return table_of(audits, {{"Run", "run"},
                           {"Made again", "kind"},
                           {"Bytes", "bytes"},
                           {"Published: CPU", "published_cpu_s", "duration"},
                           {"Audit: CPU", "audit_cpu_s", "duration"},
                           {"Made on", "made_on"},
                           {"Audited on", "audited_on"}});
}

Block links_of(const ProductionPlan& plan, const Survey& survey) {
  constexpr std::size_t kMost = 10'000;
  if (survey.figures.empty() || survey.figures.size() > kMost) return {};
  Block links{.note = fmt::format("Each is compressed; {} prints one.",
                                  to_type({"production", "log", plan.name, "RUN"}))};
  for (const auto& run : survey.figures)
    links.links.push_back({{"text", std::to_string(run.run)}, {"link", published_log(plan, run.run)}});
  return links;
}

}  // namespace

std::vector<std::string> production_facts(const ProductionPlan& plan, const Survey& survey, double now_s) {
  std::vector<std::string> facts;
  if (const auto showers = survey.of(kPublished) * plan.showers; showers > 0) {
    const auto packed = static_cast<double>(survey.packed_bytes);
    facts = {fmt::format("{} of the runs, {}", percent(survey.share(kPublished)),
                         counted(static_cast<std::uint64_t>(showers), "shower")),
             fmt::format("{} CPU a shower, {} in sum", duration(survey.cpu_s / static_cast<double>(showers)),
                         duration(survey.cpu_s)),
             fmt::format("{}, {} times as much before compression", bytes_text(packed),
                         significant(packed > 0 ? static_cast<double>(survey.bytes) / packed : 0.)),
             fmt::format(
                 "{}: most memory of a run",
                 bytes_text(1024 * std::ranges::max(values_of(survey.figures, &RunFigures::peak_rss_kib))))};
  }
  if (const auto estimate = survey.estimate(now_s))
    facts.push_back(fmt::format("{}; the end, at this rate: {}", rate_text(estimate->runs_per_hour),
                                utc_of_seconds(estimate->end_s)));
  else if (!survey.complete())
    facts.emplace_back("the end is not known: no run ended within the last hour");
  if (!survey.outcomes.empty()) {
    std::vector<std::string> kinds;
    for (const auto& [outcome, count] : survey.outcomes)
      kinds.push_back(fmt::format("{} {}", count, outcome));
    facts.push_back("attempts that failed, of which attempts/ says why: " + support::join(kinds, ", "));
  }
  if (auto gain = gain_over_stock(audits_of(plan.folder)); !gain.empty()) facts.push_back(std::move(gain));
  return facts;
}

std::string production_page(const ProductionPlan& plan, const Survey& survey, double now_s) {
  const auto count = [&](const char* state) { return grouped(static_cast<std::uint64_t>(survey.of(state))); };
  const bool trouble = !survey.complete() && survey.of(kRejected) + survey.of(kPoisoned) > 0;
  Page page{.about = fmt::format("CORSIKA {} · profile {} · runs {} of {} each · {}", plan.corsika_version,
                                 plan.profile, plan.run_numbers(),
                                 counted(static_cast<std::uint64_t>(plan.showers), "shower"),
                                 utc_of_seconds(now_s)),
            .answer = survey.complete()                                 ? "Complete"
                      : trouble                                         ? "Runs need a look"
                      : survey.of(kPublished) + survey.of(kRunning) > 0 ? "Under way"
                                                                        : "Not begun",
            .title = fmt::format("{}: {} of {} runs done", plan.name, count(kPublished),
                                 grouped(static_cast<std::uint64_t>(survey.planned))),
            .good = !trouble,
            .sections = {},
            .footer = "Made by overlay from the manifests of the runs.",
            .refresh = survey.complete() ? "" : "60"};
  const auto add = [&](const Section& section) {
    const Block& first = section.blocks.front();
    if (!first.table.empty() || !first.links.empty()) page.sections.push_back(section);
  };
  add({"",
       {{.table = picture_of("Done, at work, bad", progress_bar(survey))},
        {.text = fmt::format("{} done, {}.", count(kPublished), survey.not_done())},
        {.list = production_facts(plan, survey, now_s)}}});
  add({"Runs that need a look",
       {{.table = issues_table(plan, survey)},
        {.note =
             "Rejected: what was published is not right; the next submission makes it again. Poisoned: two "
             "crashes at the same shower; it is not tried again. Failed: the last attempt failed."}}});
  auto ends = values_of(survey.figures, [](const RunFigures& run) { return seconds_of_utc(run.ended); });
  std::erase(ends, 0.);  // not known
  add({"Runs that ended", {distribution_of(ends, "When", utc_of_seconds)}});
  add({"Time and size of a run",
       {distribution_of(values_of(survey.figures, &RunFigures::wall_s), "Time", duration),
        distribution_of(values_of(survey.figures, &RunFigures::packed_bytes), "Size, compressed",
                        bytes_text)}});
  for (const auto& section : settings_of(plan, survey)) add(section);
  add({"Nodes by their last bits",
       {{.table = nodes_table(survey)},
        {.note =
             "Hosts of a row whose bits were measured make the same bytes of a run. With --processors any no "
             "bits are measured."}}});
  add({"Audits", {{.table = audits_table(audits_of(plan.folder))}}});
  add({"Logs of published runs", {links_of(plan, survey)}});
  return page_html(page);
}

}  // namespace overlay
