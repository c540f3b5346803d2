// How fast, and where the time goes: the closing lines of a comparison, and these sections of its page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "overlay/report/report.hpp"

namespace overlay {
namespace {

/// Compiler flags as they were asked for: "as shipped", "tuned", "with -O3".
std::string flags_in_words(const std::string& flags) {
  return flags == "shipped" ? "as shipped" : flags == "tuned" ? "tuned" : "with " + flags;
}

std::string with_interval(const Json& gain) {
  std::string text = fmt::format("{:.2f}", number_at(gain, "measured"));
  if (!gain.at("low").is_null())
    text += fmt::format(" ({:.2f} to {:.2f})", number_at(gain, "low"), number_at(gain, "high"));
  return text;
}

std::string identity_line(const Json& report) {
  const Json& identity = report.at("identity");
  if (const Json& why = identity.at("could_not_compare"); !why.is_null())
    return fmt::format("Could not compare: {}.", why.get<std::string>());
  std::uint64_t bytes = 0;
  for (const Json& file : identity.at("files")) bytes += count_at(file, "bytes");
  std::string what = counted(identity["files"].size(), "file") + ", " + counted(bytes, "byte");
  if (!identity.at("events").is_null()) what += ", " + counted(count_at(identity, "events"), "event");
  if (identity.at("identical")) return fmt::format("Same bytes: yes ({}).", what);
  const Json& reasons = identity.at("reasons");
  return fmt::format("Same bytes: NO ({}): {}.", what,
                     reasons.empty() ? "see the report" : reasons.front().get<std::string>());
}

std::string times_line(const Json& report) {
  std::string line;
  for (const auto& [build, name] : {std::pair<const char*, std::string>{"stock-shipped", "stock as shipped"},
                                    {"stock", "stock " + flags_in_words(text_at(report, "flags"))},
                                    {"patched", "patched"}})
    if (const Json* runs = runs_of(report, build))
      line += fmt::format("{} {} {:.2f} s", line.empty() ? "" : ",", name, number_at(*runs, "median_cpu_s"));
  return fmt::format("CPU time of a run:{}.", line);
}

std::string gain_line(const Json& report) {
  const Json& speedup = report.at("speedup");
  const Json& shower = speedup.at("per_shower");
  std::string line = fmt::format("Gain: {} times as fast as stock", with_interval(speedup));
  if (!speedup.at("shipped").is_null())
    line +=
        fmt::format(", {:.2f} times as fast as stock as shipped", number_at(speedup["shipped"], "measured"));
  if (!shower.at("measured").is_null())
    line += fmt::format("; per shower, without start-up, {}", with_interval(shower));
  return line + (report.at("repeats") == 1 ? " (one pair of runs: no interval)." : ".");
}

std::string saving_line(const Json& speedup) {
  const double hours = number_at(speedup, "saved_cpu_h_per_1000_showers");
  return fmt::format("{} {} CPU hours per 1000 showers of this card.", hours < 0 ? "Costs" : "Saves",
                     significant(std::abs(hours)));
}

std::string parts_line(const Json& report) {
  const Json& parts = report.at("parts");
  const auto gain = [&](const char* name) { return with_interval(parts.at(name)); };
  const std::string line = fmt::format("Parts: generator alone {} times", gain("generator"));
  if (parts.at("stage").is_null()) return fmt::format("{}. {}", line, text_at(parts, "note"));
  return fmt::format("{}, Cherenkov stage alone {} times, both {:.2f} times.", line, gain("stage"),
                     number_at(report.at("speedup"), "measured"));
}

Section gain_section(const Json& report) {
  const Json &speedup = report.at("speedup"), &parts = report.at("parts"), &bound = speedup.at("bound");
  Json rows = Json::array();
  double end = 1;
  for (const auto& [what, gain] :
       {std::pair<const char*, Json>{"Random number generator alone", parts.at("generator")},
        {"Cherenkov stage alone", parts.at("stage")},
        {"Whole overlay", speedup},
        {"Whole overlay, by wall clock", speedup.at("wall")},
        {"Whole overlay, over stock as shipped", speedup.at("shipped")},
        {"If exactly the accelerated categories took no time (Amdahl)",
         bound.is_null() ? bound : Json(support::Estimate{bound, 0, 0, false})}}) {
    if (gain.is_null()) continue;
    end = std::max({end, 1.04 * number_at(gain, "measured"), 1.04 * number_at(gain, "high")});
    rows.push_back(gain);
    rows.back()["what"] = what;
    if (gain == speedup) rows.back()["strong"] = "measured";
    if (gain == speedup["shipped"]) rows.back()["per_shower"] = speedup.at("per_shower").at("shipped");
  }
  for (Json& row : rows) {
    const double at = number_at(row, "measured") / end, low = number_at(row, "low") / end;
    // A line from stock (1) to the gain, and its interval.
    Json shapes{shape(0, 1, 12, 1, "scale"),
                shape(std::min(1 / end, at), std::max(1 / end, at), 10, 5, "gain"),
                shape(1 / end, 1 / end, 2, 20, "stock"), shape(at, at, 5, 15, "interval")};
    if (low > 0) shapes.push_back(shape(low, number_at(row, "high") / end, 11, 3, "interval"));
    row.update({{"interval", low_to_high(row)}, {"picture", {{"height", 24}, {"shapes", shapes}}}});
    if (const Json shower = row.value("per_shower", Json());
        !shower.is_null() && !shower.at("measured").is_null())
      row.update({{"shower", shower["measured"]}, {"shower_interval", low_to_high(shower)}});
  }
  std::string how = fmt::format(
      "A gain is the CPU time of stock over that of the patched program, median of pairs; “low to high” is "
      "its 95% interval, for two to five pairs their range. Here: {}. A shower: without the start-up. The "
      "wall clock also counts time that other programs took.",
      text_at(speedup, "certainty"));
  for (const auto& [name, member] : {std::pair{"Generator", "generator"}, {"Stage", "stage"}})
    if (const Json& part = parts.at(member); !part.is_null())
      how += fmt::format(" {} alone: {}, {}.", name, text_at(part, "how"),
                         counted(count_at(part, "pairs"), "pair"));
  return {"The gain, part by part",
          {{.table = table_of(rows, {{"Gain over stock, " + flags_in_words(text_at(report, "flags")), "what"},
                                     {"Whole run", "measured", "significant"},
                                     {"Low to high", "interval", "number"},
                                     {"A shower", "shower", "significant"},
                                     {"Low to high", "shower_interval", "number"},
                                     {"From zero; upright line: stock", "picture", "picture"}})},
           {.note = how}}};
}

/// CPU seconds of a category in a run of a build; 0 where it was not sampled.
double category_seconds(const Json& report, const std::string& build, const std::string& category) {
  const Json& sampler = report.at("sampler");
  return sampler.contains(build) ? number_at(sampler[build].at("category_s"), category) : 0;
}

/// A run as a bar from 0 to `slowest`, split into categories where it was sampled; thin lines mark the single
/// runs.
Json run_picture(const Json& report, const Json& runs, double slowest) {
  Json shapes = Json::array();
  double at = 0;
  std::size_t index = 0;
  for (const Json& category : report.at("categories")) {
    const std::string colour = category_colour(index++);
    const double taken = category_seconds(report, runs.at("build"), category.at("name")) / slowest;
    if (!(taken > 0)) continue;
    shapes.push_back(shape(at, at + taken, 4, 24, colour));
    if (category.at("accelerated")) shapes.push_back(shape(at, at + taken, 31, 3, "gain"));
    at += taken;
  }
  if (at == 0) shapes.push_back(shape(0, number_at(runs, "median_cpu_s") / slowest, 4, 24, "whole"));
  for (const double time : runs.at("cpu_s"))
    shapes.push_back(shape(time / slowest, time / slowest, 0, 32, "run"));
  return {{"height", 36}, {"shapes", shapes}};
}

Section times_section(const Json& report) {
  Json rows = report.at("runs");
  double slowest = 0;
  for (Json& runs : rows) {
    const auto times = runs.at("cpu_s").get<std::vector<double>>();
    const auto [low, high] = std::minmax_element(times.begin(), times.end());
    slowest = std::max(slowest, *high);
    const std::string build = runs.at("build");
    const std::string flags = runs.at("flags");
    runs["words"] = build == "patched-generator" ? "Patched, generator alone"
                    : build == "patched-stage"
                        ? "Patched, Cherenkov stage alone"
                        : (build == "patched" ? "Patched, " : "Stock, ") + flags_in_words(flags);
    if (flags == "tuned")
      runs["words"] = fmt::format("{} ({})", text_at(runs, "words"), text_at(runs, "fflags"));
    if (times.size() > 1) runs["range"] = fmt::format("{} to {}", significant(*low), significant(*high));
    runs["count"] = times.size();
    runs["memory"] = fmt::format("{:.0f} MiB", runs.at("peak_rss_kib").get<double>() / 1024);
  }
  for (Json& runs : rows) runs["picture"] = run_picture(report, runs, slowest);
  return {"Times of a run",
          {{.table = table_of(rows, {{"Build", "words"},
                                     {"CPU time, median", "median_cpu_s", "seconds"},
                                     {"Least to most", "range", "number"},
                                     {"Wall time", "median_wall_s", "seconds"},
                                     {"Runs", "count", "count"},
                                     {"Peak memory", "memory", "number"},
                                     {"From zero", "picture", "picture"}})},
           {.note = "Bar: median CPU time, split into the categories below where the build was sampled; "
                    "upright lines: the single runs; below it: what the overlay accelerates."}}};
}

std::string about_samples(const char* name, const Json& sampled) {
  std::string text = fmt::format(
      "{}: {} in {}, one every {} ms of CPU time", name, counted(count_at(sampled, "samples"), "sample"),
      counted(count_at(sampled, "runs"), "run"), significant(sampled.at("real_interval_ms")));
  if (sampled.at("lost") > 0) text += fmt::format(", {} lost", grouped(sampled["lost"]));
  if (const double others = sampled.at("other_threads_s"); others > 0.0005 * number_at(sampled, "cpu_s"))
    text += fmt::format("; {:.2f} s in other threads, by their clock", others);
  return text + ".";
}

Section categories_section(const Json& report) {
  const Json& sampler = report.at("sampler");
  if (!sampler.contains("stock") || !sampler.contains("patched")) return {};
  const Json &stock = sampler["stock"], &patched = sampler["patched"];
  double longest = 0;
  for (const char* build : {"stock", "patched"})
    for (const double taken : sampler[build].at("category_s")) longest = std::max(longest, taken);
  Json rows = Json::array();
  for (const bool accelerated : {true, false})
    for (std::size_t i = 0; i < report.at("categories").size(); ++i) {
      const Json& category = report["categories"][i];
      const std::string name = category.at("name"), colour = category_colour(i);
      const double before = category_seconds(report, "stock", name),
                   after = category_seconds(report, "patched", name);
      if (category.at("accelerated") != accelerated || before + after == 0) continue;
      const Json shapes{shape(0, before / longest, 2, 8, colour), shape(0, after / longest, 12, 8, colour)};
      rows.push_back({{"what", text_at(category, "title") + (accelerated ? " (accelerated)" : "")},
                      {"colour", colour},
                      {"picture", {{"height", 22}, {"shapes", shapes}}},
                      {"stock", before},
                      {"patched", after},
                      {"stock_share", stock.at("categories").at(name)},
                      {"patched_share", patched.at("categories").at(name)}});
    }
  const Json& speedup = report.at("speedup");
  std::string removed;
  if (const Json& fraction = speedup.at("removed_fraction"); !fraction.is_null()) {
    removed =
        fmt::format("In stock the accelerated categories take {} of the CPU time. Of this time, {} went",
                    percent(speedup.at("accelerated_share_stock")), percent(fraction));
    if (!speedup.at("removed_low").is_null())
      removed +=
          fmt::format(" ({} to {})", percent(speedup["removed_low"]), percent(speedup["removed_high"]));
    removed += ". The overlay also saves time outside of them, so a measured gain may exceed Amdahl's.";
  }
  return {"Where the CPU time goes",
          {{.text = removed},
           {.table = table_of(rows, {{"Category", "what"},
                                     {"Stock above, patched below", "picture", "picture"},
                                     {"Stock", "stock", "seconds"},
                                     {"Patched", "patched", "seconds"},
                                     {"Stock share", "stock_share", "percent"},
                                     {"Patched share", "patched_share", "percent"}})},
           {.note = fmt::format("Samples by a timer on consumed CPU time. Seconds are a category's share of "
                                "all samples times the median of the timed runs. A sample names the "
                                "instruction after the one that was waited for. {} {}",
                                about_samples("Stock", stock), about_samples("Patched", patched))}}};
}

Section startup_section(const Json& report) {
  const Json &startup = report.at("startup"), &shower = report.at("shower");
  const char* title = "Start-up and showers";
  if (shower.at("stock_s").is_null())
    return {
        title,
        {{.text = "The begin of the first shower was not seen in the log, so the two are not timed apart."}}};
  std::string tables;
  if (!startup.at("tables").empty())
    tables = fmt::format(
        "Tables that a first run writes ({}) were made once, before the timed runs, and are the same files "
        "for both programs, which both write {}.",
        fmt::join(startup["tables"].get<std::vector<std::string>>(), ", "),
        report.at("identity").at("first_run_identical") == true ? "them with the same bytes" : "other bytes");
  Json rows{startup, shower};
  rows[0]["what"] = "Before the first shower";
  rows[1]["what"] = "A shower";
  return {
      title,
      {{.table = table_of(rows, {{"CPU time, median", "what"},
                                 {"Stock", "stock_s", "seconds"},
                                 {"Patched", "patched_s", "seconds"}})},
       {.note =
            "Start-up is the CPU time that a run has used when its log says that the first shower begins."},
       {.note = tables}}};
}

}  // namespace

std::string certainty(int pairs) {
  if (pairs == 1) return "one pair of runs: no interval";
  // Of so few pairs the bootstrap interval is the range (support/statistics.hpp).
  return fmt::format("{} {} pairs of runs", pairs < 6 ? "range of" : "95% interval from", pairs);
}

std::vector<std::string> closing_lines(const Json& report) {
  std::vector<std::string> lines{identity_line(report)};
  if (const Json& failed = report.at("identity").at("command_failed"); !failed.is_null())
    lines.push_back(fmt::format("But {}.", failed.get<std::string>()));
  for (const std::string substitute : report.at("substitutes"))
    lines.push_back(fmt::format("Substitute: {}.", substitute));
  if (runs_of(report, "patched") != nullptr)
    lines.insert(lines.end(), {times_line(report), gain_line(report), saving_line(report.at("speedup"))});
  if (!report.at("parts").at("generator").is_null()) lines.push_back(parts_line(report));
  return lines;
}

std::vector<Section> time_sections(const Json& report) {
  return {gain_section(report), times_section(report), categories_section(report), startup_section(report)};
}

}  // namespace overlay
