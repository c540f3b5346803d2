#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "overlay/attribution/attribution.hpp"
#include "overlay/attribution/gprof_profile.hpp"
#include "overlay/identity/identity.hpp"
#include "support/machine.hpp"
#include "support/statistics.hpp"

namespace overlay {

/// All timed runs of one build.
///   stock, patched     with the same flags
///   stock-shipped      stock with CORSIKA's own flags
///   patched-generator  the patched program with its Cherenkov stage off
///   patched-stage      the patched program with the stage and CORSIKA's own generator
struct BuildRuns {
  std::string build, flags, fflags, cflags;
  std::vector<double> wall_s, cpu_s;
  long peak_rss_kib = 0;
  std::vector<double> startup_wall_s{},
      startup_cpu_s{};  ///< until the first shower began; runs where it was seen

  bool has_startup() const { return !cpu_s.empty() && startup_cpu_s.size() == cpu_s.size(); }
};

/// What the patched program's Cherenkov stage said of itself.
struct Light {
  std::string asked = "off", backend, summary;
  bool made = false;  ///< whether the program was built with Cherenkov light
  std::optional<std::uint64_t> steps, left_to_corsika, bunches, traced, skipped;

  /// Whether the stage did something in this run.
  bool taken() const { return steps.value_or(0) + skipped.value_or(0) > 0; }
};

/// Everything that a comparison found; the members of report.json and the text of report.md come from it
/// alone.
struct Report {
  std::string profile, corsika_version, corsika_sha256, flags, library_version, card;
  std::string backend, backend_asked;
  std::string command;  ///< the command line that repeats the comparison
  bool quick = false;
  long showers = 0;
  support::Machine machine;
  std::string started;  ///< UTC
  int repeats = 0;
  std::optional<int> core;

  Identity identity;
  int identity_pairs = 0;                         ///< pairs of runs that were compared
  std::optional<bool> sampled_outputs_identical;  ///< runs under the sampler against the plain stock run
  std::optional<bool> parts_identical;            ///< runs of a part alone against stock
  std::vector<std::string>
      tables;  ///< files that a first run writes; made once and put into every run folder
  std::optional<bool> first_run_identical;     ///< whether stock and patched write the same tables
  std::vector<std::string> table_differences;  ///< one sentence a table that differs
  std::vector<BuildRuns> runs;                 ///< stock, patched, then others where they were run

  std::optional<std::uint64_t> numbers, numbers_log;
  std::string numbers_from;
  std::string summary;  ///< the patched program's own line
  std::optional<std::uint64_t> calls;
  Light light;
  std::optional<Attribution> sampled_stock, sampled_patched;
  std::optional<GprofProfile> gprof_stock, gprof_patched;
  long gprof_showers = 0;
  std::vector<Stage> stages;

  std::vector<std::string> notes;

  const BuildRuns* build(const std::string& name) const;
};

/// What one part of the overlay gives alone, or all of it: CPU time of stock over that of the program.
struct PartGain {
  support::Estimate gain;
  std::optional<support::Estimate> per_shower;  ///< start-up apart
  int pairs = 0;
  std::string how;  ///< one sentence: which program was run, or how it was derived
};

/// What follows from a report's measurements.
struct Derived {
  support::Estimate speedup, wall_speedup, removed;
  std::optional<support::Estimate> per_shower;  ///< as speedup, start-up apart
  std::optional<support::Estimate> shipped,
      shipped_per_shower;                ///< CPU time of stock as shipped over patched's
  std::optional<double> shower_shipped;  ///< CPU seconds
  std::optional<double> over_shipped;    ///< median CPU time of stock as shipped over patched's
  std::optional<double> startup_stock, startup_patched, shower_stock, shower_patched;  ///< CPU seconds
  std::optional<PartGain> generator, stage, both;
  std::string parts_note;  ///< why a part is missing
  std::optional<double> removed_by_sampler;
  std::optional<double> share_stock, share_patched;  ///< of the generator
  std::optional<double> share_stock_uncorrected, share_patched_uncorrected;
  std::optional<support::Estimate> share_stock_interval, share_patched_interval;
  std::optional<double> light_stock, light_patched;  ///< shares of all stages of Cherenkov light
  std::optional<double> accelerated_stock;           ///< share of all accelerated stages
  std::optional<double> bound;
  std::optional<double> ns_stock, ns_patched;
};
Derived derive(const Report& report);

/// The text of report.json.
std::string report_json(const Report& report, const Derived& derived);
/// The text of report.md.
std::string report_markdown(const Report& report, const Derived& derived);
/// The five lines that a comparison ends with: same bytes, times, gain, parts, and where the report is
/// (`page`; empty: no such line).
std::vector<std::string> closing_lines(const Report& report, const Derived& derived,
                                       const std::filesystem::path& page = {});

/// "95% interval from 5 pairs of runs"; "one pair of runs: no interval".
std::string certainty(const Report& report);

// Sentences that report.md and report.json share.
extern const char* const kStartupHow;       ///< how the start-up time is measured
extern const char* const kWhyGprofDiffers;  ///< why gprof's shares are not those of the sampler

/// "7.71 (7.28 to 7.81)"; "7.71 (one pair: no interval)".
std::string with_interval(const support::Estimate& estimate, int digits);
/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t value);

/// Writes the report folder: everything into a folder beside it, which then takes its name. An older report
/// is replaced only when the new one is whole. Returns what was not deleted of that, one line each.
std::vector<std::string> write_report(const Report& report, const std::filesystem::path& folder);

}  // namespace overlay
