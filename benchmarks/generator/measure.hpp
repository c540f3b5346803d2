// Measuring rows on this machine's processor.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "row.hpp"

namespace bench {

/// Rows to be measured by Google Benchmark with random interleaving, so that a noisy minute of the machine
/// falls on all of them; a row is the median of its repetitions.
class Measure {
 public:
  /// A row in CPU time: `work` makes `numbers` numbers in requests of n. simd_target: the instruction set of
  /// the simd backend, as SimdTarget::bit (ranmar_testing/simd_target.hpp); 0: the best of this CPU.
  void add(const std::string& name, const std::string& kind, std::int64_t n, std::int64_t numbers,
           std::function<void()> work, std::int64_t simd_target = 0);

  /// A row of several threads: `work` makes `numbers` numbers, all threads together, and returns the wall
  /// time in seconds.
  void add_threads(const std::string& name, std::int64_t n, int threads, std::int64_t numbers,
                   std::function<double()> work);

  /// Measures each row `repeats` times, each time for at least `seconds`. Returns the rows in the order in
  /// which they were added. To be called once per process.
  std::vector<Row> run(int repeats, double seconds);

 private:
  std::vector<Row> rows_;
  std::vector<double> numbers_;                         // of an iteration, by row
  std::vector<std::function<void(double)>> set_times_;  // of a repetition in seconds, by row
};

}  // namespace bench
