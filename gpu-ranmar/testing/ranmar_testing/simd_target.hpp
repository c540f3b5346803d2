// Which instruction set the simd backend uses, chosen by hand: for this project's tests and benchmarks, with
// the static library. Not installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ranmar {

/// One instruction set that the library was compiled for, and that the processor has.
struct SimdTarget {
  std::string name;  ///< Highway's name, "AVX2"
  std::int64_t bit;  ///< Highway's number for it
};

/// All of them, best first.
std::vector<SimdTarget> simd_targets();

/// Restricts the simd backend to one of `simd_targets()` (0: back to the best). For tests and benchmarks.
void use_simd_target(std::int64_t bit);

}  // namespace ranmar
