// What a comparison found, what follows from it, and the texts of a report. Only write_report() touches
// files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "overlay/attribution/attribution.hpp"
#include "overlay/attribution/gprof_profile.hpp"
#include "overlay/build/cherenkov_stage.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/report/page.hpp"
#include "support/machine.hpp"
#include "support/statistics.hpp"

namespace overlay {

/// All timed runs of one build.
///   stock, patched     with the same flags
///   stock-shipped      stock with CORSIKA's own flags
///   patched-generator  the patched program with its Cherenkov stage off
///   patched-stage      the patched program with the stage and CORSIKA's own generator
struct BuildRuns {
  std::string build;                  ///< its name, as above
  std::string flags;                  ///< as asked: shipped, tuned or text
  std::string fflags, cflags;         ///< as handed to configure; empty: CORSIKA's own
  std::vector<double> wall_s, cpu_s;  ///< of each run, in order, seconds; always as many of both
  long peak_rss_kib = 0;              ///< the largest of all runs
  std::vector<double> startup_wall_s{},
      startup_cpu_s{};  ///< until the first shower began, seconds; of the runs where that was seen

  /// Whether the start-up is known of every run, and of one at least.
  bool has_startup() const { return !cpu_s.empty() && startup_cpu_s.size() == cpu_s.size(); }
};

/// What the patched program's Cherenkov stage printed of itself. Its counts are empty where the stage was off
/// or printed none.
struct CherenkovSummary {
  std::string asked = "off";           ///< CHERENKOV_BACKEND of the run: off, cpu, gpu, auto
  std::string backend;                 ///< that worked, cpu or gpu; empty where the stage printed nothing
  std::string summary;                 ///< its line; empty likewise
  bool with_light = false;             ///< whether the program was built with Cherenkov light
  CherenkovStage built;                ///< what of the stage is in the patched program
  std::optional<std::uint64_t> steps;  ///< steps that the stage did
  std::optional<std::uint64_t> left_to_corsika;  ///< steps that CORSIKA's own loop did
  std::optional<std::uint64_t> bunches;          ///< of the steps that the stage did
  std::optional<std::uint64_t> traced;           ///< bunches that the stage followed to the ground
  /// Bunches skipped in CORSIKA's own loop, and in steps that are not bounded
  /// (docs/cherenkov.md#the-summary).
  std::optional<std::uint64_t> skipped;

  /// Whether the stage did something in this run.
  bool taken() const { return steps.value_or(0) + skipped.value_or(0) > 0; }
  /// What the stage did in this run, as a predicate: "took 12 of 12 steps", "did not run: REASON".
  std::string in_run() const;
};

/// Everything that a comparison found; the members of report.json and the text of report.md come from it
/// alone.
struct Report {
  std::string profile;          ///< its name
  std::string corsika_version;  ///< "7.7410", or "standin 1.0"
  std::string corsika_sha256;   ///< of the archive, or of the tree's files where a folder was given
  std::string flags;            ///< as asked: shipped, tuned or text
  std::string library_version;  ///< of libranmar
  std::string card;             ///< the whole card that was run
  std::string backend;          ///< of the generator, as the patched program printed it
  std::string backend_asked;    ///< of the generator, as it was asked for
  std::string command;          ///< the command line that repeats the comparison
  bool quick = false;           ///< --quick: one pair, few showers, no CPU sampling, no gprof
  long showers = 0;             ///< of one run
  support::Machine machine;
  std::string started;      ///< UTC
  int repeats = 0;          ///< timed pairs of stock and patched
  std::optional<int> core;  ///< that runs were bound to; empty: none

  Identity identity;
  std::string command_failed;  ///< that the command behind TELFIL failed, as one sentence; empty: it did not
  int identity_pairs = 0;      ///< pairs of runs that were compared
  std::optional<bool> sampled_outputs_identical;  ///< runs under the sampler against the plain stock run
  std::optional<bool> parts_identical;            ///< runs of a part alone against stock
  std::vector<std::string>
      tables;  ///< files that a first run writes; made once and put into every run folder
  std::optional<bool> first_run_identical;     ///< whether stock and patched write the same tables
  std::vector<std::string> table_differences;  ///< one sentence a table that differs
  std::vector<BuildRuns> runs;                 ///< stock, patched, then others where they were run

  /// Random numbers that one run draws; empty where neither the patched program nor the log says.
  std::optional<std::uint64_t> numbers;
  std::optional<std::uint64_t> numbers_log;  ///< the same by the counters in stock's log; empty: not there
  std::string numbers_from;                  ///< where `numbers` comes from, in words
  std::string summary;                       ///< the generator's line of the patched program
  /// Calls of the generator's routines in stock's run of gprof_showers; empty where gprof was not run.
  std::optional<std::uint64_t> calls;
  CherenkovSummary light;
  std::optional<Attribution> sampled_stock, sampled_patched;  ///< empty where the sampler was not run
  std::optional<GprofProfile> gprof_stock, gprof_patched;     ///< empty where gprof was not run
  long gprof_showers = 0;                                     ///< of the runs under gprof
  std::vector<ProfileCategory> categories;                    ///< that samples are attributed to

