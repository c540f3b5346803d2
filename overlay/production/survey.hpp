// The one walk over all runs of a production: their states, and sums over them. Reads the production's
// folder, several runs at a time; writes nothing.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "overlay/production/plan.hpp"
#include "overlay/production/results.hpp"

namespace overlay {

/// What a published run took.
struct RunFigures {
  std::int64_t run = 0;
  std::int64_t began_s = 0, ended_s = 0;  ///< seconds since 1970, UTC
  std::uint64_t packed_bytes = 0;
  float wall_s = 0, cpu_s = 0, peak_mib = 0;
  std::uint32_t setting = 0;
};

/// Nodes that compute the same last bits.
struct NodeGroup {
  std::string node_class;  ///< empty where it was not measured
  std::int64_t runs = 0;
  std::set<std::string> hosts, processors;
};

/// A run that is not as it should be.
struct RunIssue {
  std::int64_t run = 0;
  std::string state;  ///< "rejected", "poisoned", "failed", or "stride": it may have drawn more numbers than
                      ///< its offset leaves
  std::string reason;
};

/// When the rest will be done, by the runs that ended within the last hour, or since the first began
/// where that is less.
struct EndEstimate {
  double runs_per_hour = 0;
  std::int64_t end_s = 0;  ///< seconds since 1970, UTC
};

/// What there is of a production.
struct Survey {
  std::int64_t planned = 0, published = 0, running = 0, missing = 0, rejected = 0, poisoned = 0;
  std::vector<std::int64_t> absent;        ///< runs that are not published, by rising number
  std::vector<std::int64_t> pending;       ///< those of them that are to be made: all but the poisoned ones
  std::vector<std::int64_t> published_of;  ///< by setting
  std::vector<RunFigures> figures;         ///< of published runs, by number
  std::vector<NodeGroup> groups;           ///< largest first
  std::vector<RunIssue> issues;            ///< by the run's number
  std::int64_t failed_attempts = 0;
  std::map<std::string, std::int64_t> outcomes;  ///< of failed attempts: "crash", "disk-full", ...
  std::set<std::string> other_bits;              ///< hosts that ended a run with 69: their last bits differ
  std::vector<std::string> strays;  ///< manifests in results/ of runs that the plan does not have there
  std::uint64_t bytes = 0, packed_bytes = 0;
  double cpu_s = 0, wall_s = 0;

  bool complete() const { return published == planned; }
  /// Whether there is an issue of that state.
  bool has_issue(const std::string& state) const;
  /// Nothing where no run ended within the last hour, or none is left. `now_s`: seconds since 1970.
  std::optional<EndEstimate> estimate(std::int64_t now_s) const;
};

/// Looks at every run of the plan. Files are read only of runs that have a manifest or an attempt. `visit`
/// gets the manifest of each published run, by rising number. Throws what it throws, and support::Error where
/// a folder cannot be read.
Survey survey_of(const ProductionPlan& plan, const std::filesystem::path& folder, VerifyDepth depth,
                 const std::function<void(const RunManifest&)>& visit = {});

/// Seconds since 1970 of "2026-11-22T20:15:00Z"; 0 where the text is not of that form.
std::int64_t seconds_of_utc(const std::string& text);
/// For people: "2026-11-22 20:15 UTC".
std::string utc_of_seconds(std::int64_t seconds);

/// Runs that an engine is to be given, as job arrays, one line each: base and tasks, "660000 0-11,13". A run
/// is base + task; tasks are below `size`. Bases are first_run (the plan's) + a multiple of `size`.
/// `pending`: by rising number.
std::vector<std::string> array_lines(const std::vector<std::int64_t>& pending, std::int64_t first_run,
                                     std::int64_t size);

/// Runs by rising number as ranges: "1-5,7".
std::string range_text(const std::vector<std::int64_t>& runs);

}  // namespace overlay
