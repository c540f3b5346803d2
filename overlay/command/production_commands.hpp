// The commands of `overlay production` as plain functions of plain requests. Nothing here knows the command
// line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "overlay/production/production.hpp"

namespace overlay {

/// `overlay production check-seeds`: cards, logs, output files, folders of them, or productions.
struct CheckSeeds {
  std::vector<std::filesystem::path> files;
};

/// `overlay production status`.
struct StatusRequest {
  std::filesystem::path folder;
  std::int64_t pending = 0;  ///< above 0: print the runs that are not done, as job arrays of at most so many
  bool other_bits = false;   ///< print the hosts that ended runs with 69, joined by commas
};

/// `overlay production verify`.
struct VerifyRequest {
  std::filesystem::path folder;
  std::vector<std::int64_t> runs;  ///< empty: all
  bool quick = false;              ///< sizes, not checksums
  bool keep = false;               ///< leave what is wrong where it is
};

/// `overlay production run`.
struct WorkRequest {
  std::filesystem::path folder, scratch;
  std::int64_t run = 0;
};

// Each returns the exit status and throws support::Error, one line that says what to do.
int run_production_run(const WorkRequest& request);
int run_production_libm_bits();
int run_production_audit(const AuditRequest& request);
int run_production_new(NewProduction request);
int run_production_emit(EmitRequest request);
int run_production_status(StatusRequest request);
int run_production_verify(
    VerifyRequest request);  ///< 1 where something is wrong, or an asked run is not done
int run_production_collect(CollectRequest request);
int run_production_check_seeds(CheckSeeds request);  ///< 1 where runs share random numbers

}  // namespace overlay
