// The page of a production: the document of what it shows, as JSON, and its pictures.
#include "overlay/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "overlay/production/production.hpp"

namespace overlay {
namespace {

using nlohmann::json;
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
                    {"minutes_of_bar", (*last - *first) / static_cast<double>(kBars) / 60.}};
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
        {"zenith", setting.zenith},
        {"planned", plan.runs_per_setting},
        {"published", survey.published_of[i]},
        {"share", static_cast<double>(survey.published_of[i]) / static_cast<double>(plan.runs_per_setting)}};
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
                         {"size_mib", size_of(run)}});
    }
  }
  std::ranges::stable_sort(found, std::greater(),
                           [](const ordered_json& run) { return run.at("times").get<double>(); });
  found.resize(std::min(kMost, found.size()));
  return found;
}

std::string state_in_words(const Survey& survey) {
  if (survey.complete()) return "complete";
  if (survey.of(kRejected) + survey.of(kPoisoned) > 0) return "trouble";
  return survey.of(kPublished) + survey.of(kRunning) > 0 ? "going" : "planned";
}

/// Runs by state, side by side.
Cell progress_bar(const json& runs) {
  constexpr double kLeast = 0.004;  // one run of many is to be seen
  const double planned = std::max(1., number_at(runs, "planned"));
  Cell picture = drawn(22, {{0, 1, 0, 22, "scale"}});
  double at = 0;
  for (const auto& [state, style] :
       {std::pair{"published", "interval"}, {"running", "gain"}, {"rejected", "bad"}, {"poisoned", "bad"}}) {
    const double count = number_at(runs, state);
    if (count <= 0) continue;
    const double share = std::clamp(count / planned, kLeast, 1.);
    at = std::min(at, 1. - share);
    picture.shapes.push_back({at, at + share, 0, 22, style});
    at += share;
  }
  return picture;
}

/// The counts of a distribution as columns, and its ends.
Block columns(const json& distribution, const std::string& title, const std::string& ends) {
  constexpr int kHeight = 120;
  Cell picture = drawn(kHeight, {});
  const auto counts = distribution.value("counts", std::vector<double>{});
  const double width = 1. / static_cast<double>(std::max<std::size_t>(1, counts.size()));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] <= 0) continue;
    const int height =
        std::max(1, static_cast<int>(counts[i] / number_at(distribution, "most") * (kHeight - 2)));
    const double from = static_cast<double>(i) * width;
    picture.shapes.push_back({from + 0.1 * width, from + 0.9 * width, kHeight - height, height, "interval"});
  }
  return {.note = ends, .heading = title, .table = {{{title, "", "picture"}}, {{picture}}}};
}

Block distribution_of(const json& values, const std::string& title, const char* unit) {
  if (!values.is_object()) return {};
  std::string ends = fmt::format("{} to {} {unit}, median {} {unit}.", significant(number_at(values, "low")),
                                 significant(number_at(values, "high")),
                                 significant(number_at(values, "median")), fmt::arg("unit", unit));
  if (values.contains("beyond"))
    ends += fmt::format(" The last column holds {} beyond.", counted(count_at(values, "beyond"), "run"));
  return columns(values, title, ends);
}

/// Adds what rows are shown by but do not hold: names of nodes as a text, a bar, a sentence.
json with_texts(json document) {
  constexpr std::size_t kMostNames = 8, kDigits = 12;
  const auto some = [&](std::vector<std::string> names) {
    const auto more = names.size() > kMostNames ? fmt::format(" and {} more", names.size() - kMostNames) : "";
    names.resize(std::min(names.size(), kMostNames));
    return support::join(names, ", ") + more;
  };
  for (json& group : document.at("classes")) {
    const std::string libm = group.at("class");
    group["libm"] = libm.empty() ? "not measured" : libm.substr(0, kDigits);
    group["host_count"] = group.at("hosts").size();
    for (const char* names : {"hosts", "processors"}) group[names] = some(group.at(names));
  }
  if (document.contains("audits"))
    for (json& audit : document["audits"])
      audit["bytes"] = audit.at("equal") == true ? "the same" : "differ: " + text_at(audit, "reason");
  return document;
}