  std::vector<std::string> notes;  ///< what a reader must know, one sentence each

  /// The runs of a build by its name; null where there are none.
  const BuildRuns* build(const std::string& name) const;
};

/// What one part of the patch gives alone, or all of it: CPU time of stock over that of the program.
struct PartGain {
  support::Estimate gain;
  std::optional<support::Estimate> per_shower;  ///< without the start-up
  int pairs = 0;
  std::string how;  ///< one sentence: which program was run
};

/// What follows from a report's measurements. Gains are ratios of times and shares are of CPU time, 0 to 1;
/// the intervals of estimates are nominally 95%; for 2 to 5 runs they are ranges
/// (support::bootstrap_median()).
struct Derived {
  support::Estimate speedup;       ///< stock's CPU time over patched's, of pairs
  support::Estimate wall_speedup;  ///< the same of wall time
  /// CPU time that patched saves, divided by the CPU time of the accelerated categories in stock, from the
  /// timed runs. 1: as much as all of it; more where time was saved outside of them, too. 0 where no share of
  /// these categories was sampled.
  support::Estimate removed;
  std::optional<support::Estimate> per_shower;  ///< as speedup, without the start-up
  /// CPU time of stock as shipped over patched's, and the same without start-up. Empty where stock-shipped
  /// was not run, the second also where a start-up was not seen.
  std::optional<support::Estimate> shipped, shipped_per_shower;
  std::optional<double> shower_shipped;  ///< CPU seconds a shower of stock as shipped
  /// Median CPU seconds of the start-up, and of one shower; empty where a start-up was not seen.
  std::optional<double> startup_stock, startup_patched, shower_stock, shower_patched;
  std::optional<PartGain> generator, stage, both;
  std::string parts_note;                    ///< why a part is missing
  std::optional<double> removed_by_sampler;  ///< as removed, from the samples; empty where there are none
  /// Shares of the generator in a run; these and all that follow are empty where no samples were taken.
  std::optional<double> share_stock, share_patched;
  /// The same by the sampled program counters alone.
  std::optional<double> share_stock_uncorrected, share_patched_uncorrected;
  std::optional<support::Estimate> share_stock_interval, share_patched_interval;
  /// Shares of all categories of Cherenkov light: those whose names begin with "light-".
  std::optional<double> light_stock, light_patched;
  std::optional<double> accelerated_stock;  ///< share of all accelerated categories
  /// Gain if exactly these categories' time went (Amdahl's law); `bound` in report.json. It is no bound of
  /// `speedup`: the patch also saves time outside of them.
  std::optional<double> amdahl_gain;
  /// CPU nanoseconds of the generator for one number; also empty if the count of random numbers
  /// is not known.
  std::optional<double> ns_stock, ns_patched;
};
/// Computes all of that. Where stock or patched was not run only what follows from samples is there. Touches
/// nothing, and throws std::invalid_argument where the times of stock and patched, which belong in pairs,
/// differ in number.
Derived derive(const Report& report);

/// The text of report.json.
std::string report_json(const Report& report, const Derived& derived);
/// The report as a page: report.html and report.md.
Page report_page(const Report& report, const Derived& derived);
/// Its sections that say how fast, and where the time goes. Needs timed runs of stock and patched.
std::vector<Section> time_sections(const Report& report, const Derived& derived);
/// The lines that a comparison ends with: same bytes, times, gain, parts, and where the report is (`page`;
/// empty: no such line).
std::vector<std::string> closing_lines(const Report& report, const Derived& derived,
                                       const std::filesystem::path& page = {});
/// Compiler flags as they were asked for: "as shipped", "tuned", "with -O3".
std::string flags_in_words(const std::string& flags);
/// "95% interval from 6 pairs of runs"; "range of 5 pairs of runs"; "one pair of runs: no interval".
std::string certainty(const Report& report);

/// Checks that a report can be written to `folder`, before anything has run: it may be absent or empty, or
/// hold nothing but files that have the names of a report's. Makes a folder beside it and deletes it again,
/// to see that one can be made. Throws support::Error where the report could not be written.
void check_report_folder(const std::filesystem::path& folder);
/// Writes report.json, report.html and report.md. An older report is replaced only when the new one is whole.
/// Returns what was not deleted of that, one line each. Throws support::Error where the folder cannot be
/// written any more; it says where the report is.
std::vector<std::string> write_report(const Report& report, const std::filesystem::path& folder);

}  // namespace overlay
