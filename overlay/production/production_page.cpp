// The page of a production, from its document: what it shows, and its pictures.
#include "overlay/production/production_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "overlay/report/page.hpp"

namespace overlay {
namespace {

using nlohmann::json;
using As = JsonColumn::As;

Cell picture_cell(Picture picture) { return {"", false, false, "", std::move(picture)}; }

/// Runs by state, side by side.
Picture progress_bar(const json& runs) {
  constexpr double kLeast = 0.004;  // one run of many is to be seen
  const double planned = std::max(1., number_at(runs, "planned"));
  Picture picture{22, {{0, 1, 0, 22, "scale"}}};
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
  Picture picture{kHeight, {}};
  const auto counts = distribution.value("counts", std::vector<double>{});
  const double width = 1. / static_cast<double>(std::max<std::size_t>(1, counts.size()));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] <= 0) continue;
    const int height =
        std::max(1, static_cast<int>(counts[i] / number_at(distribution, "most") * (kHeight - 2)));
    const double from = static_cast<double>(i) * width;
    picture.shapes.push_back({from + 0.1 * width, from + 0.9 * width, kHeight - height, height, "interval"});
  }
  return {.note = ends, .heading = title, .table = {{{title, false, true}}, {{picture_cell(picture)}}}};
}

Block distribution_of(const json& values, const std::string& title, const char* unit) {
  if (!values.is_object()) return {};
  std::string ends = fmt::format("{} to {} {unit}, median {} {unit}.", significant(number_at(values, "low")),
                                 significant(number_at(values, "high")),
                                 significant(number_at(values, "median")), fmt::arg("unit", unit));
  if (values.contains("beyond"))
    ends += fmt::format(" The last column holds {} beyond.",
                        counted(values["beyond"].get<std::uint64_t>(), "run"));
  return columns(values, title, ends);
}

Table settings_table(const json& document) {
  Table table = table_of(document.at("settings"), {{"Primary", "primary"},
                                                   {"Zenith", "zenith", As::significant},
                                                   {"Atmosphere", "atmosphere"},
                                                   {"Done", "published", As::count},
                                                   {"Runs", "planned", As::count},
                                                   {"CPU a shower, s", "cpu_s_of_shower", As::significant},
                                                   {"Time, s", "wall_s", As::significant},
                                                   {"Size, MiB", "size_mib", As::significant}});
  table.columns.push_back({"Share done", false, true});
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].push_back(picture_cell(
        {12, {{0, 1, 0, 12, "scale"}, {0, number_at(document["settings"][i], "share"), 0, 12, "interval"}}}));
  return table;
}

/// What the published runs took.
std::vector<std::string> facts_of(const json& document) {
  if (!document.contains("cpu_s_of_shower")) return {};
  const auto shown = [&](const char* member) { return significant(number_at(document, member)); };
  std::vector<std::string> facts{
      fmt::format("{} of the runs, {}", percent(number_at(document.at("runs"), "share")),
                  counted(document.at("showers").get<std::uint64_t>(), "shower")),
      fmt::format("{} s CPU a shower, {} h in sum", shown("cpu_s_of_shower"), shown("cpu_h")),
      fmt::format("{} GiB, {} times as much before compression", shown("size_gib"), shown("compression")),
      fmt::format("{} MiB: most memory of a run", shown("peak_mib"))};
  if (document.contains("runs_per_hour"))
    facts.push_back(fmt::format("{} runs an hour; the end, at this rate: {}", shown("runs_per_hour"),
                                document.at("end").get<std::string>()));
  if (document.contains("stock")) {
    const json& gain = document["stock"];
    facts.push_back(fmt::format("{} times stock's throughput, by {}",
                                significant(number_at(gain, "measured")),
                                counted(gain.at("audits").get<std::uint64_t>(), "run")));
    if (gain.contains("low"))
      facts.back() += fmt::format(", {} to {}", significant(number_at(gain, "low")),
                                  significant(number_at(gain, "high")));
  }
  return facts;
}

}  // namespace

