// Tests of the Ising model: exact values against all states of a small lattice, chains against exact values,
// and the generator that must be caught. Chains inside a kernel, which need a CUDA device: the same chains
// made on the host, and results against exact values.
#include <gtest/gtest.h>

#include <deque>

#include "lattice.hpp"
#include "ranmar/engine.hpp"
#include "subjects.hpp"

namespace validation {
namespace {

/// Mean energy and specific heat per spin from all 2^16 states of 4 x 4 spins.
Exact enumerate_4x4(double temperature) {
  double weights = 0., first = 0., second = 0.;
  for (unsigned state = 0; state < 1U << 16; ++state) {
    int energy = 0;
    for (unsigned site = 0; site < 16; ++site) {
      const unsigned right = (site & 12U) | ((site + 1) & 3U), down = (site + 4) & 15U;
      energy -= (state >> site & 1U) == (state >> right & 1U) ? 1 : -1;
      energy -= (state >> site & 1U) == (state >> down & 1U) ? 1 : -1;
    }
    const double weight = std::exp(-(energy + 32) / temperature);
    weights += weight;
    first += weight * energy;
    second += weight * energy * energy;
  }
  const double mean = first / weights;
  return {mean / 16., (second / weights - mean * mean) / (16. * temperature * temperature)};
}

TEST(ExactIsing, AgreesWithAllStatesOfASmallLattice) {
  for (const double ratio : {0.7, 0.95, 1., 1.05, 1.5}) {
    const double temperature = ratio * critical_temperature();
    const auto exact = exact_ising(4, temperature), enumerated = enumerate_4x4(temperature);
    EXPECT_NEAR(exact.energy, enumerated.energy, 1e-8) << ratio;
    EXPECT_NEAR(exact.specific_heat, enumerated.specific_heat, 1e-6) << ratio;
  }
}

TEST(ExactIsing, PublishedValuesOf16x16AtTc) {  // Ferrenberg, Landau and Wong (1992)
  const auto exact = exact_ising(16, critical_temperature());
  EXPECT_NEAR(exact.energy, -1.453065, 1e-6);
  EXPECT_NEAR(exact.specific_heat, 1.49871, 1e-5);
}

ChainResult chain(int size, double ratio, bool wolff, std::uint64_t sweeps, const char* source) {
  Draw draw = open_source(source, 12345);
  return run_chain(size, ratio * critical_temperature(), wolff, sweeps, draw);
}

TEST(ExactIsing, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(open_source("nothing", 12345), std::invalid_argument);
  for (const auto& [size, temperature] : {std::pair(1, 2.), {2000, 2.}, {16, 0.}})
    EXPECT_THROW(exact_ising(size, temperature), std::invalid_argument) << size;
  EXPECT_THROW(chain(12, 1., true, 1000, "form48"), std::invalid_argument);
  EXPECT_THROW(chain(16, -1., true, 1000, "form48"), std::invalid_argument);
}

double off(const Measured& measured, double exact) { return (measured.value - exact) / measured.error; }

TEST(Chain, OfRanmarAgreesWithBothRules) {
  for (const bool wolff : {true, false}) {
    for (const double ratio : {0.9, 1.1}) {
      const auto exact = exact_ising(8, ratio * critical_temperature());
      const auto result = chain(8, ratio, wolff, 50000, "form48");
      EXPECT_LT(std::fabs(off(result.energy, exact.energy)), 3.5) << wolff << " " << ratio;
      EXPECT_LT(std::fabs(off(result.specific_heat, exact.specific_heat)), 3.5) << wolff << " " << ratio;
      EXPECT_LT(result.energy.error, 0.01);
    }
  }
}

TEST(Chain, OfR250IsCaughtWhereRanmarIsNot) {
  const auto exact = exact_ising(16, critical_temperature());
  const auto good = chain(16, 1., true, 150000, "form48");
  const auto bad = chain(16, 1., true, 150000, "r250");
  EXPECT_LT(std::fabs(off(good.energy, exact.energy)), 3.5);
  EXPECT_LT(std::fabs(off(good.specific_heat, exact.specific_heat)), 3.5);
  EXPECT_LT(off(bad.specific_heat, exact.specific_heat), -5.);
}

TEST(Jackknife, ErrorsOfIndependentValues) {
  std::vector<Sums> blocks(100);
  const Draw draw = open_source("form48", 12345);
  for (auto& sums : blocks)
    for (int i = 0; i < 1000; ++i) sums.add(draw());
  const auto result = jackknife(blocks, 1000., 1, 1.);
  const double sigma = std::sqrt(1. / 12. / 100000.);  // of the mean of uniform numbers
  EXPECT_NEAR(result.energy.value, 0.5, 4. * sigma);
  EXPECT_NEAR(result.energy.error / sigma, 1., 0.3);
  EXPECT_NEAR(result.specific_heat.value, 1. / 12., 4. * result.specific_heat.error);
}

#ifdef RANMAR_WITH_CUDA

using ranmar::Engine;

class KernelChainsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_kernel_device()) GTEST_SKIP() << "SKIPPED: this machine has no CUDA device";
  }
};

