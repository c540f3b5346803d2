// ranmar-gpu-shares: the generator's share of CPU time, from samples that were taken of a packed program
// (validation/gpu/corsika --sampled) on a machine that has neither its symbols nor its sources.
//
//   ranmar-gpu-shares PROGRAM FILE...
//
// PROGRAM is the sampled build before it was stripped, where it was built; the files are runs of one backend.
// Libraries count by their names alone: they are the other machine's.
#include <fmt/format.h>

#include <vector>

#include "overlay/attribution/attribution.hpp"
#include "support/error.hpp"
#include "support/statistics.hpp"

namespace {
namespace fs = std::filesystem;
using namespace overlay;

void run(const fs::path& program, const std::vector<fs::path>& files) {
  const Categories stages = read_categories();
  const ProfileCategory& generator = generator_of(stages);
  Attribution all;
  std::vector<double> shares;
  for (const fs::path& file : files) {
    CpuSamples samples = read_cpu_samples(file);
    decltype(samples.counts) by_name;  // the program's own path is empty
    for (auto& [path, counts] : samples.counts) by_name[fs::path(path).filename().string()].merge(counts);
    samples.counts = by_name;
    Attribution one;
    attribute(samples, program, stages, one);
    attribute(samples, program, stages, all);
    shares.push_back(100 * one.share(generator));
  }
  if (!all.lines || !all.corrected || all.sources_missing)
    throw support::Error(
        "the program's lines, instructions or sources cannot be read: give the sampled "
        "build in the tree that it was built in");
  const support::Estimate median = support::bootstrap_median(shares);
  fmt::print("runs {}, samples {}, CPU time {:.2f} s\n", all.runs, all.samples,
             static_cast<double>(all.cpu_ns) * 1e-9);
  fmt::print("generator, median of runs: {:.2f}% ({:.2f} to {:.2f})\n", median.value, median.low,
             median.high);
  fmt::print("generator, all samples: {:.2f}%, of it other threads {:.2f}%\n", 100 * all.share(generator),
             100 * (1 - all.main_fraction()));
  for (const auto* counts : {&all.category_samples, &all.generator_parts})
    for (const auto& [name, count] : *counts)
      fmt::print("  {:6.2f}% {}\n", 100 * static_cast<double>(count) / static_cast<double>(all.samples),
                 name);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: ranmar-gpu-shares PROGRAM FILE...\n");
    return 2;
  }
  try {
    run(fs::canonical(argv[1]), {argv + 2, argv + argc});
  } catch (const std::exception& e) {
    fmt::print(stderr, "ranmar-gpu-shares: error: {}\n", e.what());
    return 1;
  }
  return 0;
}
