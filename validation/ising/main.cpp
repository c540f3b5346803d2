// ranmar-ising: one chain of the two-dimensional Ising model, from one source of numbers, against the exact
// values of the finite lattice. Prints one line; ends with 1 where it is off by more than --limit standard
// errors, and with 77 where the source is not on this machine.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "lattice.hpp"

namespace {

using namespace validation;

struct Options {
  std::string source = "simd", algorithm = "wolff";
  std::vector<std::string> equal;
  int size = 64, seed = 12345;
  double temperature = 1.;  // in units of Tc
  double limit = 0.;        // 0: none
  std::uint64_t sweeps = 100000;
  int chains = 1000;  // in a kernel
};

void add_options(CLI::App& app, Options& options) {
  app.add_option(
      "--source", options.source,
      "reference, simd, engine, opencl, cuda, form24, extended, instances, r250; inside a CUDA kernel: "
      "cuda-kernel, cuda-kernel-form24, cuda-kernel-extended, cuda-kernel-r250");
  app.add_option("--equal", options.equal, "Further sources, whose every number must be the first source's")
      ->delimiter(',');
  app.add_option("--algorithm", options.algorithm, "Rule of the updates")
      ->check(CLI::IsMember({"metropolis", "wolff"}));
  app.add_option("--size", options.size, "Spins along a side")->check(CLI::Range(1, 1000000));
  app.add_option("--seed", options.seed, "Seed of the source")->check(CLI::Range(0, 900000000));
  app.add_option("--temperature", options.temperature, "In units of Tc")->check(CLI::Range(0., 1e15));
  app.add_option("--limit", options.limit, "Standard errors beyond which the result is wrong; 0: none")
      ->check(CLI::Range(0., 1e15));
  app.add_option("--chains", options.chains, "Of a kernel, at a time; they have --sweeps sweeps in sum")
      ->check(CLI::Range(2, 1000000));
  app.add_option("--sweeps", options.sweeps, "A sweep of wolff is as many clusters as flip size^2 spins")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1000000000000000}));
  for (auto* option : app.get_options()) option->capture_default_str();
}

/// Prints the result of a chain; 1 where it is beyond the limit.
int print_result(const Options& options, const ChainResult& result) {
  const auto exact = exact_ising(options.size, options.temperature * critical_temperature());
  const auto off = [](const Measured& measured, double expected) {
    return (measured.value - expected) / measured.error;
  };
  const double energy_off = off(result.energy, exact.energy);
  const double heat_off = off(result.specific_heat, exact.specific_heat);
  std::printf("%s\t%s\t%d\t%g\t%llu\t%.8f\t%.8f\t%.8f\t%.6f\t%.6f\t%.6f\t%.2f\t%.2f\n",
              options.source.c_str(), options.algorithm.c_str(), options.size, options.temperature,
              static_cast<unsigned long long>(options.sweeps), result.energy.value, result.energy.error,
              exact.energy, result.specific_heat.value, result.specific_heat.error, exact.specific_heat,
              energy_off, heat_off);
  return options.limit > 0. &&
                 !(std::fabs(energy_off) <= options.limit && std::fabs(heat_off) <= options.limit)
             ? 1
             : 0;
}

int skip(const Options& options) {
  std::printf("SKIPPED: this machine has no source %s\n", options.source.c_str());
  return 77;
}

int run_on_host(const Options& options) {
  const auto first = open_source(options.source, options.seed);
  if (!first) return skip(options);
  std::vector<std::pair<std::string, Refill>> others;
  std::vector<std::string> missing;
  for (const auto& name : options.equal) {
    if (auto other = open_source(name, options.seed))
      others.emplace_back(name, std::move(other));
    else
      missing.push_back(name);
  }
  std::uint64_t numbers = 0;
  // A device is asked for long blocks.
  Draw draw(all_equal(first, others, numbers), options.equal.empty() ? 1 << 14 : 1 << 18);
  const auto result = run_chain(options.size, options.temperature * critical_temperature(),
                                options.algorithm == "wolff", options.sweeps, draw);
  for (const auto& other : others)
    std::printf("# %s gave the same %llu numbers\n", other.first.c_str(),
                static_cast<unsigned long long>(numbers));
  for (const auto& name : missing) std::printf("# %s is not on this machine\n", name.c_str());
  return print_result(options, result);
}

#ifdef RANMAR_WITH_CUDA
int run_in_kernel(const Options& options) {
  if (!has_kernel_device()) return skip(options);
  const double temperature = options.temperature * critical_temperature();
  KernelChains plan{.source = options.source,
                    .seed = options.seed,
                    .size = options.size,
                    .temperature = temperature,
                    .wolff = options.algorithm == "wolff",
                    .chains = options.chains};
  double per_sweep = 1.;
  if (plan.wolff) {  // from a chain on the host
    constexpr int kWarm = 200, kSweeps = 2000;
    Draw draw(open_source("simd", options.seed));
    Lattice lattice(options.size, temperature);
    for (const int many : {kWarm, kSweeps})
      per_sweep = updates_per_sweep([&] { return lattice.wolff_cluster(draw); }, lattice.spins(),
                                    static_cast<std::uint64_t>(many));
  }
  const double sweeps = static_cast<double>(options.sweeps) / options.chains;
  plan.steps = static_cast<std::uint64_t>(std::ceil(sweeps * per_sweep));
  // Wolff's chains forget their start within some sweeps; Metropolis's within size^2.17 of them.
  constexpr double kLeastWarm = 200.;
  plan.warm = static_cast<std::uint64_t>(std::max(sweeps / 10., kLeastWarm) * per_sweep);
  const auto sums = run_kernel_chains(plan);
  return print_result(
      options, jackknife(sums, static_cast<double>(plan.steps), options.size * options.size, temperature));
}
#endif

int run(const Options& options) {
  if (!options.source.starts_with("cuda-kernel")) return run_on_host(options);
#ifdef RANMAR_WITH_CUDA
  return run_in_kernel(options);
#else
  return skip(options);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Prints: source, algorithm, size, T/Tc, sweeps, energy, its error, exact energy, specific heat, its "
      "error, "
      "exact specific heat, deviations of both in standard errors"};
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
    return run(options);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "ranmar-ising: error: %s\n", problem.what());
    return 2;
  }
}
