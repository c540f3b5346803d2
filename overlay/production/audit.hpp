// Audits: published runs made again, with the stock program or on another node, and compared. Writes one
// small file for each in audits/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/statistics.hpp"

namespace overlay {

/// The options of `overlay production audit`.
struct AuditRequest {
  std::filesystem::path folder;   ///< of the production
  std::filesystem::path scratch;  ///< empty: as a worker chooses
  std::int64_t stock = 0;         ///< published runs to make again with the stock program
  double elsewhere = 0;  ///< as many runs as this share (0 to 1) of all published ones, chosen from those
                         ///< made on other nodes
  /// These runs instead of a choice; with the stock program unless `elsewhere` is asked for.
  std::vector<std::int64_t> runs;
};

/// One run that was made again.
struct AuditedRun {
  std::int64_t run = 0;
  std::string kind;        ///< "stock" or "elsewhere"
  std::string made_on;     ///< host of the published run
  std::string audited_on;  ///< this host
  bool equal = false;
  std::string reason;  ///< file and byte where it is not
  double published_cpu_s = 0, audit_cpu_s = 0;
};

/// CPU time of stock over that of the published run: the median of the audited runs' ratios, with its
/// interval (support::bootstrap_median(): the range for 2 to 5 runs).
struct StockGain {
  support::Estimate ratio;
  std::int64_t runs = 0;  ///< audited with stock
};

/// Chooses runs evenly over the published ones, makes each again in a folder of its own and compares every
/// output with the published one (compare_bytes(): dates and times may differ, nothing else).
/// audits/RUN-KIND-HOST.json holds the result; a later audit of the same kind replaces it. Throws
/// support::Error where there is nothing to audit, WorkerError where a run cannot be made again.
std::vector<AuditedRun> audit_production(const AuditRequest& request);

/// The audits that a production's folder holds, by the names of their files. Damaged files are left out.
std::vector<AuditedRun> audits_of(const std::filesystem::path& folder);

/// As their files hold them, in a list.
nlohmann::ordered_json audits_json(const std::vector<AuditedRun>& audits);

/// Nothing where no run was audited with stock.
std::optional<StockGain> gain_over_stock(const std::vector<AuditedRun>& audits);

/// "8.29 times stock's throughput (8.24 to 10.30), the median of 3 runs audited with stock".
std::string text_of(const StockGain& gain);

}  // namespace overlay
