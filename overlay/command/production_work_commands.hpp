// The commands of `overlay production` that make and check runs, as plain functions of plain requests.
// Nothing here knows the command line.
#pragma once

#include <cstdint>
#include <filesystem>

#include "overlay/production/audit.hpp"
#include "overlay/production/local_engine.hpp"
#include "overlay/production/pilot.hpp"

namespace overlay {

/// `overlay production run`.
struct WorkRequest {
  std::filesystem::path folder, scratch;
  std::int64_t run = 0;
};

// Each returns the exit status.
int run_production_run(const WorkRequest& request);
int run_production_libm_bits();
int run_production_start(const LocalRequest& request);
int run_production_check(const PilotRequest& request);
int run_production_audit(const AuditRequest& request);

}  // namespace overlay
