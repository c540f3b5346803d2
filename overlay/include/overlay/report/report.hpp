#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
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
struct BuildRuns {
  std::string build, flags, fflags, cflags;
  std::vector<double> wall_s, cpu_s;
  long peak_rss_kib = 0;
};

/// What the patched program's Cherenkov stage said of itself.
struct Light {
  std::string asked = "off", backend, summary;
  std::optional<std::uint64_t> steps, left_to_corsika, bunches, traced, skipped;
};

/// Everything that a comparison found; the members of report.json and the text of report.md come from it
/// alone.
struct Report {
  std::string profile, corsika_version, corsika_sha256, flags, library_version, card;
  std::string backend, backend_asked;
  long showers = 0;
  support::Machine machine;
  std::string started;  ///< UTC
  int repeats = 0;
  std::optional<int> core;

  Identity identity;
  int identity_pairs = 0;                         ///< pairs of runs that were compared
  std::optional<bool> sampled_outputs_identical;  ///< runs under the sampler against the plain stock run
  std::vector<BuildRuns> runs;                    ///< stock, patched, then stock-shipped where it was run

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

/// What follows from a report's measurements.
struct Derived {
  support::Estimate speedup, wall_speedup, removed;
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

/// report.json
nlohmann::json report_json(const Report& report, const Derived& derived);
/// report.md; `pictures` are file names beside it.
std::string report_markdown(const Report& report, const Derived& derived,
                            const std::vector<std::string>& pictures);
/// One line for the terminal.
std::string report_line(const Report& report, const Derived& derived);

/// Writes the report folder: everything into a folder beside it, which then takes its name. An older report
/// is replaced only when the new one is whole. Returns what could not be done (pictures), one line each.
std::vector<std::string> write_report(const Report& report, const std::filesystem::path& folder);

}  // namespace overlay
