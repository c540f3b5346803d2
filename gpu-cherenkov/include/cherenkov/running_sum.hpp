/// Sums of many terms with the bits of adding one after the other, but not its time.
#pragma once

#include <bit>
#include <cstdint>

namespace cherenkov {

/// The power of two at or below a sum, where terms may be rounded ahead of adding them: there is room for an
/// ulp below and twice the power above. 0 where they may not.
inline double power_of_sum(double sum) {
  if (!(sum > 0x1p-900 && sum < 0x1p1000)) return 0.;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) & 0x7ff0000000000000U);
}

/// `start` and n terms, added one after the other, each sum rounded to double (to nearest, ties to even).
/// terms: readable up to the next multiple of 8; any values.
///
/// As long as the sum stays within one binade [2^k, 2^(k+1)), it is a multiple of one ulp, and adding a term
/// >= 0 adds that term rounded to such a multiple, whatever the sum is; only a term half-way between two
/// depends on it. Rounded terms add up without rounding, in any order, so SIMD lanes may add them. Where the
/// sum leaves its binade, or a term is half-way, negative or not a number, they are added one after the
/// other.
[[nodiscard]] double running_sum(double start, const double* terms, int n);

}  // namespace cherenkov
