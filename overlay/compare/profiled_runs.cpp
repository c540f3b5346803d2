// Runs under the CPU sampler and under gprof: where the time goes. Adds to the report; times nothing.
#include <fmt/format.h>

#include <algorithm>

#include "overlay/card/card.hpp"
#include "overlay/compare/comparison.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

/// What the reader must know about samples that could not be counted as they should be.
void note_shortcomings(Report& report) {
  for (const auto* sampled : {&report.sampled_stock, &report.sampled_patched})
    if (!(*sampled)->lines)
      add_note(
          report,
          "no source lines for a sampled build (is addr2line installed?): draws inlined at call sites are "
          "not counted as the generator's");
  if (!report.sampled_stock->corrected || !report.sampled_patched->corrected)
    add_note(
        report,
        "a sampled build could not be disassembled (is objdump installed?): samples are counted where they "
        "were taken, one instruction late");
  const auto is_include = [](const auto& part) { return part.first.find(".inc") != std::string::npos; };
  const auto& parts = report.sampled_patched->generator_parts;
  if (report.sampled_patched->sources_missing && std::none_of(parts.begin(), parts.end(), is_include))
    add_note(
        report,
        "the sources of the sampled patched build are gone: draws inlined at call sites are not counted as "
        "the generator's");
}

std::optional<GprofProfile> gprof_of(const Comparison& comparison, const std::string& build,
                                     const std::string& card) {
  RunRequest request;
  request.build = build;
  request.what = "1";
  request.card = card;
  const CompletedRun run = comparison.run(std::move(request));
  try {
    GprofProfile profile =
        read_gprof(comparison.set.programs.at(build).executable, run.result.folder / "gmon.out");
    comparison.runs.remove(run);
    return profile;
  } catch (const support::Error& error) {
    add_note(comparison.report, fmt::format("no gprof profile of {}: {}", build, error.what()));
    return std::nullopt;
  }
}

}  // namespace

void run_sampled_pairs(const Comparison& comparison, const CategoryList& categories, const fs::path& sampler,
                       const CompletedRun& stock) {
  Report& report = comparison.report;
  report.sampled_outputs_identical = true;
  for (int pair = 1; pair <= comparison.counts.sampled; ++pair)
    for (const std::string build : {"stock-sampled", "patched-sampled"}) {
      RunRequest request;
      request.build = build;
      request.what = std::to_string(pair);
      request.sampler = sampler;
      const CompletedRun run = comparison.run(std::move(request));
      if (!compare_runs(stock, run).identical) report.sampled_outputs_identical = false;
      auto& into = build == "stock-sampled" ? report.sampled_stock : report.sampled_patched;
      if (!into) into.emplace();
      attribute(read_cpu_samples(run.samples), comparison.set.programs.at(build).executable, categories,
                *into);
      comparison.runs.remove(run);
    }
  if (!*report.sampled_outputs_identical)
    add_note(report, "the outputs of runs under the sampler differ from those of the plain stock run");
  note_shortcomings(report);
}

void run_gprof(const Comparison& comparison, const CategoryList& categories) {
  Report& report = comparison.report;
  const bool other = report.gprof_showers != report.showers;
  if (other)
    add_note(report, fmt::format("gprof's calls and shares are of {} shower{}, everything else of {}",
                                 report.gprof_showers, report.gprof_showers == 1 ? "" : "s", report.showers));
  const std::string card =
      other ? card_with_showers(comparison.set.card, report.gprof_showers) : comparison.set.card;
  report.gprof_stock = gprof_of(comparison, "stock-gprof", card);
  report.gprof_patched = gprof_of(comparison, "patched-gprof", card);
  if (report.gprof_stock) report.calls = report.gprof_stock->draw_calls(categories.generator());
}

}  // namespace overlay
