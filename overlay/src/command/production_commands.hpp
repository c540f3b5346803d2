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

// Each returns the exit status and throws support::Error, one line that says what to do.
int run_production_new(NewProduction request);
int run_production_emit(EmitRequest request);

}  // namespace overlay