/// What the published runs took.
std::vector<std::string> production_facts(const json& document) {
  if (!document.contains("cpu_s_of_shower")) return {};
  const auto shown = [&](const char* member) { return significant(number_at(document, member)); };
  std::vector<std::string> facts{
      fmt::format("{} of the runs, {}", percent(number_at(document.at("runs"), "share")),
                  counted(count_at(document, "showers"), "shower")),
      fmt::format("{} s CPU a shower, {} h in sum", shown("cpu_s_of_shower"), shown("cpu_h")),
      fmt::format("{} GiB, {} times as much before compression", shown("size_gib"), shown("compression")),
      fmt::format("{} MiB: most memory of a run", shown("peak_mib"))};
  if (document.contains("runs_per_hour"))
    facts.push_back(fmt::format("{} runs an hour; the end, at this rate: {}", shown("runs_per_hour"),
                                text_at(document, "end")));
  if (document.contains("stock")) {
    const json& gain = document["stock"];
    facts.push_back(fmt::format("{} times stock's throughput, by {}",
                                significant(number_at(gain, "measured")),
                                counted(count_at(gain, "audits"), "run")));
    if (gain.contains("low"))
      facts.back() += fmt::format(", {} to {}", significant(number_at(gain, "low")),
                                  significant(number_at(gain, "high")));
  }
  return facts;
}

}  // namespace

