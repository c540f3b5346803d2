// ranmar-bench: the generator and its draws against their peers, on the processor and, where there is one, on
// a CUDA and an OpenCL device, all in one run.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "cpu_rows.hpp"
#include "device_rows.hpp"
#include "measure.hpp"
#include "ranmar/fill.hpp"
#include "ranmar_testing/simd_target.hpp"
#include "requests.hpp"
#include "results.hpp"
#include "support/error.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "thread_team.hpp"

namespace {

struct Options {
  std::filesystem::path out = "build/overlay/bench";
  int repeats = 9;
  double seconds = 0.1;
  int threads = 0;  // 0: all cores
  std::size_t largest = *std::rbegin(bench::kRequests);
  std::string tree_library;
  std::string gpu = "auto";
  int gpu_repeats = 21;
  bool list_devices = false;
};

Options options_of(int argc, char** argv, CLI::App& app) {
  Options options;
  app.add_option("--out", options.out, "Folder for bench.json, bench.md and bench.png")
      ->capture_default_str();
  app.add_option("--repeats", options.repeats, "Repetitions of each row of the CPU; a row is their median")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "Time of one repetition, in seconds")
      ->check(CLI::Range(0.001, 100.))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Most threads (default: all cores that this process may use)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--largest", options.largest, "Largest request of the CPU's rows, in numbers")
      ->check(CLI::Range(std::size_t{4096}, options.largest))
      ->capture_default_str();
  app.add_option("--tree-library", options.tree_library,
                 "Shared library with the RMMARD and RMMAQD of a real tree, timed beside ours");
  app.add_option("--gpu", options.gpu,
                 "Rows of a CUDA and of an OpenCL device: auto (where there is one), on or off")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  app.add_option("--gpu-repeats", options.gpu_repeats, "Repetitions of each row of the device")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--opencl-devices", options.list_devices, "Only list the devices that OpenCL has");
  app.parse(argc, argv);
  return options;
}

// Bytes that can be taken without driving others out of memory.
double available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  double kib = 0.;
  while (file >> key >> kib) {
    if (key == "MemAvailable:") return kib * 1024.;
    file.ignore(256, '\n');
  }
  return 0.;
}

// The largest of the requests that are asked for, with half of the memory for all threads' numbers.
std::size_t largest_that_fits(std::size_t asked, int threads, std::vector<std::string>& skipped) {
  const double room = available_memory() / 2.;
  std::size_t largest = 4096;  // what ratios are taken of is always measured
  for (const std::size_t n : bench::kRequests) {
    if (n > asked) continue;
    if (room > 0. && static_cast<double>(n) * 8. * threads > room) {
      skipped.push_back(fmt::format(
          "requests of {} numbers on the CPU SKIPPED: {} threads would need more than half of the "
          "memory",
          n, threads));
      continue;
    }
    largest = std::max(largest, n);
  }
  return largest;
}

void measure_cpu(const Options& options, bench::Results& results) {
  const auto cores = support::allowed_cores();
  const int threads = options.threads > 0 ? options.threads : static_cast<int>(cores.size());
  const std::size_t largest = largest_that_fits(options.largest, threads, results.skipped);
  bench::ThreadTeam team(cores, threads, largest);
  bench::start_sequences();
  bench::Measure measure;
  bench::add_generators(measure, team.memory(), largest);
  bench::add_draws(measure);
  bench::add_skips(measure);
  bench::add_threads(measure, team, threads, largest, options.seconds);
  if (!options.tree_library.empty())
    bench::add_tree(measure, team.memory(), largest, bench::rmmard_of(options.tree_library));
  results.rows = measure.run(options.repeats, options.seconds);
  ranmar::use_simd_target(0);
  results.simd_target = ranmar::simd_target_in_use();
}

// Returns what went wrong: the rows of the CPU are to be kept all the same.
std::string measure_devices(const Options& options, bench::Results& results) {
  if (options.gpu == "off") return {};
  const auto take = [&](const std::vector<bench::Row>& rows) {
    results.rows.insert(results.rows.end(), rows.begin(), rows.end());
    return !rows.empty();
  };
  try {
    take(bench::measure_opencl(options.largest, options.repeats, results.skipped));
    if (!take(bench::measure_cuda(options.gpu_repeats, results.skipped)) && options.gpu == "on")
      return "--gpu on: " + results.skipped.back();
  } catch (const std::exception& problem) {
    return problem.what();
  }
  return {};
}

int run(const Options& options) {
  if (options.list_devices) {
    std::cout << bench::opencl_devices() << '\n';
    return 0;
  }
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error)
    throw support::Error(fmt::format("cannot make {} ({}); give another folder with --out",
                                     options.out.string(), error.message()));
  bench::Results results;
  const auto machine = support::describe_machine();
  results.cpu = machine.cpu;
  results.cores = machine.cores;
  measure_cpu(options, results);
  const std::string problem = measure_devices(options, results);
  support::install_interrupt_handlers();  // the picture is drawn by a program of its own
  bench::derive(results);
  const std::string no_picture = bench::write_results(results, options.out);
  std::cout << bench::results_markdown(results) << '\n';
  if (!no_picture.empty()) std::cout << no_picture << '\n';
  std::cout << "written: " << (options.out / "bench.json").string() << '\n';
  if (problem.empty()) return 0;
  std::cout.flush();
  fmt::print(stderr, "overlay: error: {}\n", problem);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  support::open_standard_descriptors();
  try {
    CLI::App app{"Times the generator and its draws against their peers, in one run"};
    try {
      return run(options_of(argc, argv, app));
    } catch (const CLI::ParseError& problem) {
      return app.exit(problem);
    }
  } catch (const support::Interrupted& stopped) {
    std::fprintf(stderr, "overlay: error: %s\n", stopped.what());
    return 130;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "overlay: error: %s\n", problem.what());
    return 1;
  }
}
