// ranmar-gpu-shares: the generator's share of CPU time, from samples that were taken of a packed program
// (validation/gpu/corsika --sampled) on a machine that has neither its symbols nor its sources.
//
//   ranmar-gpu-shares PROGRAM FILE...
//
// PROGRAM is the sampled build before it was stripped, where it was built; the files are runs of one backend.
// Libraries count by their names alone: they are the other machine's.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "overlay/attribution/attribution.hpp"
#include "support/error.hpp"
#include "support/statistics.hpp"

namespace {
namespace fs = std::filesystem;
using namespace overlay;

CpuSamples here(const fs::path& file) {
  CpuSamples samples = read_cpu_samples(file);
  for (LoadedObject& object : samples.objects)  // the program's own path is empty
    object.path = fs::path(object.path).filename().string();
  return samples;
}

void run(const fs::path& program, const std::vector<fs::path>& files) {
  const Categories stages = read_categories();
  const ProfileCategory& generator = generator_of(stages);
  Attribution all;
  std::vector<double> shares;
  for (const fs::path& file : files) {
    Attribution one;
    attribute(here(file), program, stages, one);
    attribute(here(file), program, stages, all);
    shares.push_back(one.share(generator));
  }
  if (!all.lines || !all.corrected || all.sources_missing)
    throw support::Error(
        "the program's lines, instructions or sources cannot be read: give the sampled "
        "build in the tree that it was built in");
  const support::Estimate median = support::bootstrap_median(shares);
  const double n = static_cast<double>(all.samples);
  const support::Estimate pooled =
      support::binomial_share(static_cast<double>(all.category_samples["generator"]), n);
  const double helpers = 1 - all.main_fraction();
  fmt::print("runs {}, samples {}, CPU time {:.2f} s\n", all.runs, all.samples,
             static_cast<double>(all.cpu_ns) * 1e-9);
  fmt::print("generator, median of runs: {:.2f}% ({:.2f} to {:.2f})\n", 100 * median.value, 100 * median.low,
             100 * median.high);
  fmt::print("generator, all samples: {:.2f}% ({:.2f} to {:.2f}), of it other threads {:.2f}%\n",
             100 * all.share(generator), 100 * (pooled.low * (1 - helpers) + helpers),
             100 * (pooled.high * (1 - helpers) + helpers), 100 * helpers);
  for (const auto& [stage, count] : all.category_samples)
    fmt::print("  {:<20} {:6.2f}%\n", stage, 100 * static_cast<double>(count) / n);
  std::vector<std::pair<std::uint64_t, std::string>> parts;
  for (const auto& [part, count] : all.generator_parts) parts.emplace_back(count, part);
  std::sort(parts.rbegin(), parts.rend());
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 12); ++i)
    fmt::print("    {:6.2f}% {}\n", 100 * static_cast<double>(parts[i].first) / n, parts[i].second);
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