ordered_json production_document(const ProductionPlan& plan, const Survey& survey,
                                 const std::filesystem::path& folder, std::int64_t now_s) {
  const std::int64_t published = survey.of(kPublished);
  std::vector<double> walls, sizes;
  double memory = 0;
  for (const auto& run : survey.figures) {
    walls.push_back(wall_of(run) / 60.);
    sizes.push_back(size_of(run));
    memory = std::max<double>(memory, run.peak_mib);
  }
  constexpr std::size_t kMostIssues = 50;
  auto issues = survey.issues;
  issues.resize(std::min(kMostIssues, issues.size()));
  ordered_json document{{"production", plan.name},
                        {"corsika", plan.corsika_version},
                        {"profile", plan.profile},
                        {"made", utc_of_seconds(now_s)},
                        {"state", state_in_words(survey)},
                        {"first_run", plan.first_run},
                        {"last_run", plan.last_run()},
                        {"showers_of_run", plan.showers},
                        {"runs",
                         {{"planned", plan.run_count()},
                          {kPublished, published},
                          {kRunning, survey.of(kRunning)},
                          {kMissing, survey.of(kMissing)},
                          {kRejected, survey.of(kRejected)},
                          {kPoisoned, survey.of(kPoisoned)},
                          {"share", static_cast<double>(published) / static_cast<double>(plan.run_count())}}},
                        {"showers", published * plan.showers},
                        {"settings", settings_of(plan, survey)},
                        {"classes", survey.groups},
                        {"outliers", outliers_on_page(plan, survey)},
                        {"issues", issues},
                        {"failed_attempts", survey.failed_attempts}};
  document["outcomes"] = ordered_json::array();
  for (const auto& [outcome, count] : survey.outcomes)
    document["outcomes"].push_back({{"outcome", outcome}, {"count", count}});
  if (published > 0) {
    document["cpu_s_of_shower"] = survey.cpu_s / static_cast<double>(published * plan.showers);
    document["cpu_h"] = survey.cpu_s / 3600.;
    const auto packed = static_cast<double>(survey.packed_bytes);
    document["size_gib"] = packed / (1024. * kMebibyte);
    document["compression"] = packed > 0 ? static_cast<double>(survey.bytes) / packed : 0.;
    document["peak_mib"] = memory;
    document["time"] = histogram_of(walls, "minutes");
    document["size"] = histogram_of(sizes, "MiB");
    document["rate"] = rate_of(survey.figures);
  }
  if (const auto audits = audits_of(folder); !audits.empty()) {
    document["audits"] = audits;
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
  return document;
}

std::string production_page(const json& given) {
  const json document = with_texts(given);
  const json& runs = document.at("runs");
  const auto count = [&](const char* state) { return grouped(count_at(runs, state)); };
  static const std::map<std::string, const char*> kAnswers{{"complete", "Complete"},
                                                           {"trouble", "Runs need a look"},
                                                           {"going", "Under way"},
                                                           {"planned", "Not begun"}};
  Page page;
  page.about = fmt::format(
      "CORSIKA {} · profile {} · runs {} to {} of {} each · {}", text_at(document, "corsika"),
      text_at(document, "profile"), document.at("first_run").dump(), document.at("last_run").dump(),
      counted(count_at(document, "showers_of_run"), "shower"), text_at(document, "made"));
  page.good = text_at(document, "state") != "trouble";
  page.answer = kAnswers.at(text_at(document, "state"));
  page.title = fmt::format("{}: {} of {} runs done", text_at(document, "production"), count("published"),
                           count("planned"));
  page.sections = {
      {"",
       {{.table = {{{"Done, at work, bad", "", "picture"}}, {{progress_bar(runs)}}}},
        {.text = fmt::format("Done {}, at work {}, missing {}, rejected {}, poisoned {}.", count("published"),
                             count("running"), count("missing"), count("rejected"), count("poisoned"))},
        {.list = production_facts(document)}}}};
  const auto add = [&](const char* member, const char* title, const std::vector<Column>& shown,
                       const char* note = "") {
    const json rows = document.value(member, json::array());
    if (!rows.empty()) page.sections.push_back({title, {{.table = table_of(rows, shown)}, {.note = note}}});
  };
  add("issues", "Runs that need a look", {{"Run", "run"}, {"State", "state"}, {"Why", "reason"}},
      "Rejected: what was published is not right; the next submission makes it again. Poisoned: two crashes "
      "at the "
      "same shower; it is not tried again. Failed: the last attempt failed.");
  if (const json rate = document.value("rate", json()); rate.is_object())
    page.sections.push_back({"Runs that ended",
                             {columns(rate, "Runs that ended",
                                      fmt::format("From {} to {}. A column is {} minutes; the highest is {}.",
                                                  text_at(rate, "from"), text_at(rate, "to"),
                                                  significant(number_at(rate, "minutes_of_bar")),
                                                  counted(count_at(rate, "most"), "run")))}});
  if (document.contains("time"))
    page.sections.push_back({"Time and size of a run",
                             {distribution_of(document["time"], "Time", "min"),
                              distribution_of(document["size"], "Size, compressed", "MiB")}});
  add("outliers", "Beyond twice the median of their setting",
      {{"Run", "run"},
       {"In", "what"},
       {"Times the median", "times", "significant"},
       {"Zenith", "zenith", "significant"},
       {"Time, s", "wall_s", "significant"},
       {"Size, MiB", "size_mib", "significant"}});
  add("settings", "Settings",
      {{"Primary", "primary"},
       {"Zenith", "zenith", "significant"},
       {"Atmosphere", "atmosphere"},
       {"Done", "published", "count"},
       {"Runs", "planned", "count"},
       {"CPU a shower, s", "cpu_s_of_shower", "significant"},
       {"Time, s", "wall_s", "significant"},
       {"Size, MiB", "size_mib", "significant"}},
      "Time and size are medians.");
  Table& settings = page.sections.back().blocks.front().table;
  settings.columns.push_back({"Share done", "", "picture"});
  for (std::size_t i = 0; i < settings.rows.size(); ++i)
    settings.rows[i].push_back(drawn(
        12, {{0, 1, 0, 12, "scale"}, {0, number_at(document["settings"][i], "share"), 0, 12, "interval"}}));
  add("classes", "Nodes by their last bits",
      {{"Runs", "runs", "count"},
       {"Hosts", "host_count", "count"},
       {"libm's bits", "libm", "code"},
       {"Processors", "processors"},
       {"Names", "hosts"}},
      "Hosts of a row whose bits were measured make the same bytes of a run. With --processors any no bits "
      "are "
      "measured.");
  add("audits", "Audits",
      {{"Run", "run"},
       {"Made again", "kind"},
       {"Bytes", "bytes"},
       {"Published: CPU, s", "published_cpu_s", "significant"},
       {"Audit: CPU, s", "audit_cpu_s", "significant"},
       {"Made on", "made_on"},
       {"Audited on", "audited_on"}});
  add("outcomes", "Attempts that failed", {{"Outcome", "outcome"}, {"Attempts", "count", "count"}},
      "attempts/ has one file for each, with host, time and reason.");
  page.footer =
      "Made by overlay from the manifests of the runs. Every number is in the .json file beside this one.";
  return page_html(page);
}

}  // namespace overlay
