// A comparison's document, report.json: what was measured, what follows from it, and the texts that are made
// of it. docs/how-it-works.md says where each part comes from. Only write_report() touches files.
#pragma once

#include "overlay/build/cherenkov_stage.hpp"
#include "overlay/identity/identity.hpp"
#include "overlay/report/page.hpp"
#include "support/statistics.hpp"

namespace nlohmann {
template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& to, const std::optional<T>& value) { to = value ? json(*value) : json(); }
  static void from_json(const json& from, std::optional<T>& value) {
    if (!from.is_null()) value = from.get<T>();
  }
};
/// Without an interval its ends are null: a bound that says nothing must not look like one.
template <>
struct adl_serializer<support::Estimate> {
  static void to_json(json& to, const support::Estimate& gain) {
    const auto bound = [&](double value) { return gain.has_interval ? json(value) : json(); };
    to = {{"measured", gain.value}, {"low", bound(gain.low)}, {"high", bound(gain.high)}};
  }
};
}  // namespace nlohmann

namespace overlay {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FileIdentity, name, kind, bytes, bytes_patched, equal, compared,
                                   first_difference, reason, normalised)

/// The document; shares are of CPU time, 0 to 1, times are in seconds, and gains are ratios of times with
/// intervals that are nominally 95% (for 2 to 5 runs: ranges, support::bootstrap_median()). What was not
/// measured is null.
///
/// runs[] has, by `build`,
///   stock, patched     with the same flags
///   stock-shipped      stock with CORSIKA's own flags
///   patched-generator  the patched program with its Cherenkov stage off
///   patched-stage      the patched program with the stage and CORSIKA's own generator
using Json = nlohmann::json;

/// A document of a comparison of which nothing has been measured.
Json new_report();

/// The runs of a build by its name; null where there are none.
const Json* runs_of(const Json& report, const std::string& build);

/// Puts in how the outputs compare.
void put_identity(Json& report, const Identity& identity);

/// Puts what of the stage is in the patched program into the document's member cherenkov.
void put_stage(Json& light, const CherenkovStage& built);
/// Whether the stage did something in the run of the document's member cherenkov.
bool stage_took_light(const Json& light);
/// What the stage did in that run, as a predicate: "took 12 of 12 steps", "did not run: REASON".
std::string stage_in_run(const Json& light, const CherenkovStage& built);

/// Computes what follows from the measurements: medians, shares, gains, intervals, the gain by Amdahl's law
/// (speedup.bound; no bound of speedup.measured, since the patch also saves time elsewhere), and the CPU time
/// saved over that of the accelerated categories in stock (speedup.removed_fraction).
void add_figures(Json& report);

/// What a page begins with, as rows {what, which}: the simulation by card and options, the share of the light
/// that hit, the machine's load. What is not known has no row.
Json facts_of(const Json& report);

/// The finished document as a page: report.html and report.md.
Page report_page(const Json& report);
/// Its sections that say how fast, and where the time goes. Needs timed runs of stock and patched.
std::vector<Section> time_sections(const Json& report);
/// The lines that a comparison ends with: same bytes, times, gain, parts.
std::vector<std::string> closing_lines(const Json& report);
/// "95% interval from 6 pairs of runs"; "range of 5 pairs of runs"; "one pair of runs: no interval".
std::string certainty(int pairs);

/// Checks that a report can be written to `folder`, before anything has run: it may be absent or empty, or
/// hold nothing but files that have the names of a report's. Leaves nothing there. Throws support::Error
/// where the report could not be written.
void check_report_folder(const std::filesystem::path& folder);
/// Writes report.json, report.html and report.md, each whole or not at all. Throws support::Error where the
/// folder cannot be written any more; the report is printed then.
void write_report(const Json& report, const std::filesystem::path& folder);

}  // namespace overlay
