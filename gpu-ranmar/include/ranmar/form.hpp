// The forms of RANMAR, as type parameters: the two published ones, and one whose arithmetic part has 48 bits
// too.
#pragma once

#include <cstdint>

#include "ranmar/detail/arithmetic.h"
#include "ranmar/export.h"

// One source for host and device: RANMAR_HOST_DEVICE marks what kernels call as well. RANMAR_APART (not
// inlined) and RANMAR_ROLLED (loops not unrolled) keep rarely run code from raising a kernel's register
// count.
#ifdef __CUDACC__
#define RANMAR_HOST_DEVICE __host__ __device__
#define RANMAR_APART __noinline__
#else
#define RANMAR_HOST_DEVICE
#define RANMAR_APART
#endif
#ifdef __CUDA_ARCH__
#define RANMAR_ROLLED _Pragma("unroll 1")
#else
#define RANMAR_ROLLED
#endif

namespace ranmar {

/// Lags of the lagged-Fibonacci part x_n = x_(n-97) - x_(n-33); Marsaglia, Zaman, Tsang (1990), eq. 2.
inline constexpr int kLongLag = RANMAR_LONG_LAG;
inline constexpr int kShortLag = RANMAR_SHORT_LAG;

/// The arithmetic part c_n = c_(n-1) - 7654321 mod 16777213 in units of 2^-24, from 362436 (ibid., eq. 3).
struct RANMAR_API Arithmetic24 {
  using Arithmetic = std::uint32_t;  ///< holds c
  static constexpr Arithmetic kStart = 362436;
  static constexpr Arithmetic kStep = 7654321;
  static constexpr Arithmetic kModulus = 16777213;
};

/// The 48-bit form (CERNLIB RMM48), which CORSIKA uses: numbers are multiples of 2^-48, a zero becomes 2^-48.
struct RANMAR_API Form48 : Arithmetic24 {
  using Word = std::uint64_t;  ///< holds 48 bits at its top, so that subtraction wraps by itself
  using Real = double;
  static constexpr int kBits = 48;
  static constexpr int kShift = 16;            ///< unused low bits of a word
  static constexpr int kArithmeticShift = 40;  ///< brings c (24 bits) to the top of a word
  static constexpr Real kUnit = 0x1p-48;
};

/// The 24-bit form: James (1990), but a zero becomes 2^-24, so that all numbers are multiples of 2^-24. The
/// circulated routine RANMAR puts 2^-24 U(2), of its ring U, in the place of a zero, or 2^-48 where that is
/// 0.
struct RANMAR_API Form24 : Arithmetic24 {
  using Word = std::uint32_t;
  using Real = float;
  static constexpr int kBits = 24;
  static constexpr int kShift = 8;
  static constexpr int kArithmeticShift = 8;
  static constexpr Real kUnit = 0x1p-24F;
};

/// The extended form: the words of Form48 (same seeds), and the arithmetic part in 48 bits as well, so that
/// all 48 bits of a number are a difference of two sequences: c_n = c_(n-1) - d mod M in units of 2^-48, with
/// M = 2^48 - 59, the largest prime below 2^48 as 16777213 is the largest below 2^24, and d and c_0 the
/// integers nearest to 7654321/16777213 and 362436/16777213 of M. The period of c is M. These constants are
/// this library's: no published form has them.
struct RANMAR_API FormExtended48 : Form48 {
  using Arithmetic = std::uint64_t;
  static constexpr int kArithmeticShift = 16;
  static constexpr Arithmetic kStart = 6080668145483;
  static constexpr Arithmetic kStep = 128418219713276;
  static constexpr Arithmetic kModulus = 281474976710597;
};

}  // namespace ranmar
