// What both checks of the stage share: how they compare and print numbers, and what is near the threshold.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>

#include "corsika_runtime/cherenkov/charged_step.hpp"

namespace cherenkov::corsika {

/// "0.5 (3fe0000000000000)": a number with its bits.
inline std::string with_bits(double value) {
  char line[64];
  std::snprintf(line, sizeof line, "%.17g (%016llx)", value,
                static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(value)));
  return line;
}

/// "bunches: CORSIKA 2 (...), stage 3 (...)".
inline std::string difference_of(const std::string& what, double corsika, double stage) {
  return what + ": CORSIKA " + with_bits(corsika) + ", stage " + with_bits(stage);
}

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether a bunch of the step has a beta*n below 1 + 1e-5; sea level has 1 + 2.8e-4 at most.
inline bool is_near_threshold(LightKind light, const Step& step) {
  constexpr double kNear = 1e-5;
  if (light != LightKind::kLinear) return false;
  const double first = step.beta_n + step.beta_n_slope * (step.before.path + step.between.path);
  const double last = step.beta_n + step.beta_n_slope * (step.before.path + step.bunches * step.between.path);
  return std::min(first, last) - 1. < kNear;
}

/// Of TELOUT, in its order.
inline constexpr const char* kTeloutArguments[] = {"photons", "weight", "x",      "y",         "u",
                                                   "v",       "time",   "height", "wavelength"};

}  // namespace cherenkov::corsika
