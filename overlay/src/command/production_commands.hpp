// The commands of `overlay production` as plain functions of plain requests. Nothing here knows the command
// line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "overlay/production/create.hpp"
#include "overlay/production/emit.hpp"

namespace overlay {

/// `overlay production check-seeds`: cards, logs, output files, folders of them, or productions.
struct CheckSeeds {
  std::vector<std::filesystem::path> files;
};

// Each returns the exit status and throws support::Error, one line that says what to do.
int run_production_new(NewProduction request);
int run_production_emit(EmitRequest request);
int run_production_check_seeds(CheckSeeds request);  ///< 1 where runs share random numbers

}  // namespace overlay
