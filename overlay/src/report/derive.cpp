#include <algorithm>
#include <cmath>

#include "overlay/report/report.hpp"

namespace overlay {
namespace {

std::vector<const Stage*> accelerated_stages(const Report& report) {
  std::vector<const Stage*> stages;
  for (const Stage& stage : report.stages)
    if (stage.accelerated) stages.push_back(&stage);
  return stages;
}

const Stage* generator_stage(const Report& report) {
  for (const Stage& stage : report.stages)
    if (stage.name == "generator") return &stage;
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

/// All stages of Cherenkov light: those called light-...
double light_share(const Attribution& sampled, const std::vector<Stage>& stages) {
  std::vector<const Stage*> light;
  for (const Stage& stage : stages)
    if (stage.name.starts_with("light-")) light.push_back(&stage);
  return sampled.share_of(light);
}

}  // namespace

const BuildRuns* Report::build(const std::string& name) const {
  for (const BuildRuns& entry : runs)
    if (entry.build == name) return &entry;
  return nullptr;
}

Derived derive(const Report& report) {
  Derived derived;
  const BuildRuns* stock = report.build("stock");
  const BuildRuns* patched = report.build("patched");
  const Stage* generator = generator_stage(report);
  const std::vector<const Stage*> accelerated = accelerated_stages(report);
  double sigma = 0;
  if (report.sampled_stock && report.sampled_stock->samples > 0 && generator != nullptr) {
    derived.share_stock = report.sampled_stock->share(*generator);
    derived.share_stock_uncorrected = report.sampled_stock->share_uncorrected(*generator);
    derived.share_stock_interval = share_interval(*report.sampled_stock, *derived.share_stock);
    derived.light_stock = light_share(*report.sampled_stock, report.stages);
    derived.accelerated_stock = report.sampled_stock->share_of(accelerated);
    derived.bound = support::amdahl_bound(*derived.accelerated_stock);
    const double p = *derived.accelerated_stock;
    sigma = std::sqrt(std::max(0.0, p * (1 - p)) / static_cast<double>(report.sampled_stock->samples));
  }
  if (report.sampled_patched && report.sampled_patched->samples > 0 && generator != nullptr) {
    derived.light_patched = light_share(*report.sampled_patched, report.stages);
    derived.share_patched = report.sampled_patched->share(*generator);
    derived.share_patched_uncorrected = report.sampled_patched->share_uncorrected(*generator);
    derived.share_patched_interval = share_interval(*report.sampled_patched, *derived.share_patched);
  }
  if (stock == nullptr || patched == nullptr) return derived;
  derived.speedup = support::paired_ratio(stock->cpu_s, patched->cpu_s);
  derived.wall_speedup = support::paired_ratio(stock->wall_s, patched->wall_s);
  const double cpu_stock = support::median(stock->cpu_s), cpu_patched = support::median(patched->cpu_s);
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