std::string production_page(std::string_view text) {
  const json document = json::parse(text);
  const json& runs = document.at("runs");
  const auto count = [&](const char* state) { return grouped(runs.at(state).get<std::uint64_t>()); };
  const std::string state = document.at("state");
  Page page;
  page.about = fmt::format(
      "CORSIKA {} · profile {} · runs {} to {} of {} each · {}", document.at("corsika").get<std::string>(),
      document.at("profile").get<std::string>(), document.at("first_run").dump(),
      document.at("last_run").dump(), counted(document.at("showers_of_run").get<std::uint64_t>(), "shower"),
      document.at("made").get<std::string>());
  page.good = state != "trouble";
  page.answer = state == "complete"  ? "Complete"
                : state == "trouble" ? "Runs need a look"
                : state == "going"   ? "Under way"
                                     : "Not begun";
  page.title = fmt::format("{}: {} of {} runs done", document.at("production").get<std::string>(),
                           count("published"), count("planned"));
  page.sections = {
      {"",
       {{.table = {{{"Done, at work, bad", false, true}}, {{picture_cell(progress_bar(runs))}}}},
        {.text = fmt::format("Done {}, at work {}, missing {}, rejected {}, poisoned {}.", count("published"),
                             count("running"), count("missing"), count("rejected"), count("poisoned"))},
        {.list = facts_of(document)}}}};
  const auto add = [&](const char* member, Section section) {
    if (document.contains(member) && !document[member].empty()) page.sections.push_back(std::move(section));
  };
  const auto rows = [&](const char* member, const std::vector<JsonColumn>& shown) -> Block {
    return {.table = table_of(document.value(member, json::array()), shown)};
  };
  add("issues", {"Runs that need a look",
                 {rows("issues", {{"Run", "run"}, {"State", "state"}, {"Why", "reason"}}),
                  {.note = "Rejected: what was published is not right; the next submission makes it again. "
                           "Poisoned: two crashes "
                           "at the same shower; it is not tried again. Failed: the last attempt failed."}}});
  if (document.contains("rate") && document["rate"].is_object()) {
    const json& rate = document["rate"];
    page.sections.push_back(
        {"Runs that ended",
         {columns(rate, "Runs that ended",
                  fmt::format("From {} to {}. A column is {} minutes; the highest is {}.",
                              rate.at("from").get<std::string>(), rate.at("to").get<std::string>(),
                              significant(number_at(rate, "minutes_of_bar")),
                              counted(rate.at("most").get<std::uint64_t>(), "run")))}});
  }
  add("time", {"Time and size of a run",
               {distribution_of(document.value("time", json()), "Time", "min"),
                distribution_of(document.value("size", json()), "Size, compressed", "MiB")}});
  add("outliers", {"Beyond twice the median of their setting",
                   {rows("outliers", {{"Run", "run"},
                                      {"In", "what"},
                                      {"Times the median", "times", As::significant},
                                      {"Zenith", "zenith", As::significant},
                                      {"Time, s", "wall_s", As::significant},
                                      {"Size, MiB", "size_mib", As::significant}})}});
  add("settings",
      {"Settings", {{.table = settings_table(document)}, {.note = "Time and size are medians."}}});
  add("classes", {"Nodes by their last bits",
                  {rows("classes", {{"Runs", "runs", As::count},
                                    {"Hosts", "host_count", As::count},
                                    {"libm's bits", "libm", As::code},
                                    {"Processors", "processors"},
                                    {"Names", "hosts"}}),
                   {.note = "Hosts of a row whose bits were measured make the same bytes of a run. With "
                            "--processors any no bits "
                            "are measured."}}});
  if (document.contains("audits")) {
    json audits = document["audits"];
    for (json& audit : audits)
      audit["bytes"] =
          audit.at("equal").get<bool>() ? "the same" : "differ: " + audit.at("reason").get<std::string>();
    page.sections.push_back(
        {"Audits",
         {{.table = table_of(audits, {{"Run", "run"},
                                      {"Made again", "kind"},
                                      {"Bytes", "bytes"},
                                      {"Published: CPU, s", "published_cpu_s", As::significant},
                                      {"Audit: CPU, s", "audit_cpu_s", As::significant},
                                      {"Made on", "made_on"},
                                      {"Audited on", "audited_on"}})}}});
  }
  add("outcomes", {"Attempts that failed",
                   {rows("outcomes", {{"Outcome", "outcome"}, {"Attempts", "count", As::count}}),
                    {.note = "attempts/ has one file for each, with host, time and reason."}}});
  page.footer =
      "Made by overlay from the manifests of the runs. Every number is in the .json file beside this one.";
  return page_html(page);
}

}  // namespace overlay
