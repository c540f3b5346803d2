// The end of a production: one manifest of all runs, and lists of files for what comes next. Writes
// production-manifest.json and lists/ in the production's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "overlay/production/survey.hpp"

namespace overlay {

/// The options of `overlay production collect`.
struct CollectRequest {
  std::filesystem::path folder;
  bool accept_partial = false;  ///< write the manifest though runs are missing; it says so
  bool digests = false;         ///< read all files, not just their sizes
  std::int64_t list = 0;        ///< files of so many runs in each list; 0: no lists
};

/// What was collected.
struct Collected {
  Survey survey;
  std::filesystem::path manifest;
  std::string content_sha256;  ///< of all runs' contents: equal for two productions of equal contents
  std::int64_t lists = 0;      ///< that were written
};

/// Verifies all runs and writes the production's manifest. Throws support::Error, and leaves no manifest,
/// where runs are missing or wrong, unless `accept_partial`.
Collected collect_production(const ProductionPlan& plan, const CollectRequest& request);

}  // namespace overlay
