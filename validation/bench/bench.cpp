// ranmar-bench: the generator and its draws against their peers, all in one run.
//
// Rows are measured by Google Benchmark with random interleaving, so that a noisy minute of the machine falls
// on all of them; a row is the median of its repetitions, and a ratio is a ratio of medians of the same run.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ranmar/fill.hpp"
#include "ranmar/jump.hpp"
#include "ranmar/rmmaqd_state.hpp"

extern "C" {
void stkini_(const double* words, const double* first_c, const std::int32_t* indices);
void stkmrd_(double* values, const std::int32_t* length, const std::int32_t* sequence);
void loopst_(const std::int64_t* times, const std::int32_t* length, double* total);
void loopca_(const std::int64_t* times, const std::int32_t* length, double* total);
void loopi1_(const std::int64_t* times, double* total);
void loopi2_(const std::int64_t* times, double* total);
void loopi3_(const std::int64_t* times, double* total);
void rnmini_(const std::int32_t* kseq);
void rnmsed_(const std::int32_t* sequence, const std::int32_t* seed);
}

namespace {

constexpr std::int32_t kSeed = 54217137;
constexpr std::size_t kGenerate =
    4096;  // numbers of the requests that ratios are taken of: about a window of the draw path
constexpr std::size_t kRequests[] = {256, kGenerate, 65536, 1048576};
constexpr std::size_t kLargest = 1048576;
constexpr std::int64_t kCalls = 1 << 14;  // calls of one iteration of a 'draw' row

using RmmardFunction = void (*)(double*, const std::int32_t*, const std::int32_t*);

struct Row {
  std::string name;
  std::string kind;  // "generate" or "draw"
  std::int64_t n;    // numbers a request
  double ns_per_number = 0.;
  std::vector<double> samples;

  [[nodiscard]] std::string key() const { return fmt::format("{}/{}/{}", kind, name, n); }
};

double median(std::vector<double> values) {
  if (values.empty()) return 0.;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

// Keeps every repetition's time by benchmark name, and shows that the run is alive.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      // CPU time: other programs on the machine do not count.
      times[run.run_name.function_name].push_back(run.cpu_accumulated_time * 1e9 /
                                                  static_cast<double>(run.iterations));
    }
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\rranmar-bench: {} rows", times.size());
  }
  void Finalize() override {
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\n");
  }
  std::map<std::string, std::vector<double>> times;
};

class Bench {
 public:
  /// A row: `work` makes `numbers_per_iteration` numbers in requests of n, with the given simd target (0: the
  /// best).
  void add(const std::string& name, const std::string& kind, std::int64_t n,
           std::int64_t numbers_per_iteration, std::function<void()> work, std::int64_t simd_target = 0) {
    rows_.push_back({name, kind, n, 0., {}});
    per_iteration_.push_back(static_cast<double>(numbers_per_iteration));
    benchmark::RegisterBenchmark(rows_.back().key().c_str(),
                                 [work = std::move(work), simd_target](benchmark::State& state) {
                                   ranmar::use_simd_target(simd_target);
                                   for (auto _ : state) work();
                                 });
  }

  void run() {
    Collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const auto& [name, times] : collector.times) {
        if (name != rows_[i].key()) continue;
        for (double time : times) rows_[i].samples.push_back(time / per_iteration_[i]);
      }
      rows_[i].ns_per_number = median(rows_[i].samples);
    }
  }

  [[nodiscard]] const Row* find(const std::string& name, const std::string& kind, std::int64_t n) const {
    for (const Row& row : rows_) {
      if (row.name == name && row.kind == kind && row.n == n) return &row;
    }
    return nullptr;
  }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
  std::vector<double> per_iteration_;
};

