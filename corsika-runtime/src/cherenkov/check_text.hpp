// How a check compares and prints numbers.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>

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

/// beta*n - 1 below which a step counts as near the threshold; sea level has 2.8e-4 at most.
inline constexpr double kNearThreshold = 1e-5;

/// Of TELOUT, in its order.
inline constexpr const char* kTeloutArguments[] = {"photons", "weight", "x",      "y",         "u",
                                                   "v",       "time",   "height", "wavelength"};

}  // namespace cherenkov::corsika
