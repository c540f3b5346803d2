// Repetitions of all rows in turns, and the time of each; threads pinned to cores.
#include "measure.hpp"

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "ranmar_testing/simd_target.hpp"

namespace bench {
namespace {

// The row as bench.py reads it.
std::string label_of(const Row& row) {
  return nlohmann::json{{"name", row.name},       {"kind", row.kind},   {"device", row.device},  {"n", row.n},
                        {"threads", row.threads}, {"bytes", row.bytes}, {"numbers", row.numbers}}
      .dump();
}

using Clock = std::chrono::steady_clock;

// A thread that cannot be pinned works too, on any core.
void pin_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

// Shows that the run is alive; the file has what was measured.
class Progress : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& /*runs*/) override {
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\rranmar-bench: {} rows", ++groups_);
  }
  void Finalize() override {
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\n");
  }

 private:
  int groups_ = 0;
};

}  // namespace

Measure::~Measure() { benchmark::ClearRegisteredBenchmarks(); }

void Measure::add(const Row& row, std::function<void()> work, std::int64_t simd_target) {
  benchmark::RegisterBenchmark(
      row.name.c_str(),
      [label = label_of(row), work = std::move(work), simd_target](benchmark::State& state) {
        state.SetLabel(label);
        ranmar::use_simd_target(simd_target);
        for (auto _ : state) work();
      })
      ->Repetitions(repeats_)
      ->MinTime(seconds_);
}

void Measure::add_timed(const Row& row, std::function<double()> work, bool once) {
  auto* const registered = benchmark::RegisterBenchmark(
      row.name.c_str(),
      [label = label_of(row), work = std::move(work), warm = !once](benchmark::State& state) mutable {
        state.SetLabel(label);
        ranmar::use_simd_target(0);
        if (!std::exchange(warm, true)) work();
        for (auto _ : state) state.SetIterationTime(work());
      });
  registered->UseManualTime()->Repetitions(repeats_);
  once ? registered->Iterations(1) : registered->MinTime(seconds_);
}

void Measure::run(const std::filesystem::path& file) {
  std::string words[] = {"ranmar-bench", "--benchmark_enable_random_interleaving=true",
                         "--benchmark_out_format=json", "--benchmark_out=" + file.string()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  int count = 4;
  benchmark::Initialize(&count, arguments);
  Progress progress;
  benchmark::RunSpecifiedBenchmarks(&progress);
}

void DeviceMeasure::add(const std::string& name, const std::string& kind, std::size_t n, std::size_t bytes,
                        std::function<void(std::size_t)> request, Work finish) {
  const auto count = std::clamp<std::size_t>(20000000 / n, 3, 100);
  const Row row{.name = name,
                .kind = kind,
                .n = static_cast<std::int64_t>(n),
                .numbers = static_cast<double>(count * n),
                .device = device_,
                .bytes = bytes};
  const auto work = [count, request = std::move(request), finish = std::move(finish)] {
    for (std::size_t i = 0; i < count; ++i) request(i);
    finish();
  };
  add_timed(
      row, [row, work, clock = clock_] { return clock(row, work) * 1e-9; }, true);
}

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

double wall_ns(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

#ifndef RANMAR_WITH_CUDA
bool measure_cuda(int, const std::filesystem::path&, std::vector<std::string>& skipped) {
  skipped.push_back("rows of a CUDA device SKIPPED: the library was built without CUDA");
  return false;
}
#endif
#ifndef RANMAR_WITH_OPENCL
bool measure_opencl(std::size_t, int, const std::filesystem::path&, std::vector<std::string>& skipped) {
  skipped.push_back("rows of an OpenCL device SKIPPED: the library was built without OpenCL");
  return false;
}
std::string opencl_devices() { return {}; }
#endif

}  // namespace bench
