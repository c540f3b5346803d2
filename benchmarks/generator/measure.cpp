// Repetitions of all rows in turns, and the time of each.
#include "measure.hpp"

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <unistd.h>

#include <map>

#include "ranmar/fill.hpp"
#include "ranmar_testing/simd_target.hpp"

namespace bench {
namespace {

std::string key(const Row& row) { return fmt::format("{}/{}/{}/{}", row.kind, row.name, row.n, row.threads); }

// Keeps every repetition's time by benchmark name, and shows that the run is alive.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      // CPU time on one core, so that other programs of the machine do not count; wall time of several.
      const bool manual = !run.run_name.time_type.empty();
      const double seconds = manual ? run.real_accumulated_time : run.cpu_accumulated_time;
      times[run.run_name.function_name].push_back(seconds * 1e9 / static_cast<double>(run.iterations));
    }
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\rranmar-bench: {} rows", times.size());
  }
  void Finalize() override {
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\n");
  }
  std::map<std::string, std::vector<double>> times;
};

}  // namespace

void Measure::add(const std::string& name, const std::string& kind, std::int64_t n, std::int64_t numbers,
                  std::function<void()> work, std::int64_t simd_target) {
  rows_.push_back({.name = name, .kind = kind, .n = n});
  numbers_.push_back(static_cast<double>(numbers));
  auto* const registered = benchmark::RegisterBenchmark(
      key(rows_.back()).c_str(), [work = std::move(work), simd_target](benchmark::State& state) {
        ranmar::use_simd_target(simd_target);
        for (auto _ : state) work();
      });
  set_times_.push_back([registered](double seconds) { registered->MinTime(seconds); });
}

void Measure::add_threads(const std::string& name, std::int64_t n, int threads, std::int64_t numbers,
                          std::function<double()> work) {
  rows_.push_back({.name = name, .kind = "threads", .n = n, .threads = threads});
  numbers_.push_back(static_cast<double>(numbers));
  auto* const registered = benchmark::RegisterBenchmark(key(rows_.back()).c_str(),
                                                        [work = std::move(work)](benchmark::State& state) {
                                                          ranmar::use_simd_target(0);
                                                          for (auto _ : state) state.SetIterationTime(work());
                                                        });
  registered->UseManualTime();
  set_times_.push_back([registered](double seconds) { registered->MinTime(seconds); });
}

std::vector<Row> Measure::run(int repeats, double seconds) {
  // Not by its option, whose form differs between releases of Google Benchmark.
  for (const auto& set_time : set_times_) set_time(seconds);
  std::vector<std::string> options = {"ranmar-bench", fmt::format("--benchmark_repetitions={}", repeats),
                                      "--benchmark_enable_random_interleaving=true"};
  std::vector<char*> pointers;
  pointers.reserve(options.size());
  for (auto& option : options) pointers.push_back(option.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());

  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    for (double time : collector.times[key(row)]) row.samples.push_back(time / numbers_[i]);
    summarize(row, sizeof(double));
  }
  return rows_;
}

}  // namespace bench
