// The rows of several threads at once.
#pragma once

#include <cstddef>

#include "measure.hpp"
#include "thread_team.hpp"

namespace bench {

/// The reference and simd backends with requests of up to `largest` numbers, by 1, 2, 4, ... `most` threads
/// of the team, which must outlive the measuring. One iteration is 10^9 `seconds` numbers a thread, 10^6 to
/// 10^8, or a request where that is more.
void add_threads(Measure& measure, ThreadTeam& team, int most, std::size_t largest, double seconds);

}  // namespace bench
