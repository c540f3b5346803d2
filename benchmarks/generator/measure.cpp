// Repetitions of all rows in turns, and the time of each.
#include "measure.hpp"

#include <benchmark/benchmark.h>
#include <fmt/core.h>
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
