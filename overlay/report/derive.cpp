// What follows from a report's measurements: shares, gains, intervals, the gain by Amdahl's law. Computes
// only.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "overlay/report/report.hpp"

namespace overlay {
namespace {

std::vector<const ProfileCategory*> accelerated_categories(const Report& report) {
  std::vector<const ProfileCategory*> categories;
  for (const ProfileCategory& category : report.categories)
    if (category.accelerated) categories.push_back(&category);
  return categories;
}

const ProfileCategory* generator_category(const Report& report) {
  for (const ProfileCategory& category : report.categories)
    if (category.name == "generator") return &category;
  return nullptr;
}

/// Interval of a share from the number of samples; time of other threads is known exactly.
support::Estimate share_interval(const Attribution& sampled, double share) {
  const double main = sampled.main_fraction(), n = static_cast<double>(sampled.samples);
  const double exact = 1.0 - main;
  const double in_main = main > 0 ? std::clamp((share - exact) / main, 0.0, 1.0) : 0.0;
  // A stage without helper threads has share <= main: then nothing is to be taken off.
  const bool helpers = share >= exact && exact > 0;
  const double p = helpers ? in_main : (main > 0 ? share / main : 0.0);
  support::Estimate estimate = support::binomial_share(p * n, n);
  const double offset = helpers ? exact : 0.0;
  return {share, estimate.low * main + offset, estimate.high * main + offset};
}

/// CPU times of a build's runs without their start-up.
std::vector<double> shower_times(const BuildRuns& runs) {
  std::vector<double> times;
  for (std::size_t i = 0; i < runs.startup_cpu_s.size(); ++i)
    times.push_back(runs.cpu_s[i] - runs.startup_cpu_s[i]);
  return times;
}

/// Gain per shower of pairs of runs; nothing where the begin of the first shower was not seen in all of them.
std::optional<support::Estimate> gain_per_shower(const BuildRuns& stock, const BuildRuns& other) {
  if (!stock.has_startup() || !other.has_startup()) return std::nullopt;
  return support::paired_ratio(shower_times(stock), shower_times(other));
}

/// The first runs of a build; with fewer runs of a part than pairs, each stands beside the pair of its
/// number.
BuildRuns first_runs(const BuildRuns& runs, std::size_t count) {
  BuildRuns first;
  first.cpu_s.assign(runs.cpu_s.begin(), runs.cpu_s.begin() + static_cast<std::ptrdiff_t>(count));
  if (runs.has_startup())
    first.startup_cpu_s.assign(runs.startup_cpu_s.begin(),
                               runs.startup_cpu_s.begin() + static_cast<std::ptrdiff_t>(count));
  return first;
}

PartGain part_gain(const BuildRuns& all_stock, const BuildRuns& other, std::string how) {
  const BuildRuns stock = first_runs(all_stock, std::min(all_stock.cpu_s.size(), other.cpu_s.size()));
  PartGain part;
  part.gain = support::paired_ratio(stock.cpu_s, other.cpu_s);
  part.per_shower = gain_per_shower(stock, other);
  part.pairs = static_cast<int>(stock.cpu_s.size());
  part.how = std::move(how);
  return part;
}

void derive_parts(const Report& report, Derived& derived) {
  const BuildRuns& stock = *report.build("stock");
  derived.both = part_gain(stock, *report.build("patched"), "the patched program");
  if (!report.light.taken()) {
    derived.both->how = "the patched program, in which only the generator has a part";
    derived.generator = derived.both;
    derived.parts_note = fmt::format("The Cherenkov stage {}.", report.light.in_run());
    return;
  }
  const BuildRuns* generator = report.build("patched-generator");
  const BuildRuns* stage = report.build("patched-stage");
  if (generator == nullptr) {
    derived.parts_note = "The parts were not run alone (--parts-repeats 0).";
    return;
  }
  derived.generator = part_gain(stock, *generator, "the patched program with its Cherenkov stage off");
  if (stage != nullptr)
    derived.stage = part_gain(stock, *stage, "the patched program built with CORSIKA's own generator");
  else
    derived.parts_note = "The Cherenkov stage was not run alone; without --quick it is.";
}

void derive_startup(const BuildRuns& stock, const BuildRuns& patched, long showers, Derived& derived) {
  derived.per_shower = gain_per_shower(stock, patched);
  if (!derived.per_shower || showers < 1) return;
  const double n = static_cast<double>(showers);
  derived.startup_stock = support::median(stock.startup_cpu_s);
  derived.startup_patched = support::median(patched.startup_cpu_s);
  derived.shower_stock = support::median(shower_times(stock)) / n;
  derived.shower_patched = support::median(shower_times(patched)) / n;
}

/// Stock as shipped against patched: these runs are not made in pairs.
void derive_shipped(const BuildRuns& shipped, const BuildRuns& patched, long showers, Derived& derived) {
  derived.shipped = support::ratio_of_medians(shipped.cpu_s, patched.cpu_s);
  if (showers < 1 || !shipped.has_startup() || !patched.has_startup()) return;
  derived.shipped_per_shower = support::ratio_of_medians(shower_times(shipped), shower_times(patched));
  derived.shower_shipped = support::median(shower_times(shipped)) / static_cast<double>(showers);
}

/// All categories of Cherenkov light: those called light-...
double light_share(const Attribution& sampled, const std::vector<ProfileCategory>& categories) {
  std::vector<const ProfileCategory*> light;
  for (const ProfileCategory& category : categories)
    if (category.name.starts_with("light-")) light.push_back(&category);
  return sampled.share_of(light);
}

}  // namespace

std::string CherenkovSummary::in_run() const {
  if (asked == "off") return "was off";
  if (!with_light && summary.empty()) return "has no part, since the run has no Cherenkov light";
  if (summary.empty())
    return "did not run: " + (!built.is_covered() ? built.reason
                              : !built.works      ? built.why
                                                  : "the run came to no step with light");
  const auto done = steps.value_or(0), left = left_to_corsika.value_or(0);
  if (done == 0 && skipped.value_or(0) > 0)
    return fmt::format("skipped {} bunches of CORSIKA's own loop, and took no whole step", grouped(*skipped));
  if (done == 0)
    return left == 0 ? "had no step to do"
                     : fmt::format("took none of {} steps; CORSIKA did them", grouped(left));
  return fmt::format("took {} of {} steps", grouped(done), grouped(done + left));
}

const BuildRuns* Report::build(const std::string& name) const {
  for (const BuildRuns& entry : runs)
    if (entry.build == name) return &entry;
  return nullptr;
}

Derived derive(const Report& report) {
  Derived derived;
  const BuildRuns* stock = report.build("stock");
  const BuildRuns* patched = report.build("patched");
  const ProfileCategory* generator = generator_category(report);
  const std::vector<const ProfileCategory*> accelerated = accelerated_categories(report);
  double sigma = 0;
  if (report.sampled_stock && report.sampled_stock->samples > 0 && generator != nullptr) {
    derived.share_stock = report.sampled_stock->share(*generator);
    derived.share_stock_uncorrected = report.sampled_stock->share_uncorrected(*generator);
    derived.share_stock_interval = share_interval(*report.sampled_stock, *derived.share_stock);
    derived.light_stock = light_share(*report.sampled_stock, report.categories);
    derived.accelerated_stock = report.sampled_stock->share_of(accelerated);
    derived.amdahl_gain = support::amdahl_gain(*derived.accelerated_stock);
    const double p = *derived.accelerated_stock;
    sigma = std::sqrt(std::max(0.0, p * (1 - p)) / static_cast<double>(report.sampled_stock->samples));
  }
  if (report.sampled_patched && report.sampled_patched->samples > 0 && generator != nullptr) {
    derived.light_patched = light_share(*report.sampled_patched, report.categories);
    derived.share_patched = report.sampled_patched->share(*generator);
    derived.share_patched_uncorrected = report.sampled_patched->share_uncorrected(*generator);
    derived.share_patched_interval = share_interval(*report.sampled_patched, *derived.share_patched);
  }
  if (stock == nullptr || patched == nullptr) return derived;
  derived.speedup = support::paired_ratio(stock->cpu_s, patched->cpu_s);
  derived.wall_speedup = support::paired_ratio(stock->wall_s, patched->wall_s);
  derive_startup(*stock, *patched, report.showers, derived);
  derive_parts(report, derived);
  const double cpu_stock = support::median(stock->cpu_s), cpu_patched = support::median(patched->cpu_s);
  if (const BuildRuns* shipped = report.build("stock-shipped"); shipped != nullptr && cpu_patched > 0)
    derive_shipped(*shipped, *patched, report.showers, derived);
  if (derived.accelerated_stock && *derived.accelerated_stock > 0) {
    derived.removed =
        support::removed_fraction(stock->cpu_s, patched->cpu_s, *derived.accelerated_stock, sigma);
    if (report.sampled_patched && report.sampled_patched->samples > 0 && cpu_stock > 0)
      derived.removed_by_sampler = 1.0 - report.sampled_patched->share_of(accelerated) * cpu_patched /
                                             (*derived.accelerated_stock * cpu_stock);
  }
  if (report.numbers && *report.numbers > 0) {
    const double numbers = static_cast<double>(*report.numbers);
    if (derived.share_stock) derived.ns_stock = *derived.share_stock * cpu_stock / numbers * 1e9;
    if (derived.share_patched) derived.ns_patched = *derived.share_patched * cpu_patched / numbers * 1e9;
  }
  return derived;
}

}  // namespace overlay