void add_generators(Bench& bench, double* buffer) {
  const auto fresh = ranmar::seeded_state<ranmar::Form48>(kSeed);
  for (const std::size_t n : kRequests) {
    const auto numbers = static_cast<std::int64_t>(n);
    bench.add("stock loop", "generate", numbers, numbers, [buffer, length = static_cast<std::int32_t>(n)] {
      const std::int32_t one = 1;
      stkmrd_(buffer, &length, &one);
    });
    bench.add("reference", "generate", numbers, numbers,
              [buffer, n, state = fresh]() mutable { ranmar::fill_reference(state, buffer, n); });
    bench.add("simd", "generate", numbers, numbers,
              [buffer, n, state = fresh]() mutable { ranmar::fill_simd(state, buffer, n); });
    bench.add("fill", "generate", numbers, numbers, [buffer, n] {
      std::fill_n(buffer, n, 0.5);
      benchmark::DoNotOptimize(buffer);
      benchmark::ClobberMemory();
    });
  }
  for (const ranmar::SimdTarget& target : ranmar::simd_targets()) {
    if (!target.runs_here) {
      fmt::print(stderr, "ranmar-bench: simd {} SKIPPED: this processor lacks it\n", target.name);
      continue;
    }
    bench.add(
        "simd " + target.name, "generate", kGenerate, kGenerate,
        [buffer, state = fresh]() mutable { ranmar::fill_simd(state, buffer, kGenerate); }, target.bit);
  }
}

void add_draws(Bench& bench) {
  for (std::int32_t n : {1, 2, 3, 10, 100}) {
    bench.add("stock loop", "draw", n, n * kCalls, [n] {
      double total = 0.;
      loopst_(&kCalls, &n, &total);
      benchmark::DoNotOptimize(total);
    });
    bench.add("ours, called", "draw", n, n * kCalls, [n] {
      double total = 0.;
      loopca_(&kCalls, &n, &total);
      benchmark::DoNotOptimize(total);
    });
  }
  using Loop = void (*)(const std::int64_t*, double*);
  const std::pair<std::int32_t, Loop> inlined[] = {{1, loopi1_}, {2, loopi2_}, {3, loopi3_}};
  for (const auto& [n, loop] : inlined) {
    bench.add("ours, inlined", "draw", n, n * kCalls, [loop = loop] {
      double total = 0.;
      loop(&kCalls, &total);
      benchmark::DoNotOptimize(total);
    });
  }
}

// A jump ahead: the price does not hang on the distance.
void add_skips(Bench& bench) {
  for (const std::int64_t numbers : {std::int64_t{2000000000}, std::int64_t{1000000000000000000}}) {
    bench.add("jump ahead", "skip", numbers, 1,
              [numbers, state = ranmar::seeded_state<ranmar::Form48>(kSeed)]() mutable {
                ranmar::jump(state, numbers);
                benchmark::DoNotOptimize(state.x.data());
              });
  }
}

void add_tree(Bench& bench, double* buffer, RmmardFunction rmmard) {
  for (const std::size_t n : kRequests) {
    const auto numbers = static_cast<std::int64_t>(n);
    bench.add("RMMARD of the tree", "generate", numbers, numbers,
              [buffer, rmmard, length = static_cast<std::int32_t>(n)] {
                const std::int32_t one = 1;
                rmmard(buffer, &length, &one);
              });
  }
}

// RMMARD and RMMAQD of a tree, compiled by `prove --library`.
RmmardFunction rmmard_of(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  using Rmmaqd = void (*)(std::int32_t*, std::int32_t*, const char*, std::size_t);
  auto rmmaqd = reinterpret_cast<Rmmaqd>(dlsym(handle, "rmmaqd_"));
  auto rmmard = reinterpret_cast<RmmardFunction>(dlsym(handle, "rmmard_"));
  if (rmmaqd == nullptr || rmmard == nullptr)
    throw std::runtime_error(library + " holds no RMMARD and RMMAQD");
  std::int32_t seed[3] = {kSeed, 0, 0};
  std::int32_t sequence = 1;
  rmmaqd(seed, &sequence, "S", 1);
  return rmmard;
}

