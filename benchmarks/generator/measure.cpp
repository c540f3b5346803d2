// Repetitions of all rows in turns, and the time of each.
#include "measure.hpp"

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <unistd.h>

#include <map>
#include <utility>

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
  Row row{.name = name, .kind = kind, .n = n};
  auto* const registered = benchmark::RegisterBenchmark(
      key(row).c_str(), [work = std::move(work), simd_target](benchmark::State& state) {
        ranmar::use_simd_target(simd_target);
        for (auto _ : state) work();
      });
  rows_.push_back(
      {std::move(row), static_cast<double>(numbers), sizeof(double),
       [registered](int repeats, double seconds) { registered->Repetitions(repeats)->MinTime(seconds); }});
}

void Measure::add_timed(Row row, double numbers, std::size_t bytes, std::function<double()> work, bool once) {
  auto* const registered = benchmark::RegisterBenchmark(
      key(row).c_str(), [work = std::move(work), warm = !once](benchmark::State& state) mutable {
        ranmar::use_simd_target(0);
        if (!std::exchange(warm, true)) work();
        for (auto _ : state) state.SetIterationTime(work());
      });
  rows_.push_back({std::move(row), numbers, bytes, [registered, once](int repeats, double seconds) {
                     registered->UseManualTime()->Repetitions(repeats);
                     if (once) {
                       registered->Iterations(1);
                     } else {
                       registered->MinTime(seconds);
                     }
                   }});
}

std::vector<Row> Measure::run(int repeats, double seconds) {
  std::string name = "ranmar-bench", interleaved = "--benchmark_enable_random_interleaving=true";
  char* words[] = {name.data(), interleaved.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, words);
  // Not by options, whose form differs between releases of Google Benchmark.
  for (const Added& one : rows_) one.prepare(repeats, seconds);
  const struct Clear {
    ~Clear() { benchmark::ClearRegisteredBenchmarks(); }
  } clear;  // also where a device fails
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  std::vector<Row> rows;
  for (const Added& one : rows_) {
    Row& row = rows.emplace_back(one.row);
    for (double time : collector.times[key(row)]) row.samples.push_back(time / one.numbers);
    summarize(row, one.bytes);
  }
  return rows;
}

}  // namespace bench
