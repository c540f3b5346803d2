// Which photons air surely absorbs, and which it surely lets through; in SIMD lanes. No side effects.
#pragma once

#include <cstddef>

namespace cherenkov::corsika {

// What is known of a photon.
inline constexpr double kAbsorbed = 0., kPasses = 1., kUndecided = 2.;
inline constexpr std::size_t kMostLanes = 8;

/// CORSIKA's ATABSO compares a random number with exp(-extinction/w). Of n photons whose w is between
/// low_w[k] > 0 and high_w[k]: what that says of any w there. The bounds are wider by 1e-6 of them. Whole
/// vectors are read and written, up to kMostLanes - 1 elements behind the last.
void passages(const double* random, const double* extinction, const double* low_w, const double* high_w,
              std::size_t n, double* passage);

}  // namespace cherenkov::corsika
