// The rows of several threads at once.
#pragma once

#include <cstddef>

#include "measure.hpp"
#include "thread_team.hpp"

namespace bench {

/// The reference and simd backends with requests of up to `largest` numbers, by 1, 2, 4, ... `most` threads
/// of the team, which must outlive the measuring. One iteration is 10^9 `seconds` numbers per thread, but
/// 10^6 to 10^8, and at least one request.
void add_threads(Measure& measure, ThreadTeam& team, int most, std::size_t largest, double seconds);

}  // namespace bench
