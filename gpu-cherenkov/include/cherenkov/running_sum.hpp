/// Sums of many terms with the bits of adding one after the other, but not its time.
#pragma once

namespace cherenkov {

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
