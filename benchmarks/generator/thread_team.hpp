// Threads that make numbers at the same time, one sequence per thread.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "measure.hpp"
#include "ranmar/fill.hpp"
#include "ranmar/state.hpp"

namespace bench {

/// One sequence for each thread of the team. Each has a state in cache lines of its own and memory of its
/// own, which its thread has touched first.
class ThreadTeam {
 public:
  /// Room for `numbers` numbers for each of `threads` threads. `cores`: numbers of CPU cores, at least one;
  /// thread i runs on cores[i % cores.size()]. Throws std::bad_alloc where there is not the memory.
  ThreadTeam(const std::vector<int>& cores, int threads, std::size_t numbers);

  /// The first `threads` threads start together and make `requests` requests of n numbers each, n up to
  /// `numbers`. Returns the seconds from the first one's start to the last one's end.
  double run(ranmar::Backend backend, int threads, std::size_t n, std::size_t requests);

  /// The first thread's memory, for `numbers` numbers, on a page boundary.
  [[nodiscard]] double* memory() const { return members_.front().memory.get(); }

 private:
  struct Free {
    void operator()(double* memory) const;
  };
  struct alignas(256) Member {
    ranmar::State<ranmar::Form48> state;
    std::unique_ptr<double, Free> memory;
    int core;
  };
  std::vector<Member> members_;
};

/// 1, 2, 4, ... and `most`.
std::vector<int> thread_counts(int most);

/// The reference and simd backends with requests of up to `largest` numbers, by 1, 2, 4, ... `most` threads
/// of the team, which must outlive the measuring. In one iteration each thread makes about 10^9 times
/// `seconds` numbers (one per nanosecond), at least 10^6 and at most 10^8, in whole requests. A request that
/// is larger is made once.
void add_threads(Measure& measure, ThreadTeam& team, int most, std::size_t largest, double seconds);

}  // namespace bench
