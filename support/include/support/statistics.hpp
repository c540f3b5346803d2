// Medians, ratios of run times, and their intervals. Computes only; the same input gives the same output.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace support {

/// An estimate with its interval, nominally 95%.
struct Estimate {
  double value = 0, low = 0, high = 0;
  bool has_interval = true;  ///< false where one value is all there is: low and high then say nothing
};

/// Median; the mean of the middle two for an even number. 0 for none.
double median(std::vector<double> values);

/// The q quantile (0 to 1) by linear interpolation between order statistics. 0 for none.
double quantile(std::vector<double> values, double q);

/// Wilson's 95% interval for a share of `hits` in `trials` (E. B. Wilson 1927, J. Am. Stat. Assoc. 22, 209).
/// 0 hits and 0 trials: 0, from 0 to 1.
Estimate binomial_share(double hits, double trials);

/// Median of `values` with a percentile bootstrap interval (Efron 1979), nominally 95%, from a fixed seed.
/// For 2 to 5 values it is their range, which covers the median with 50, 75, 87.5, 94%. With one value there
/// is no interval. Of no values: 0, without an interval.
Estimate bootstrap_median(const std::vector<double>& values, int rounds = 10000);

/// Ratios a[i] / b[i] of runs made in pairs, their median and its interval; pairs whose b[i] is not above 0
/// are left out. Throws std::invalid_argument where a and b differ in length.
Estimate paired_ratio(const std::vector<double>& a, const std::vector<double>& b);

/// Median of `a` over median of `b`, of runs that were not made in pairs; in each bootstrap round both are
/// drawn anew. There is no interval where one of them has a single value. 0 where one of them has none.
Estimate ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b);

/// Time saved over the time of the accelerated part, which is `share` of stock's: (stock - patched) /
/// (share * stock) for every pair, its median and its interval. Every bootstrap round also draws the share
/// anew within its own error, `share_sigma`. Pairs whose stock[i] is not above 0 are left out. 0, without an
/// interval, where no pair is left or the share is not above 0. Throws std::invalid_argument where stock and
/// patched differ in length.
Estimate removed_fraction(const std::vector<double>& stock, const std::vector<double>& patched, double share,
                          double share_sigma);

/// The gain if exactly a share (0 to 1) of the time went: 1 / (1 - share) (Amdahl's law). 0 for a share of 1,
/// where it would be infinite.
double amdahl_gain(double share);

}  // namespace support
