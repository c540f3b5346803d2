// Repetitions of all rows in turns, and the time of each.
#include "measure.hpp"

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
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

// A thread that cannot be pinned works too, on any core.
void run_on(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

// Shows that the run is alive; the file has what was measured.
struct Progress : benchmark::BenchmarkReporter {
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& /*runs*/) override {
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, ".");
  }
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
  const Row row{.name = name, .kind = kind, .n = n, .numbers = count * n, .device = device_, .bytes = bytes};
  const auto all = [count, request = std::move(request), finish = std::move(finish)] {
    for (std::size_t i = 0; i < count; ++i) request(i);
    finish();
  };
  benchmark::RegisterBenchmark(name.c_str(),
                               [row, all, clock = clock_, warm = false](benchmark::State& state) mutable {
                                 state.SetLabel(label_of(row));
                                 if (!std::exchange(warm, true)) clock(row, all);
                                 for (auto _ : state) state.SetIterationTime(clock(row, all) * 1e-9);
                               })
      ->UseManualTime()
      ->Repetitions(repeats_)
      ->Iterations(1);
}

void Measure::add_threads(std::vector<Pages>& memory, const std::vector<int>& cores, std::size_t largest) {
  const int most = static_cast<int>(memory.size());
  for (int threads = 1;; threads = std::min(2 * threads, most)) {
    for (const std::size_t n : kRequests) {
      if (n > largest) continue;
      const Row row{.name = "simd", .kind = "threads", .n = n, .numbers = n, .threads = threads};
      const auto work = [&memory, cores, largest, n, label = label_of(row)](benchmark::State& state) {
        state.SetLabel(label);
        ranmar::use_simd_target(0);
        const auto thread = static_cast<std::size_t>(state.thread_index());
        run_on({cores[thread % cores.size()]});
        memory[thread].resize(pages_of(largest));
        auto sequence = ranmar::seeded_state<ranmar::Form48>(state.thread_index() + 1);
        for (auto _ : state) ranmar::fill_simd(sequence, memory[thread].front().numbers, n);
        run_on(cores);  // the first thread is that of the program
      };
      benchmark::RegisterBenchmark(row.name.c_str(), work)
          ->Threads(threads)
          ->UseRealTime()
          ->Repetitions(repeats_)
          ->MinTime(seconds_);
    }
    if (threads == most) break;
  }
}

double wall_ns(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
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
