// The rows of several threads at once.
#include "thread_rows.hpp"

#include <algorithm>
#include <string>

#include "requests.hpp"

namespace bench {

void add_threads(Measure& measure, ThreadTeam& team, int most, std::size_t largest, double seconds) {
  // Long compared with the waking of threads, and no longer for small requests than for the largest.
  const auto round = static_cast<std::size_t>(std::clamp(seconds * 1e9, 1e6, 1e8));
  for (const ranmar::Backend backend : {ranmar::Backend::kReference, ranmar::Backend::kSimd}) {
    for (const int threads : thread_counts(most)) {
      for (const std::size_t n : kRequests) {
        if (n > largest) continue;
        const std::size_t requests = std::max<std::size_t>(round / n, 1);
        const auto numbers = static_cast<std::int64_t>(n * requests) * threads;
        measure.add_threads(
            std::string(ranmar::name(backend)), static_cast<std::int64_t>(n), threads, numbers,
            [&team, backend, threads, n, requests] { return team.run(backend, threads, n, requests); });
      }
    }
  }
}

}  // namespace bench
