// ranmar-ising: one chain of the two-dimensional Ising model, from one source of numbers, against the exact
// values of the finite lattice. Prints one line; ends with 77 where the source is not on this machine.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "lattice.hpp"
#include "support/command_line.hpp"

namespace {

using namespace validation;

struct Options {
  std::string source = "form48", algorithm = "wolff";
  int size = 64, seed = 12345;
  double temperature = 1.;  // in units of Tc
  std::uint64_t sweeps = 100000;
  int chains = 1000;  // in a kernel
};

int print_result(const Options& options, const ChainResult& result) {
  const auto exact = exact_ising(options.size, options.temperature * critical_temperature());
  const auto off = [](const Measured& measured, double expected) {
    return (measured.value - expected) / measured.error;
  };
  std::printf("%s\t%s\t%d\t%g\t%llu\t%.8f\t%.8f\t%.8f\t%.6f\t%.6f\t%.6f\t%.2f\t%.2f\n",
              options.source.c_str(), options.algorithm.c_str(), options.size, options.temperature,
              static_cast<unsigned long long>(options.sweeps), result.energy.value, result.energy.error,
              exact.energy, result.specific_heat.value, result.specific_heat.error, exact.specific_heat,
              off(result.energy, exact.energy), off(result.specific_heat, exact.specific_heat));
  return 0;
}

#ifdef RANMAR_WITH_CUDA
ChainResult result_of_kernel(const Options& options) {
  const double temperature = options.temperature * critical_temperature();
  KernelChains plan{.source = options.source,
                    .seed = options.seed,
                    .size = options.size,
                    .temperature = temperature,
                    .wolff = options.algorithm == "wolff",
                    .chains = options.chains};
  double per_sweep = 1.;
  if (plan.wolff) {  // from a chain on the host
    Draw draw = open_source("form48", options.seed);
    per_sweep = run_chain(options.size, temperature, true, 2000, draw).updates_per_sweep;
  }
  const double sweeps = static_cast<double>(options.sweeps) / options.chains;
  plan.steps = static_cast<std::uint64_t>(std::ceil(sweeps * per_sweep));
  // Wolff's chains forget their start within some sweeps; Metropolis's within size^2.17 of them.
  constexpr double kLeastWarm = 200.;
  plan.warm = static_cast<std::uint64_t>(std::max(sweeps / 10., kLeastWarm) * per_sweep);
  const auto sums = run_kernel_chains(plan);
  return jackknife(sums, static_cast<double>(plan.steps), options.size * options.size, temperature);
}
#endif

int run(const Options& options) {
  if (options.algorithm != "metropolis" && options.algorithm != "wolff")
    throw std::invalid_argument("the algorithm cannot be " + options.algorithm +
                                "; give metropolis or wolff");
  if (options.sweeps < 1000 || options.chains < 2)
    throw std::invalid_argument("there are too few sweeps or chains; give 1000 and 2 or more");
  if (!options.source.starts_with("cuda-kernel")) {
    Draw draw = open_source(options.source, options.seed);
    return print_result(options, run_chain(options.size, options.temperature * critical_temperature(),
                                           options.algorithm == "wolff", options.sweeps, draw));
  }
#ifdef RANMAR_WITH_CUDA
  if (has_kernel_device()) return print_result(options, result_of_kernel(options));
#endif
  std::printf("SKIPPED: this machine has no source %s\n", options.source.c_str());
  return 77;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  support::read_options(
      argc, argv,
      "Prints: source, algorithm, size, T/Tc, sweeps, energy, its error, exact energy, specific heat, its "
      "error, exact specific heat, deviations of both in standard errors",
      {{"--source", &options.source,
        "form48, form24, extended, instances, r250; inside a CUDA kernel: cuda-kernel, cuda-kernel-form24, "
        "cuda-kernel-extended, cuda-kernel-r250"},
       {"--algorithm", &options.algorithm, "Rule of the updates: metropolis, wolff"},
       {"--size", &options.size, "Spins along a side"},
       {"--seed", &options.seed, "Seed of the source"},
       {"--temperature", &options.temperature, "In units of Tc"},
       {"--chains", &options.chains, "Of a kernel, at a time; they have --sweeps sweeps in sum"},
       {"--sweeps", &options.sweeps, "A sweep of wolff is as many clusters as flip size^2 spins"}});
  return run(options);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "ranmar-ising: error: %s\n", problem.what());
  return 2;
}
