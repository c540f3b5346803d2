// The two published forms of RANMAR, as type parameters.
#pragma once

#include <cstdint>

namespace ranmar {

/// Lags of the lagged-Fibonacci part x_n = x_(n-97) - x_(n-33); Marsaglia, Zaman, Tsang (1990), eq. 2.
inline constexpr int kLongLag = 97;
inline constexpr int kShortLag = 33;

/// The arithmetic part c_n = c_(n-1) - 7654321 mod 16777213 in units of 2^-24, from 362436 (ibid., eq. 3).
inline constexpr std::uint32_t kArithmeticStart = 362436;
inline constexpr std::uint32_t kArithmeticStep = 7654321;
inline constexpr std::uint32_t kArithmeticModulus = 16777213;

/// The 48-bit form (CERNLIB RMM48), which CORSIKA uses: numbers are multiples of 2^-48, a zero becomes 2^-48.
struct Form48 {
  using Word = std::uint64_t;  ///< holds 48 bits at its top, so that subtraction wraps by itself
  using Real = double;
  static constexpr int kBits = 48;
  static constexpr int kShift = 16;            ///< unused low bits of a word
  static constexpr int kArithmeticShift = 40;  ///< brings c (24 bits) to the top of a word
  static constexpr Real kUnit = 0x1p-48;
};

/// The 24-bit form of James (1990): numbers are multiples of 2^-24, a zero becomes 2^-24.
struct Form24 {
  using Word = std::uint32_t;
  using Real = float;
  static constexpr int kBits = 24;
  static constexpr int kShift = 8;
  static constexpr int kArithmeticShift = 8;
  static constexpr Real kUnit = 0x1p-24F;
};

}  // namespace ranmar
