// What follows from a comparison's measurements: see the header. Computes only.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "overlay/report/report.hpp"

namespace overlay {
namespace {

using support::Estimate;
using Times = std::vector<double>;

/// CPU times of runs without their start-up; none where the first shower's begin was not seen in each of
/// them.
Times shower_times(const Json& runs) {
  Times times = runs.at("cpu_s");
  const Times startup = runs.at("startup_cpu_s");
  if (startup.size() != times.size()) return {};
  std::transform(times.begin(), times.end(), startup.begin(), times.begin(), std::minus());
  return times;
}

/// Gain of runs over those of stock, by these times. With fewer of one kind, each stands beside the pair of
/// its number; null where there is none.
Json gain_of(const Json& stock, const Json& other, const char* kind) {
  Times before = stock.at(kind), after = other.at(kind);
  const std::size_t pairs = std::min(before.size(), after.size());
  before.resize(pairs);
  after.resize(pairs);
  return pairs == 0 ? Json() : Json(support::paired_ratio(before, after));
}

Json part(const Json& stock, const Json& runs, const char* how) {
  Json json = gain_of(stock, runs, "cpu_s");
  json["per_shower"] = gain_of(stock, runs, "shower_cpu_s");
  json["pairs"] = std::min(stock.at("cpu_s").size(), runs.at("cpu_s").size());
  json["how"] = how;
  return json;
}

void add_parts(Json& report, const Json& stock, const Json& patched) {
  Json& parts = report["parts"];
  const Json& light = report.at("cherenkov");
  const Json *generator = runs_of(report, "patched-generator"), *stage = runs_of(report, "patched-stage");
  if (!stage_took_light(light)) {
    parts["generator"] = part(stock, patched, "the patched program, in which only the generator has a part");
    parts["note"] = fmt::format("The Cherenkov stage {}.", light.at("in_run").get<std::string>());
  } else if (generator != nullptr) {
    parts["generator"] = part(stock, *generator, "the patched program with its Cherenkov stage off");
    if (stage != nullptr)
      parts["stage"] = part(stock, *stage, "the patched program built with CORSIKA's own generator");
    else
      parts["note"] = "The Cherenkov stage was not run alone; without --quick it is.";
  }
}

/// Interval of a share from the number of samples; time of other threads is known exactly.
Json share_interval(const Json& sampled, double share) {
  const double cpu = sampled.at("cpu_s"), n = sampled.at("samples");
  const double exact = cpu > 0 ? sampled.at("other_threads_s").get<double>() / cpu : 0, main = 1 - exact;
  // A stage without helper threads has share <= main: then nothing is to be taken off.
  const double offset = share >= exact && exact > 0 ? exact : 0;
  const double p = main > 0 ? std::clamp((share - offset) / main, 0.0, 1.0) : 0;
  const Estimate estimate = support::binomial_share(p * n, n);
  return {estimate.low * main + offset, estimate.high * main + offset};
}

/// Shares and seconds of a sampled build. Returns the share of all accelerated categories.
std::optional<double> add_shares(Json& report, const std::string& build) {
  const auto found = report.at("sampler").find(build);
  if (found == report.at("sampler").end()) return std::nullopt;
  Json& sampled = *found;
  const double run_s = runs_of(report, build)->at("median_cpu_s");
  double accelerated = 0;
  for (const Json& category : report.at("categories")) {
    const std::string name = category.at("name");
    const double share = sampled.at("categories").at(name);
    sampled["category_s"][name] = share * run_s;
    if (category.at("accelerated")) accelerated += share;
  }
  if (sampled.at("samples") == 0) return std::nullopt;
  Json& rng = report["rng"];
  const double share = sampled.at("categories").at("generator");
  rng["share_" + build] = share;
  rng["share_" + build + "_interval"] = share_interval(sampled, share);
  if (rng.at("numbers").is_number() && rng["numbers"] > 0)
    rng["ns_per_number_" + build] = share * run_s / rng["numbers"].get<double>() * 1e9;
  return accelerated;
}

}  // namespace

Json new_report() {
  Json report = Json::parse(R"({
    "identity": {"command_failed": null, "pairs": 0, "parts_identical": null, "first_run_identical": null,
                 "sampled_outputs_identical": null},
    "runs": [], "sampler": {}, "categories": null, "notes": [], "substitutes": [],
    "startup": {"stock_s": null, "patched_s": null, "tables": []},
    "shower": {"stock_s": null, "patched_s": null, "shipped_s": null},
    "speedup": {"measured": null, "low": null, "high": null,
                "wall": {"measured": null, "low": null, "high": null},
                "per_shower": {"measured": null, "low": null, "high": null, "shipped": null},
                "shipped": null, "bound": null, "accelerated_share_stock": null, "removed_fraction": null,
                "removed_low": null, "removed_high": null},
    "parts": {"generator": null, "stage": null, "note": null},
    "rng": {"numbers": null, "summary": "", "calls": null,
            "share_stock": null, "share_stock_interval": null,
            "share_patched": null, "share_patched_interval": null,
            "ns_per_number_stock": null, "ns_per_number_patched": null},
    "cherenkov": {"asked": "off", "made": false, "backend": "", "summary": "", "steps": null,
                  "left_to_corsika": null, "bunches": null, "traced": null, "skipped": null},
    "gprof": {"share_stock": null, "share_patched": null, "flat_stock": [], "flat_patched": []}
  })");
  put_stage(report["cherenkov"], {});
  return report;
}

