// The commands of `overlay production` as plain functions of plain requests. Nothing here knows the command
// line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "overlay/production/create.hpp"

namespace overlay {

// Each returns the exit status and throws support::Error, one line that says what to do.
int run_production_new(NewProduction request);

}  // namespace overlay
