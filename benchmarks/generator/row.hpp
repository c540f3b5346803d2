// What was measured of one backend with one size of request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct Row {
  std::string name;  ///< the backend, "simd"
  /// generate: bulk requests on one core, CPU time. draw: calls for a few numbers, CPU time. skip: one jump
  /// of n numbers, CPU time. threads: one sequence per thread, wall time over the numbers of all. device:
  /// left in a device's memory. host: delivered from a device to pinned memory.
  std::string kind;
  std::string device = "cpu";  ///< "cpu", or the device's name
  std::int64_t n = 0;          ///< numbers per request
  int threads = 1;
  double ns_per_number = 0.;         ///< median of the repetitions; nanoseconds per skip for kind skip
  double gb_per_s = 0.;              ///< 10^9 bytes of numbers per second; 0 for kind skip
  std::vector<double> samples = {};  ///< nanoseconds per number, one per repetition
  double ns_low = 0., ns_high = 0.;  ///< the lowest and highest repetition
};

/// The first row of that backend, kind and size; nullptr where there is none.
const Row* find_row(const std::vector<Row>& rows, std::string_view name, std::string_view kind,
                    std::int64_t n);

/// The fastest row of that kind and size whose name begins with `beginning`; nullptr where there is none.
const Row* fastest_row(const std::vector<Row>& rows, std::string_view beginning, std::string_view kind,
                       std::int64_t n);

/// Sets what follows from the samples: ns_per_number (their median), ns_low, ns_high and gb_per_s. `bytes`:
/// of one number.
void summarize(Row& row, std::size_t bytes);

/// Middle value, or the mean of the two middle ones; 0 of nothing.
double median(std::vector<double> values);

}  // namespace bench