const Json* runs_of(const Json& report, const std::string& build) {
  for (const Json& runs : report.at("runs"))
    if (runs.at("build") == build) return &runs;
  return nullptr;
}

void put_identity(Json& report, const Identity& identity) {
  Json files = identity.files;
  for (Json& file : files)
    if (!file.at("compared")) file["equal"] = nullptr;
  const std::string& why = identity.could_not_compare;
  report["identity"].update({{"identical", why.empty() ? Json(identity.identical) : Json()},
                             {"could_not_compare", why.empty() ? Json() : Json(why)},
                             {"files", files},
                             {"events", identity.events},
                             {"reasons", identity.reasons}});
}

void put_stage(Json& light, const CherenkovStage& built) {
  light.update({{"covered", built.covered}, {"program", built.text()}});
}

bool stage_took_light(const Json& light) {
  return number_at(light, "steps") + number_at(light, "skipped") > 0;
}

std::string stage_in_run(const Json& light, const CherenkovStage& built) {
  if (light.at("asked") == "off") return "was off";
  if (light.at("summary") == "") {
    if (!light.at("made")) return "has no part, since the run has no Cherenkov light";
    return "did not run: " + (!built.is_covered() ? built.reason
                              : !built.works      ? built.why
                                                  : "the run came to no step with light");
  }
  const auto shown = [&](double count) { return grouped(static_cast<std::uint64_t>(count)); };
  const double done = number_at(light, "steps"), left = number_at(light, "left_to_corsika"),
               skipped = number_at(light, "skipped");
  if (done > 0) return fmt::format("took {} of {} steps", shown(done), shown(done + left));
  if (skipped > 0)
    return fmt::format("skipped {} bunches of CORSIKA's own loop, and took no whole step", shown(skipped));
  return left > 0 ? fmt::format("took none of {} steps; CORSIKA did them", shown(left)) : "had no step to do";
}

void add_figures(Json& report) {
  for (Json& runs : report["runs"]) {
    runs["shower_cpu_s"] = shower_times(runs);
    for (const std::string kind : {"wall_s", "cpu_s"})
      runs["median_" + kind] = support::median(runs.at(kind));
  }
  const auto share = add_shares(report, "stock");
  add_shares(report, "patched");
  Json &speedup = report["speedup"], &shower = report["shower"];
  speedup["certainty"] = certainty(report.at("repeats"));
  speedup["accelerated_share_stock"] = share;
  if (share) speedup["bound"] = support::amdahl_gain(*share);
  const Json *stock = runs_of(report, "stock"), *patched = runs_of(report, "patched"),
             *shipped = runs_of(report, "stock-shipped");
  if (stock != nullptr && patched != nullptr) {
    const double showers = number_at(report, "showers");
    double saved_s = number_at(*stock, "median_cpu_s") - number_at(*patched, "median_cpu_s");
    speedup.update(gain_of(*stock, *patched, "cpu_s"));
    speedup["wall"] = gain_of(*stock, *patched, "wall_s");
    if (const Json gain = gain_of(*stock, *patched, "shower_cpu_s"); !gain.is_null()) {
      speedup["per_shower"].update(gain);
      for (const auto& [name, runs] : {std::pair{"stock_s", stock}, {"patched_s", patched}}) {
        shower[name] = support::median(runs->at("shower_cpu_s")) / showers;
        report["startup"][name] = support::median(runs->at("startup_cpu_s"));
      }
      saved_s = (number_at(shower, "stock_s") - number_at(shower, "patched_s")) * showers;
    }
    speedup["saved_cpu_h_per_1000_showers"] = saved_s / showers * 1000 / 3600;
    if (shipped != nullptr) {
      speedup["shipped"] = support::ratio_of_medians(shipped->at("cpu_s"), patched->at("cpu_s"));
      const Times times = shipped->at("shower_cpu_s"), others = patched->at("shower_cpu_s");
      if (!times.empty()) shower["shipped_s"] = support::median(times) / showers;
      if (!times.empty() && !others.empty())
        speedup["per_shower"]["shipped"] = support::ratio_of_medians(times, others);
    }
    if (share && *share > 0) {
      const double samples = report.at("sampler").at("stock").at("samples");
      const Estimate removed =
          support::removed_fraction(stock->at("cpu_s"), patched->at("cpu_s"), *share,
                                    std::sqrt(std::max(0.0, *share * (1 - *share)) / samples));
      speedup["removed_fraction"] = removed.value;
      if (removed.has_interval) speedup["removed_low"] = removed.low, speedup["removed_high"] = removed.high;
    }
    add_parts(report, *stock, *patched);
  }
  report["facts"] = facts_of(report);
  report["summary"] = closing_lines(report);
}

}  // namespace overlay
