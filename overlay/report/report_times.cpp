// The sections of a report's page that say how fast, and where the time goes.
#include <fmt/format.h>

#include <algorithm>

#include "overlay/report/report.hpp"

namespace overlay {
namespace {

std::string seconds(double value) { return significant(value) + " s"; }

std::string build_in_words(const BuildRuns& runs) {
  if (runs.build == "patched-generator") return "Patched, generator alone";
  if (runs.build == "patched-stage") return "Patched, Cherenkov stage alone";
  return (runs.build == "patched" ? "Patched, " : "Stock, ") + flags_in_words(runs.flags);
}

/// Gains on one scale, from 0 to `end`: a line from stock (1) to the gain, and its interval.
Picture gain_picture(const support::Estimate& gain, double end) {
  const double from = std::min(1.0, gain.value) / end, to = std::max(1.0, gain.value) / end;
  Picture picture{24,
                  {{0, 1, 12, 1, "scale"}, {from, to, 10, 5, "gain"}, {1 / end, 1 / end, 2, 20, "stock"}}};
  if (gain.has_interval) picture.shapes.push_back({gain.low / end, gain.high / end, 11, 3, "interval"});
  picture.shapes.push_back({gain.value / end, gain.value / end, 5, 15, "interval"});
  return picture;
}

Section gain_section(const Report& report, const Derived& derived) {
  struct Row {
    std::string name;
    std::optional<support::Estimate> run, shower;
  };
  const auto of = [](const char* name, const std::optional<PartGain>& part) {
    return part ? Row{name, part->gain, part->per_shower} : Row{name, {}, {}};
  };
  std::vector<Row> rows{
      of("Random number generator alone", derived.generator),
      of("Cherenkov stage alone", derived.stage),
      {"Whole overlay", derived.speedup, derived.per_shower},
      {"Whole overlay, by wall clock", derived.wall_speedup, {}},
      {"Whole overlay, over stock as shipped", derived.shipped, derived.shipped_per_shower}};
  if (derived.amdahl_gain)
    rows.push_back({"If exactly the accelerated categories took no time (Amdahl)",
                    support::Estimate{*derived.amdahl_gain, 0, 0, false},
                    {}});
  std::erase_if(rows, [](const Row& row) { return !row.run; });
  double end = 1;
  for (const Row& row : rows)
    end = std::max(end, 1.04 * (row.run->has_interval ? row.run->high : row.run->value));
  Table table{{{"Gain over stock, " + flags_in_words(report.flags)},
               {"Whole run", true},
               {"Low to high"},
               {"A shower", true},
               {"Low to high"},
               {"From zero; upright line: stock", false, true}},
              {}};
  for (const Row& row : rows)
    table.rows.push_back({{row.name},
                          {significant(row.run->value), false, row.name == "Whole overlay"},
                          {low_to_high(*row.run)},
                          {row.shower ? significant(row.shower->value) : ""},
                          {row.shower ? low_to_high(*row.shower) : ""},
                          {"", false, false, "", gain_picture(*row.run, end)}});
  std::string how = fmt::format(
      "A gain is the CPU time of stock over that of the patched program, median of pairs; “low to high” is "
      "its 95% "
      "interval, for two to five pairs their range. Here: {}. A shower: without the start-up. The wall clock "
      "also "
      "counts time that other programs took.",
      certainty(report));
  for (const auto& [name, part] :
       {std::pair{"Generator", derived.generator}, std::pair{"Stage", derived.stage}})
    if (part) how += fmt::format(" {} alone: {}, {}.", name, part->how, counted(part->pairs, "pair"));
  return {"The gain, part by part", {{.table = table}, {.note = how}, {.note = derived.parts_note}}};
}

/// CPU seconds of a category in a run; 0 where it was not sampled.
double category_seconds(const std::optional<Attribution>& sampled, const BuildRuns* runs,
                        const ProfileCategory& category) {
  return sampled && runs != nullptr ? sampled->share(category) * support::median(runs->cpu_s) : 0;
}

/// A run as a bar from 0 to `slowest`, split into categories where it was sampled; thin lines mark the single
/// runs.
Picture run_picture(const Report& report, const BuildRuns& runs, double slowest) {
  Picture picture{36, {}};
  const auto& sampled = runs.build == "stock"     ? report.sampled_stock
                        : runs.build == "patched" ? report.sampled_patched
                                                  : std::optional<Attribution>();
  double at = 0;
  for (std::size_t i = 0; i < report.categories.size(); ++i) {
    const double taken = category_seconds(sampled, &runs, report.categories[i]) / slowest;
    if (!(taken > 0)) continue;
    picture.shapes.push_back({at, at + taken, 4, 24, category_colour(i)});
    if (report.categories[i].accelerated) picture.shapes.push_back({at, at + taken, 31, 3, "gain"});
    at += taken;
  }
  if (at == 0) picture.shapes.push_back({0, support::median(runs.cpu_s) / slowest, 4, 24, "whole"});
  for (const double time : runs.cpu_s)
    picture.shapes.push_back({time / slowest, time / slowest, 0, 32, "run"});
  return picture;
}

Section times_section(const Report& report) {
  double slowest = 0;
  for (const BuildRuns& runs : report.runs)
    for (const double time : runs.cpu_s) slowest = std::max(slowest, time);
  Table table{{{"Build"},
               {"From zero", false, true},
               {"CPU time, median", true},
               {"Least to most"},
               {"Wall time", true},
               {"Runs", true},
               {"Peak memory", true},
               {"Fortran flags"},
               {"C flags"}},
              {}};
  const auto flags = [](const std::string& given) {
    return given.empty() ? Cell{"CORSIKA's own"} : Cell{given, true};
  };
  for (const BuildRuns& runs : report.runs) {
    if (runs.cpu_s.empty()) continue;
    const auto [low, high] = std::minmax_element(runs.cpu_s.begin(), runs.cpu_s.end());
    table.rows.push_back({{build_in_words(runs)},
                          {"", false, false, "", run_picture(report, runs, slowest)},
                          {seconds(support::median(runs.cpu_s))},
                          {fmt::format("{} to {}", significant(*low), significant(*high))},
                          {seconds(support::median(runs.wall_s))},
                          {grouped(runs.cpu_s.size())},
                          {fmt::format("{:.0f} MiB", static_cast<double>(runs.peak_rss_kib) / 1024)},
                          flags(runs.fflags),
                          flags(runs.cflags)});
  }
  return {"Times of a run",
          {{.table = table},
           {.note = "Bar: median CPU time, split into the categories below where the build was sampled; "
                    "upright lines: "
                    "the single runs; below it: what the overlay accelerates."}}};
}

std::string about_samples(const char* name, const Attribution& sampled) {
  std::string text = fmt::format(
      "{}: {} in {}, one every {} ms of CPU time (asked: {} ms)", name, counted(sampled.samples, "sample"),
      counted(static_cast<std::uint64_t>(sampled.runs), "run"), significant(sampled.real_interval_ms()),
      significant(static_cast<double>(sampled.interval_us) / 1000));
  if (sampled.lost > 0) text += fmt::format(", {} lost", grouped(sampled.lost));
  if (sampled.main_fraction() < 0.9995)
    text += fmt::format("; {:.2f} s in other threads, by their clock",
                        static_cast<double>(sampled.other_threads_ns) * 1e-9);
  if (sampled.corrected)
    text += fmt::format("; {} changed category by the correction, {} were ambiguous", grouped(sampled.moved),
                        grouped(sampled.ambiguous));
  return text + ".";
}

Section categories_section(const Report& report, const Derived& derived) {
  if (!report.sampled_stock || !report.sampled_patched) return {};
  const BuildRuns *stock = report.build("stock"), *patched = report.build("patched");
  double longest = 0;
  for (const ProfileCategory& category : report.categories)
    longest = std::max({longest, category_seconds(report.sampled_stock, stock, category),
                        category_seconds(report.sampled_patched, patched, category)});
  Table table{{{"Category"},
               {"Stock above, patched below", false, true},
               {"Stock", true},
               {"Patched", true},
               {"Stock share", true},
               {"Patched share", true}},
              {}};
  for (const bool accelerated : {true, false})
    for (std::size_t i = 0; i < report.categories.size(); ++i) {
      const ProfileCategory& category = report.categories[i];
      const double before = category_seconds(report.sampled_stock, stock, category),
                   after = category_seconds(report.sampled_patched, patched, category);
      if (category.accelerated != accelerated || before + after == 0) continue;
      const std::string colour = category_colour(i);
      table.rows.push_back(
          {{category.title + (accelerated ? " (accelerated)" : ""), false, false, colour},
           {"",
            false,
            false,
            "",
            {22, {{0, before / longest, 2, 8, colour}, {0, after / longest, 12, 8, colour}}}},
           {seconds(before)},
           {seconds(after)},
           {percent(report.sampled_stock->share(category), 2)},
           {percent(report.sampled_patched->share(category), 2)}});
    }
  std::string removed;
  if (derived.accelerated_stock && *derived.accelerated_stock > 0) {
    removed =
        fmt::format("In stock the accelerated categories take {} of the CPU time. Of this time, {} went",
                    percent(*derived.accelerated_stock), percent(derived.removed.value));
    if (derived.removed.has_interval)
      removed += fmt::format(" ({} to {})", percent(derived.removed.low), percent(derived.removed.high));
    removed += ", by the CPU times of the pairs";
    if (derived.removed_by_sampler)
      removed += fmt::format("; by samples, {}", percent(*derived.removed_by_sampler));
    removed += ". The overlay also saves time outside of them, so a measured gain may exceed Amdahl's.";
  }
  const bool corrected = report.sampled_stock->corrected && report.sampled_patched->corrected;
  return {
      "Where the CPU time goes",
      {{.text = removed},
       {.table = table},
       {.note = fmt::format(
            "Samples by a timer on consumed CPU time. Seconds are a category's share of all samples times "
            "the "
            "median of the timed runs. {} {} {}",
            about_samples("Stock", *report.sampled_stock), about_samples("Patched", *report.sampled_patched),
            corrected
                ? "A sample is counted for the instruction that ran before the one it names, where its "
                  "possible predecessors are of one category."
                : "Samples are not corrected: a program counter names the instruction after the one that "
                  "was waited for.")}}};
}

Section startup_section(const Report& report, const Derived& derived) {
  if (!derived.startup_stock || !derived.shower_stock)
    return {
        "Start-up and showers",
        {{.text = "The begin of the first shower was not seen in the log, so the two are not timed apart."}}};
  std::string tables;
  if (!report.tables.empty())
    tables = fmt::format(
        "Tables that a first run writes ({}) were made once, before the timed runs, and are the same files "
        "for both "
        "programs, which both write {}.",
        fmt::join(report.tables, ", "),
        report.first_run_identical.value_or(false) ? "them with the same bytes" : "other bytes");
  return {
      "Start-up and showers",
      {{.table = {{{"CPU time, median"}, {"Stock", true}, {"Patched", true}},
                  {{{"Before the first shower"},
                    {seconds(*derived.startup_stock)},
                    {seconds(*derived.startup_patched)}},
                   {{"A shower"}, {seconds(*derived.shower_stock)}, {seconds(*derived.shower_patched)}}}}},
       {.note = "Start-up is the CPU time that a run has used when its log says that the first shower "
                "begins; each "
                "line of the log is written at once for that (GFORTRAN_UNBUFFERED_PRECONNECTED)."},
       {.note = tables}}};
}

}  // namespace

std::vector<Section> time_sections(const Report& report, const Derived& derived) {
  return {gain_section(report, derived), times_section(report), categories_section(report, derived),
          startup_section(report, derived)};
}

}  // namespace overlay
