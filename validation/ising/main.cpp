// ranmar-ising: one chain of the two-dimensional Ising model, from one source of numbers, against the exact
// values of the finite lattice. Prints one line; ends with 1 where it is off by more than --limit standard
// errors, and with 77 where the source is not on this machine.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "exact.hpp"
#include "lattice.hpp"
#include "r250.hpp"
#include "ranmar/engine.hpp"
#include "ranmar/fill.hpp"
#ifdef RANMAR_WITH_OPENCL
#include "ranmar/opencl/opencl.hpp"
#endif
#ifdef RANMAR_WITH_CUDA
#include "ranmar/cuda/stream.hpp"
#endif

namespace {

using namespace validation;

struct Options {
  std::string source = "simd", algorithm = "wolff";
  int size = 64, seed = 12345;
  double temperature = 1.;  // in units of Tc
  double limit = 0.;        // 0: none
  std::uint64_t sweeps = 100000;
};

constexpr const char* kUsage =
    "usage: ranmar-ising [--source NAME] [--algorithm metropolis|wolff] [--size N] [--temperature T/Tc]\n"
    "                    [--sweeps N] [--seed N] [--limit SIGMAS]\n"
    "Sources: reference, simd, engine, opencl, cuda, form24, extended, instances, r250.\n"
    "Prints: source, algorithm, size, T/Tc, sweeps, energy, its error, exact energy, specific heat, its "
    "error, exact\n"
    "specific heat, deviations of both in standard errors. A sweep of wolff is as many clusters as flip "
    "size^2 spins.\n";

template <class Form>
Refill host(int seed, ranmar::Backend backend) {
  return [state = ranmar::seeded_state<Form>(seed), made = std::vector<typename Form::Real>(),
          backend](std::vector<double>& numbers) mutable {
    made.resize(numbers.size());
    ranmar::fill<Form>(backend, state, made.data(), made.size());
    std::copy(made.begin(), made.end(), numbers.begin());
  };
}

/// Empty where the source is not on this machine.
Refill open_source(const std::string& name, int seed) {
  using ranmar::Form48;
  if (name == "reference" || name == "simd") return host<Form48>(seed, ranmar::backend_of(name));
  if (name == "form24") return host<ranmar::Form24>(seed, ranmar::Backend::kSimd);
  if (name == "extended") return host<ranmar::FormExtended48>(seed, ranmar::Backend::kSimd);
  if (name == "engine")
    return [engine = ranmar::Engine<Form48>(seed)](std::vector<double>& numbers) mutable {
      for (auto& number : numbers) number = engine();
    };
  if (name == "instances")  // eight instances of one sequence in turn
    return [engines = std::vector<ranmar::Engine<Form48>>(), seed](std::vector<double>& numbers) mutable {
      for (std::uint64_t k = engines.size(); k < 8; ++k) engines.emplace_back(seed, k);
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = engines[i % 8]();
    };
  if (name == "r250")
    return [r250 = R250(static_cast<std::uint32_t>(seed))](std::vector<double>& numbers) mutable {
      for (auto& number : numbers) number = r250() * 0x1p-32;
    };
  [[maybe_unused]] const auto device = [](auto stream) {
    return [stream](std::vector<double>& numbers) {
      stream->refill(numbers.data(), numbers.size());
      stream->wait();
    };
  };
  if (name == "opencl") {
#ifdef RANMAR_WITH_OPENCL
    if (!ranmar::opencl::devices().empty())
      return device(std::make_shared<ranmar::opencl::Stream<Form48>>(ranmar::seeded_state<Form48>(seed)));
#endif
    return {};
  }
  if (name == "cuda") {
#ifdef RANMAR_WITH_CUDA
    if (ranmar::cuda::device_count() > 0)
      return device(std::make_shared<ranmar::cuda::Stream<Form48>>(ranmar::seeded_state<Form48>(seed)));
#endif
    return {};
  }
  throw std::invalid_argument("the source cannot be " + name + "; see --help");
}

double number_of(const std::string& option, const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= 0.) || value > 1e15)
    throw std::invalid_argument(option + " cannot be " + text + "; give a number");
  return value;
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string word = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(word + " needs a value; see --help");
    const char* value = argv[i + 1];
    if (word == "--source")
      options.source = value;
    else if (word == "--algorithm")
      options.algorithm = value;
    else if (word == "--size")
      options.size = static_cast<int>(std::min(number_of(word, value), 1e6));
    else if (word == "--seed")
      options.seed = static_cast<int>(std::min(number_of(word, value), 9e8));
    else if (word == "--temperature")
      options.temperature = number_of(word, value);
    else if (word == "--limit")
      options.limit = number_of(word, value);
    else if (word == "--sweeps")
      options.sweeps = static_cast<std::uint64_t>(number_of(word, value));
    else
      throw std::invalid_argument(word + " is not known; see --help");
  }
  if (options.algorithm != "wolff" && options.algorithm != "metropolis")
    throw std::invalid_argument("--algorithm cannot be " + options.algorithm + "; give metropolis or wolff");
  if (options.sweeps < 1000) throw std::invalid_argument("--sweeps cannot be below 1000; give more");
  return options;
}

ChainResult run_chain(const Options& options, Draw& draw, double temperature) {
  constexpr int kBlocks = 50;
  Lattice lattice(options.size, temperature);
  const bool wolff = options.algorithm == "wolff";
  // Wolff's chain is one of clusters: their mean size says how many make a sweep.
  std::uint64_t steps = options.sweeps, flipped = 0, warm = 0;
  for (const std::uint64_t spins = static_cast<std::uint64_t>(lattice.spins());
       warm < options.sweeps / 10 || (wolff && flipped < spins * (options.sweeps / 10)); ++warm) {
    if (wolff)
      flipped += static_cast<std::uint64_t>(lattice.wolff_cluster(draw));
    else
      lattice.metropolis_sweep(draw);
  }
  if (wolff)
    steps = static_cast<std::uint64_t>(static_cast<double>(options.sweeps) * lattice.spins() *
                                       static_cast<double>(warm) / static_cast<double>(flipped));
  Blocks blocks(kBlocks, std::max<std::uint64_t>(steps / kBlocks, 1));
  for (std::uint64_t step = 0; step < steps; ++step) {
    if (wolff)
      lattice.wolff_cluster(draw);
    else
      lattice.metropolis_sweep(draw);
    blocks.add(lattice.energy());
  }
  return blocks.result(lattice.spins(), temperature);
}

int run(const Options& options) {
  auto refill = open_source(options.source, options.seed);
  if (!refill) {
    std::printf("SKIPPED: this machine has no source %s\n", options.source.c_str());
    return 77;
  }
  Draw draw(std::move(refill));
  const double temperature = options.temperature * critical_temperature();
  const auto result = run_chain(options, draw, temperature);
  const auto exact = exact_ising(options.size, temperature);
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

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--help") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  try {
    return run(read_options(argc, argv));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "ranmar-ising: error: %s\n", problem.what());
    return 2;
  }
}
