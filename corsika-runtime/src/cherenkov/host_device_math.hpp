// The smaller and the larger of two, for host and device.
#pragma once

#include "cherenkov/step.hpp"

namespace cherenkov::corsika {

// As SIMD lanes of the CPU compute them: b if either is NaN.
CHERENKOV_HOST_DEVICE inline double lower(double a, double b) { return a < b ? a : b; }
CHERENKOV_HOST_DEVICE inline double higher(double a, double b) { return a > b ? a : b; }

}  // namespace cherenkov::corsika