double ratio(const Row* slow, const Row* fast) {
  return slow != nullptr && fast != nullptr && fast->ns_per_number > 0.
             ? slow->ns_per_number / fast->ns_per_number
             : 0.;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Times the generator and its draws against their peers, in one run"};
  std::string out = "build/overlay/bench";
  std::string tree_library;
  int repeats = 9;
  double seconds = 0.1;
  app.add_option("--out", out, "Folder for bench.json and bench.md")->capture_default_str();
  app.add_option("--repeats", repeats, "Repetitions of each row; a row is their median")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seconds", seconds, "Time of one repetition")
      ->check(CLI::Range(0.001, 100.))
      ->capture_default_str();
  app.add_option("--tree-library", tree_library,
                 "Shared library with the RMMARD and RMMAQD of a real tree, timed beside ours");
  CLI11_PARSE(app, argc, argv);

  try {
    const auto start = ranmar::to_rmmaqd(ranmar::seeded_state<ranmar::Form48>(kSeed), 97);
    const std::int32_t indices[2] = {start.i97, start.j97};
    stkini_(start.u.data(), &start.c, indices);
    const std::int32_t kseq = 9;
    const std::int32_t one = 1;
    const std::int32_t seed[3] = {kSeed, 0, 0};
    rnmini_(&kseq);
    rnmsed_(&one, seed);

    Bench bench;
    static double buffer alignas(64)[kLargest];  // aligned as the draw path's pool is
    add_generators(bench, buffer);
    add_draws(bench);
    add_skips(bench);
    if (!tree_library.empty()) add_tree(bench, buffer, rmmard_of(tree_library));

    const std::string repetitions = fmt::format("--benchmark_repetitions={}", repeats);
    const std::string time = fmt::format("--benchmark_min_time={}", seconds);
    std::vector<std::string> options = {"ranmar-bench", repetitions, time,
                                        "--benchmark_enable_random_interleaving=true"};
    std::vector<char*> pointers;
    for (auto& option : options) pointers.push_back(option.data());
    int count = static_cast<int>(pointers.size());
    benchmark::Initialize(&count, pointers.data());
    bench.run();

    nlohmann::json json;
    std::string table = "| row | numbers a request | ns a number | GB/s |\n| --- | --- | --- | --- |\n";
    for (const Row& row : bench.rows()) {
      if (row.kind == "skip") {
        json["rows"].push_back({{"name", row.name},
                                {"kind", row.kind},
                                {"device", "cpu"},
                                {"n", row.n},
                                {"ns_per_skip", row.ns_per_number},
                                {"samples", row.samples}});
        table += fmt::format("| skip of {} numbers | | {:.1f} microseconds | |\n", row.n,
                             row.ns_per_number * 1e-3);
        continue;
      }
      const double gb = 8. / row.ns_per_number;
      json["rows"].push_back({{"name", row.name},
                              {"kind", row.kind},
                              {"device", "cpu"},
                              {"n", row.n},
                              {"ns_per_number", row.ns_per_number},
                              {"gb_per_s", gb},
                              {"samples", row.samples}});
      table += fmt::format("| {}: {} | {} | {:.3f} | {:.1f} |\n", row.kind, row.name, row.n,
                           row.ns_per_number, gb);
    }
    const auto n = static_cast<std::int64_t>(kGenerate);
    const Row* stock = bench.find("stock loop", "generate", n);
    json["ratios"]["simd_over_stock"] = ratio(stock, bench.find("simd", "generate", n));
    table += fmt::format("\nsimd over stock loop: {:.1f} times the throughput\n",
                         json["ratios"]["simd_over_stock"].get<double>());
    if (const Row* tree = bench.find("RMMARD of the tree", "generate", n); tree != nullptr) {
      json["ratios"]["tree_over_stock_loop"] = ratio(stock, tree);
      table += fmt::format("RMMARD of the tree over our statement of it: {:.3f}\n", ratio(stock, tree));
    }
    json["simd_target"] = ranmar::simd_target_in_use();

    std::filesystem::create_directories(out);
    const std::filesystem::path folder(out);
    std::ofstream(folder / "bench.json") << json.dump(2) << '\n';
    std::ofstream(folder / "bench.md") << table;
    std::cout << table << "\nwritten: " << (folder / "bench.json").string() << '\n';
    if (!std::ifstream(folder / "bench.json")) throw std::runtime_error("cannot write to " + out);
  } catch (const std::exception& e) {
    fmt::print(stderr, "overlay: error: {}\n", e.what());
    return 1;
  }
  return 0;
}