/// Chain k of Wolff's rule, as run_kernel_chains() says.
template <class Generator, class Number>
Sums wolff_on_the_host(const KernelChains& plan, Generator generator, Number number) {
  std::vector<std::int8_t> spin(static_cast<std::size_t>(plan.size * plan.size), 1);
  std::vector<std::uint16_t> pending(spin.size());
  SpinUpdates updates(spin.data(), plan.size, plan.temperature);
  int energy = -2 * plan.size * plan.size;
  Sums sums;
  for (std::uint64_t step = 0; step < plan.warm + plan.steps; ++step) {
    energy += updates.wolff_cluster([&] { return number(generator); }, pending.data()).change;
    if (step >= plan.warm) sums.add(energy);
  }
  return sums;
}

template <class Form>
Sums metropolis_on_the_host(const KernelChains& plan, int chain) {
  std::vector<std::int8_t> spin(static_cast<std::size_t>(plan.size * plan.size), 1);
  SpinUpdates updates(spin.data(), plan.size, plan.temperature);
  std::deque<Engine<Form>> engines;
  for (int warp = 0; warp < kMetropolisWarps; ++warp)
    engines.emplace_back(plan.seed, static_cast<std::uint64_t>(chain * kMetropolisWarps + warp));
  int energy = -2 * plan.size * plan.size;
  Sums sums;
  for (std::uint64_t step = 0; step < plan.warm + plan.steps; ++step) {
    for (std::uint32_t colour = 0; colour < 2; ++colour) {
      for (std::uint32_t k = 0; k < updates.spins() / 2; ++k) {
        const double number = engines[k / 32 % kMetropolisWarps]();
        energy += updates.metropolis(updates.chessboard(k, colour), [number] { return number; });
      }
    }
    if (step >= plan.warm) sums.add(energy);
  }
  return sums;
}

void expect_chain(KernelChains plan, const char* source, std::size_t chain, const Sums& on_the_host) {
  plan.source = source;
  const auto sums = run_kernel_chains(plan);
  ASSERT_EQ(sums.size(), static_cast<std::size_t>(plan.chains));
  EXPECT_EQ(sums[chain].first, on_the_host.first) << source << " " << chain;
  EXPECT_EQ(sums[chain].second, on_the_host.second) << source << " " << chain;
}

constexpr auto kNext = [](auto& generator) { return static_cast<double>(generator()); };

TEST_F(KernelChainsTest, WolffAsOnTheHost) {
  const KernelChains plan{
      .size = 16, .temperature = critical_temperature(), .chains = 5, .warm = 20, .steps = 200};
  for (std::uint64_t k = 0; k < 5; ++k)
    expect_chain(plan, "cuda-kernel", k,
                 wolff_on_the_host(plan, Engine<ranmar::Form48>(plan.seed, k), kNext));
  expect_chain(plan, "cuda-kernel-form24", 3,
               wolff_on_the_host(plan, Engine<ranmar::Form24>(plan.seed, 3), kNext));
  expect_chain(plan, "cuda-kernel-extended", 4,
               wolff_on_the_host(plan, Engine<ranmar::FormExtended48>(plan.seed, 4), kNext));
  expect_chain(plan, "cuda-kernel-r250", 2,
               wolff_on_the_host(plan, R250(static_cast<std::uint32_t>(plan.seed) + 2),
                                 [](auto& generator) { return generator() * 0x1p-32; }));
}

TEST_F(KernelChainsTest, MetropolisAsOnTheHost) {
  for (const int size : {8, 64}) {  // fewer rows than warps, and more
    const KernelChains plan{
        .size = size, .temperature = 2.3, .wolff = false, .chains = 3, .warm = 5, .steps = 50};
    expect_chain(plan, "cuda-kernel", 2, metropolis_on_the_host<ranmar::Form48>(plan, 2));
    expect_chain(plan, "cuda-kernel-form24", 1, metropolis_on_the_host<ranmar::Form24>(plan, 1));
    expect_chain(plan, "cuda-kernel-extended", 0, metropolis_on_the_host<ranmar::FormExtended48>(plan, 0));
  }
}

TEST_F(KernelChainsTest, ExactValuesWhereR250IsCaught) {
  const double temperature = critical_temperature();
  KernelChains plan{.size = 16, .temperature = temperature, .chains = 500, .warm = 500, .steps = 4000};
  const auto exact = exact_ising(16, temperature);
  const auto heat_off = [&] {
    const auto result = jackknife(run_kernel_chains(plan), static_cast<double>(plan.steps), 256, temperature);
    return off(result.specific_heat, exact.specific_heat);
  };
  EXPECT_LT(std::fabs(heat_off()), 4.);
  plan.source = "cuda-kernel-r250";
  EXPECT_LT(heat_off(), -5.);
}

TEST(KernelChains, RefusesWhatItCannotDo) {
  EXPECT_THROW(run_kernel_chains({.size = 12, .temperature = 2.}), std::invalid_argument);
  EXPECT_THROW(run_kernel_chains({.size = 512, .temperature = 2.}), std::invalid_argument);
  EXPECT_THROW(run_kernel_chains({.source = "cuda-kernel-r250", .temperature = 2., .wolff = false}),
               std::invalid_argument);
}

#endif

}  // namespace
}  // namespace validation
