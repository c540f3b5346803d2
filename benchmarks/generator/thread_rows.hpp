// The rows of several threads at once.
#pragma once

#include <cstddef>

#include "measure.hpp"
#include "thread_team.hpp"

namespace bench {

/// The reference and simd backends with requests of up to `largest` numbers, by 1, 2, 4, ... `most` threads
/// of the team, which must outlive the measuring. In one iteration each thread makes about 10^9 times
/// `seconds` numbers (one per nanosecond), at least 10^6 and at most 10^8, in whole requests. A request that
/// is larger is made once.
void add_threads(Measure& measure, ThreadTeam& team, int most, std::size_t largest, double seconds);

}  // namespace bench
