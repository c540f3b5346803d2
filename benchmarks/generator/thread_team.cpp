// Threads pinned to cores, each with a sequence and memory of its own.
#include "thread_team.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <new>
#include <string>
#include <thread>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

// A thread that cannot be pinned works too, on any core.
void pin_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

}  // namespace

void ThreadTeam::Free::operator()(double* memory) const { std::free(memory); }

ThreadTeam::ThreadTeam(const std::vector<int>& cores, int threads, std::size_t numbers) {
  constexpr std::size_t kPage = 4096;
  const std::size_t bytes = (numbers * sizeof(double) + kPage - 1) / kPage * kPage;
  for (int i = 0; i < threads; ++i) {
    auto* memory = static_cast<double*>(std::aligned_alloc(kPage, bytes));
    if (memory == nullptr) throw std::bad_alloc();
    members_.push_back({ranmar::seeded_state<ranmar::Form48>(i + 1), std::unique_ptr<double, Free>(memory),
                        cores[static_cast<std::size_t>(i) % cores.size()]});
  }
  std::vector<std::jthread> touching;
  for (Member& member : members_) {
    touching.emplace_back([&member, numbers] {
      pin_to(member.core);
      std::fill_n(member.memory.get(), numbers, 0.);
    });
  }
}

double ThreadTeam::run(ranmar::Backend backend, int threads, std::size_t n, std::size_t requests) {
  const auto count = static_cast<std::size_t>(threads);
  std::vector<Clock::time_point> starts(count), ends(count);
  std::latch all_here(threads);
  {
    std::vector<std::jthread> working;
    for (std::size_t i = 0; i < count; ++i) {
      working.emplace_back([&, i] {
        Member& member = members_[i];
        pin_to(member.core);
        all_here.arrive_and_wait();
        starts[i] = Clock::now();
        for (std::size_t r = 0; r < requests; ++r)
          ranmar::fill(backend, member.state, member.memory.get(), n);
        ends[i] = Clock::now();
      });
    }
  }
  const auto first = *std::min_element(starts.begin(), starts.end());
  const auto last = *std::max_element(ends.begin(), ends.end());
  return std::chrono::duration<double>(last - first).count();
}

std::vector<int> thread_counts(int most) {
  std::vector<int> counts;
  for (int threads = 1; threads < most; threads *= 2) counts.push_back(threads);
  counts.push_back(most);
  return counts;
}

void add_threads(Measure& measure, ThreadTeam& team, int most, std::size_t largest, double seconds) {
  // Long compared with the waking of threads, and no longer for small requests than for the largest.
  const auto round = static_cast<std::size_t>(std::clamp(seconds * 1e9, 1e6, 1e8));
  for (const ranmar::Backend backend : {ranmar::Backend::kReference, ranmar::Backend::kSimd}) {
    for (const int threads : thread_counts(most)) {
      for (const std::size_t n : kRequests) {
        if (n > largest) continue;
        const std::size_t requests = std::max<std::size_t>(round / n, 1);
        const double numbers = static_cast<double>(n * requests) * threads;
        measure.add_timed(
            {.name = std::string(ranmar::name(backend)),
             .kind = "threads",
             .n = static_cast<std::int64_t>(n),
             .numbers = numbers,
             .threads = threads},
            [&team, backend, threads, n, requests] { return team.run(backend, threads, n, requests); },
            false);
      }
    }
  }
}

}  // namespace bench
