// What a production has come to, summed over its runs. Computes only; scan.hpp reads the folder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "overlay/production/audit.hpp"
#include "overlay/production/plan.hpp"
#include "overlay/production/scan.hpp"
#include "support/statistics.hpp"

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
  NodeClass node;
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

/// A run that took more than a multiple of its setting's median time or size.
struct Outlier {
  RunFigures run;
  std::string what;  ///< "time" or "size"
  double times = 0;  ///< of the setting's median
};

/// When the rest will be done, by the runs that ended within the last hour, or since the first began
/// where that is less.
struct EndEstimate {
  double runs_per_hour = 0;
  std::int64_t end_s = 0;  ///< seconds since 1970, UTC
};

/// The sums. Fill it by add(), once for each run of the plan.
class ProductionSummary {
 public:
  explicit ProductionSummary(const ProductionPlan& plan);

  void add(const ScannedRun& run);

  std::int64_t published = 0, running = 0, missing = 0, rejected = 0, poisoned = 0;
  std::int64_t over_stride =
      0;  ///< published runs, with offsets, that may have drawn numbers of the next run
  std::int64_t failed_attempts = 0;
  std::map<std::string, std::int64_t> outcomes;  ///< of failed attempts: "crash", "disk-full", ...
  std::vector<std::int64_t> published_of;        ///< by setting
  std::vector<RunFigures> figures;               ///< of published runs, by number
  std::vector<NodeGroup> groups;                 ///< largest first once finish() was called
  std::vector<RunIssue> issues;                  ///< at most kMostIssues
  std::int64_t issues_left_out = 0;
  std::set<std::string> other_bits;  ///< hosts that ended a run with 69: their last bits differ
  std::uint64_t bytes = 0, packed_bytes = 0;
  double cpu_s = 0, wall_s = 0;

  static constexpr std::size_t kMostIssues = 1000;
  bool complete() const { return published == plan_.run_count(); }
  /// Sorts groups; call it once after the last add().
  void finish();
  /// Runs whose wall time or size (of the packed files) is more than `times` their setting's median; the
  /// furthest first, at most `most`. Settings with fewer than 8 published runs are left out.
  std::vector<Outlier> outliers(double times = 2, std::size_t most = 20) const;
  /// Nothing where no run ended within the last hour, or none is left. `now_s`: seconds since 1970.
  std::optional<EndEstimate> estimate(std::int64_t now_s) const;

 private:
  void add_published(const RunManifest& manifest);
  void check_stride(const RunManifest& manifest);
  void add_issue(RunIssue issue);

  const ProductionPlan& plan_;
};

/// CPU time of stock over that of the published run: the median of the audited runs' ratios, with its
/// interval (support::bootstrap_median(): the range for 2 to 5 runs).
struct StockGain {
  support::Estimate ratio;
  std::int64_t runs = 0;  ///< audited with stock
};

/// Nothing where no run was audited with stock.
std::optional<StockGain> gain_over_stock(const std::vector<AuditedRun>& audits);

/// "8.29 times stock's throughput (8.24 to 10.30), the median of 3 runs audited with stock".
std::string text_of(const StockGain& gain);

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
