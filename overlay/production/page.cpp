// The page of a production, from its document: tables and pictures.
#include "overlay/report/page.hpp"

#include <algorithm>

#include "overlay/build/workplace.hpp"
#include "overlay/production/production.hpp"

namespace overlay {
namespace {

using nlohmann::json;

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
  return {.note = ends, .heading = title, .columns = {{title, "", "picture"}}, .rows = {{picture}}};
}

Block distribution_of(const json& values, const std::string& title, std::string (*in_words)(double)) {
  if (!values.is_object()) return {};
  std::string ends = fmt::format("{} to {}, median {}.", in_words(number_at(values, "low")),
                                 in_words(number_at(values, "high")), in_words(number_at(values, "median")));
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

}  // namespace

std::vector<std::string> production_facts(const json& document) {
  if (!document.contains("cpu_s_of_shower")) return {};
  std::vector<std::string> facts{
      fmt::format("{} of the runs, {}", percent(number_at(document.at("runs"), "share")),
                  counted(count_at(document, "showers"), "shower")),
      fmt::format("{} CPU a shower, {} in sum", duration(number_at(document, "cpu_s_of_shower")),
                  duration(number_at(document, "cpu_s"))),
      fmt::format("{}, {} times as much before compression", bytes_text(number_at(document, "packed_bytes")),
                  significant(number_at(document, "compression"))),
      fmt::format("{}: most memory of a run", bytes_text(number_at(document, "peak_mib") * 1024. * 1024.))};
  if (document.contains("runs_per_hour"))
    facts.push_back(fmt::format("{}; the end, at this rate: {}",
                                rate_text(number_at(document, "runs_per_hour")), text_at(document, "end")));
  if (document.contains("stock")) facts.push_back(text_at(document["stock"], "text"));
  return facts;
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
  page.about =
      fmt::format("CORSIKA {} · profile {} · runs {} of {} each · {}", text_at(document, "corsika"),
                  text_at(document, "profile"), text_at(document, "run_numbers"),
                  counted(count_at(document, "showers_of_run"), "shower"), text_at(document, "made"));
  page.good = text_at(document, "state") != "trouble";
  page.answer = kAnswers.at(text_at(document, "state"));
  page.title = fmt::format("{}: {} of {} runs done", text_at(document, "production"), count("published"),
                           count("planned"));
  page.sections = {
      {"",
       {{.columns = {{"Done, at work, bad", "", "picture"}}, .rows = {{progress_bar(runs)}}},
        {.text = fmt::format("Done {}, at work {}, missing {}, rejected {}, poisoned {}.", count("published"),
                             count("running"), count("missing"), count("rejected"), count("poisoned"))},
        {.list = production_facts(document)}}}};
  const auto add = [&](const char* member, const char* title, const std::vector<Column>& shown,
                       const char* note = "") {
    const json rows = document.value(member, json::array());
    if (!rows.empty()) page.sections.push_back({title, {table_of(rows, shown), {.note = note}}});
  };
  add("issues", "Runs that need a look", {{"Run", "run"}, {"State", "state"}, {"Why", "reason"}},
      "Rejected: what was published is not right; the next submission makes it again. Poisoned: two crashes "
      "at the same shower; it is not tried again. Failed: the last attempt failed.");
  if (const json rate = document.value("rate", json()); rate.is_object())
    page.sections.push_back(
        {"Runs that ended",
         {columns(rate, "Runs that ended",
                  fmt::format("From {} to {}. A column is {}; the highest is {}.", text_at(rate, "from"),
                              text_at(rate, "to"), duration(number_at(rate, "seconds_of_bar")),
                              counted(count_at(rate, "most"), "run")))}});
  if (document.contains("time"))
    page.sections.push_back({"Time and size of a run",
                             {distribution_of(document["time"], "Time", duration),
                              distribution_of(document["size"], "Size, compressed", bytes_text)}});
  add("outliers", "Beyond twice the median of their setting",
      {{"Run", "run"},
       {"In", "what"},
       {"Times the median", "times", "significant"},
       {"Zenith", "zenith", "significant"},
       {"Time", "wall_s", "duration"},
       {"Size, MiB", "size_mib", "significant"}});
  add("settings", "Settings",
      {{"Primary", "particle"},
       {"Zenith", "zenith", "significant"},
       {"Atmosphere", "atmosphere"},
       {"Done", "published", "count"},
       {"Runs", "planned", "count"},
       {"CPU a shower", "cpu_s_of_shower", "duration"},
       {"Time", "wall_s", "duration"},
       {"Size, MiB", "size_mib", "significant"}},
      "Time and size are medians.");
  Block& settings = page.sections.back().blocks.front();
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
      "are measured.");
  add("audits", "Audits",
      {{"Run", "run"},
       {"Made again", "kind"},
       {"Bytes", "bytes"},
       {"Published: CPU", "published_cpu_s", "duration"},
       {"Audit: CPU", "audit_cpu_s", "duration"},
       {"Made on", "made_on"},
       {"Audited on", "audited_on"}});
  add("outcomes", "Attempts that failed", {{"Outcome", "outcome"}, {"Attempts", "count", "count"}},
      "attempts/ has one file for each, with host, time and reason.");
  if (const json& logs = document.at("logs"); !logs.empty()) {
    Block links{.note = fmt::format("Each is compressed; {} prints one.",
                                    to_type({"production", "log", text_at(document, "production"), "RUN"}))};
    for (const json& log : logs) {
      links.links.push_back({log.at("run").dump()});
      links.links.back().link = text_at(log, "log");
    }
    page.sections.push_back({"Logs of published runs", {links}});
  }
  constexpr int kRefresh_s = 60;
  if (text_at(document, "state") != "complete") page.refresh_s = kRefresh_s;
  page.footer =
      "Made by overlay from the manifests of the runs. Every number is in the .json file beside this one.";
  return page_html(page);
}

}  // namespace overlay
