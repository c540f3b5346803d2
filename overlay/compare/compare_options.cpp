// What the options of a comparison ask for: numbers of runs, builds, and whether they can be as they are.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "overlay/compare/compare.hpp"
#include "support/machine.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

constexpr int kPairs = 5, kParts = 2;

void check_one_of(const char* option, const std::string& value, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) == known.end())
    throw support::Error(fmt::format("{} cannot be {}; give {}", option, value, fmt::join(known, ", ")));
}

void check_least(const char* option, double value, int least) {
  if (value < least)
    throw support::Error(fmt::format("{} cannot be {}; give {} or more", option, value, least));
}

}  // namespace

RunCounts run_counts(const CompareOptions& options) {
  RunCounts counts;
  counts.pairs = options.repeats.value_or(options.quick ? 1 : kPairs);
  counts.parts = std::min(counts.pairs, options.parts_repeats.value_or(options.quick ? 1 : kParts));
  counts.sampled = options.sampled_repeats.value_or(options.quick ? 0 : counts.pairs);
  counts.shipped = options.shipped_repeats.value_or(options.quick ? 0 : 1);
  counts.gprof = options.gprof && !options.quick;
  return counts;
}

std::vector<std::string> needed_builds(const CompareOptions& options, const std::string& flags, bool light) {
  const RunCounts counts = run_counts(options);
  std::vector<std::string> builds{"stock", "patched"};
  // A quick comparison saves this build, and does not say what the stage gives alone.
  if (light && options.cherenkov != "off" && counts.parts > 0 && !options.quick)
    builds.emplace_back("patched-stage");
  if (counts.shipped > 0 && flags != "shipped") builds.emplace_back("stock-shipped");
  if (counts.sampled > 0 && !find_sampler().empty()) {
    builds.emplace_back("stock-sampled");
    builds.emplace_back("patched-sampled");
  }
  if (counts.gprof) {
    builds.emplace_back("stock-gprof");
    builds.emplace_back("patched-gprof");
  }
  return builds;
}

void check_options(const CompareOptions& options) {
  check_least("--repeats", options.repeats.value_or(1), 1);
  check_least("--parts-repeats", options.parts_repeats.value_or(0), 0);
  check_least("--sampled-repeats", options.sampled_repeats.value_or(0), 0);
  check_least("--shipped-repeats", options.shipped_repeats.value_or(0), 0);
  check_least("--gprof-showers", static_cast<double>(options.gprof_showers), 0);
  check_least("--timeout", options.timeout_s, 0);
  check_one_of("--backend", options.backend, {"auto", "reference", "simd", "cuda", "opencl"});
  check_one_of("--cherenkov", options.cherenkov, {"auto", "cpu", "thread", "gpu", "off"});
  if (options.core) {
    const std::vector<int> cores = support::allowed_cores();
    if (std::find(cores.begin(), cores.end(), *options.core) == cores.end())
      throw support::Error(fmt::format("--core cannot be {}; give one of the cores that we may use: {}",
                                       *options.core, fmt::join(cores, ", ")));
  }
  if (options.categories) CategoryList::from_file(*options.categories);
}

fs::path find_sampler() {
  std::error_code error;
  std::vector<fs::path> places;
  if (const char* given = std::getenv("OVERLAY_CPU_SAMPLER")) places.emplace_back(given);
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    places.push_back(self.parent_path() / "libcpu_sampler.so");
    places.push_back(self.parent_path().parent_path() / "lib" / "libcpu_sampler.so");
  }
  for (const fs::path& place : places)
    if (!place.empty() && fs::is_regular_file(place, error)) return fs::absolute(place);
  return {};
}

}  // namespace overlay
