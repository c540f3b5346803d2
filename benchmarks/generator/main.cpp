// ranmar-bench: the generator and its draws against their peers, on the processor and, where there is one, on
// a CUDA and an OpenCL device, all in one run.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "measure.hpp"
#include "ranmar_testing/simd_target.hpp"
#include "support/command_line.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;

const char* const kTables =
#include "bench_py.inc"
    ;

struct Options {
  fs::path out = "build/overlay/bench";
  int repeats = 9;
  double seconds = 0.1;
  int threads = 0;  // 0: all cores
  std::size_t largest = *std::rbegin(bench::kRequests);
  std::string tree_library;
  std::string gpu = "auto";
  bool list_devices = false;
};

// overlay bench --help says what they mean, but for those that make tests short.
Options options_of(int argc, char** argv) {
  Options options;
  support::read_options(
      argc, argv, "Times the generator and its draws against their peers, in one run",
      {{"--out", &options.out, ""},
       {"--repeats", &options.repeats, "1 to 1000"},
       {"--seconds", &options.seconds, "0.001 to 100"},
       {"--threads", &options.threads, "up to 4096; 0: all cores"},
       {"--largest", &options.largest, "at least 4096"},
       {"--tree-library", &options.tree_library, "a tree's RMMARD and RMMAQD, timed beside ours"},
       {"--gpu", &options.gpu, "auto, on, off"},
       {"--opencl-devices", &options.list_devices, "Only list the devices that OpenCL has"}});
  const auto within = [](auto value, auto least, auto most) { return least <= value && value <= most; };
  if (!within(options.repeats, 1, 1000) || !within(options.seconds, 0.001, 100.) ||
      !within(options.threads, 0, 4096) || !within(options.largest, std::size_t{4096}, Options().largest) ||
      (options.gpu != "auto" && options.gpu != "on" && options.gpu != "off"))
    throw support::Error("an option has another value than it can have; see --help");
  return options;
}

struct Measured {
  std::vector<std::string> files, skipped;
  std::string problem;  // what went wrong on a device; the rows of the CPU are kept all the same
};

void measure_cpu(const Options& options, const fs::path& file) {
  constexpr std::size_t kLargestOfThreads = 10000000;  // 80 MB of memory for each
  const auto cores = support::allowed_cores();
  bench::Pages buffer(bench::pages_of(options.largest));
  std::vector<bench::Pages> memory(options.threads > 0 ? static_cast<std::size_t>(options.threads)
                                                       : cores.size());
  bench::Measure measure(options.repeats, options.seconds);
  bench::add_rows_of_one_thread(measure, buffer.front().numbers, options.largest, options.tree_library);
  measure.add_threads(memory, cores, std::min(options.largest, kLargestOfThreads));
  measure.run(file);
  ranmar::use_simd_target(0);
}

Measured measure_all(const Options& options, const fs::path& work) {
  Measured all;
  const auto file = [&work](const char* name) { return (work / name).string(); };
  measure_cpu(options, file("cpu.json"));
  all.files = {file("cpu.json")};
  if (options.gpu == "off") return all;
  try {
    if (bench::measure_opencl(options.largest, options.repeats, file("opencl.json"), all.skipped))
      all.files.push_back(file("opencl.json"));
    if (bench::measure_cuda(/*repeats=*/21, file("cuda.json"), all.skipped))
      all.files.push_back(file("cuda.json"));
    else if (options.gpu == "on")
      all.problem = "--gpu on: " + all.skipped.back();
  } catch (const std::exception& problem) {
    all.problem = problem.what();
  }
  return all;
}

// Writes bench.json, bench.md and, where python3 has matplotlib, bench.png.
void write_results(const Measured& measured, const fs::path& folder) {
  const auto machine = support::describe_machine();
  const nlohmann::json run{{"machine", {{"cpu", machine.cpu}, {"cores", machine.cores}}},
                           {"simd_target", ranmar::simd_target_in_use()},
                           {"skipped", measured.skipped}};
  fs::remove(folder / "bench.png");  // an earlier run's
  // A python3 of the user's own may stand before the system's, which has Debian's matplotlib.
  const char* const debians = "/usr/bin/python3";
  const bool takes_debians = support::run_tool({debians, "-c", "import matplotlib"}).status == 0;
  support::Command command{.argv = {takes_debians ? debians : "python3", "-", folder.string(), run.dump()},
                           .input = kTables};
  command.argv.insert(command.argv.end(), measured.files.begin(), measured.files.end());
  const auto made = support::run(command);
  if (made.status != 0)
    throw support::Error("python3 could not make the tables: " +
                         made.output.substr(made.output.rfind('\n', made.output.size() - 2) + 1));
}

int run(const Options& options) {
  if (options.list_devices) {
    std::cout << bench::opencl_devices() << '\n';
    return 0;
  }
  const support::NewFolders out(options.out);
  if (support::run_tool({"python3", "-c", ""}).status != 0)
    throw support::Error("the tables are made by python3, which is not here (Debian: python3)");
  const support::TemporaryFolder work(options.out, ".unfinished");
  const Measured measured = measure_all(options, work.path());
  support::install_interrupt_handlers();  // the tables are made by a program of its own
  write_results(measured, options.out);
  std::cout << support::read_file(options.out / "bench.md") << '\n';
  std::cout << "written: " << (options.out / "bench.json").string() << '\n' << std::flush;
  if (!measured.problem.empty()) throw std::runtime_error(measured.problem);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  support::open_standard_descriptors();
  try {
    return run(options_of(argc, argv));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "overlay: error: {}\n", problem.what());
    return dynamic_cast<const support::Interrupted*>(&problem) != nullptr ? 130 : 1;
  }
}
