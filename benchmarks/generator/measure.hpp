// Measuring rows, of the processor and of devices.
#pragma once

#include <cstddef>
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

  /// A row whose work takes its own time: it makes `numbers` numbers of `bytes` each, and returns the seconds
  /// that it took. It is repeated for `seconds`, or, with once, done once a repetition after one that warms
  /// up.
  void add_timed(Row row, double numbers, std::size_t bytes, std::function<double()> work, bool once);

  /// Measures each row `repeats` times, each time for at least `seconds`. Returns the rows in the order in
  /// which they were added. One object is filled and run after the other.
  std::vector<Row> run(int repeats, double seconds);

 private:
  struct Added {
    Row row;
    double numbers;  // of an iteration
    std::size_t bytes;
    std::function<void(int repeats, double seconds)> prepare;
  };
  std::vector<Added> rows_;
};

}  // namespace bench
