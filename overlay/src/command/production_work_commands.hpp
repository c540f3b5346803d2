// The commands of `overlay production` that make and check runs, as plain functions of plain requests.
// Nothing here knows the command line.
#pragma once

#include <cstdint>
#include <filesystem>

namespace overlay {

/// `overlay production run`.
struct WorkRequest {
  std::filesystem::path folder, scratch;
  std::int64_t run = 0;
};

// Each returns the exit status.
int run_production_run(const WorkRequest& request);
int run_production_libm_bits();

}  // namespace overlay
