// Tests of the chains inside a kernel: the same chains made on the host, and results against exact values.
// They need a CUDA device.
#include "kernel_chains.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "r250.hpp"
#include "ranmar/engine.hpp"

namespace validation {
namespace {

class KernelChainsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_kernel_device()) GTEST_SKIP() << "SKIPPED: this machine has no CUDA device";
  }
};

void add(Sums& sums, double energy) {
  sums.first += energy;
  sums.second += energy * energy;
}

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
    if (step >= plan.warm) add(sums, energy);
  }
  return sums;
}

template <class Form>
Sums metropolis_on_the_host(const KernelChains& plan, int chain) {
  std::vector<std::int8_t> spin(static_cast<std::size_t>(plan.size * plan.size), 1);
  SpinUpdates updates(spin.data(), plan.size, plan.temperature);
  std::deque<ranmar::Engine<Form>> engines;
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
    if (step >= plan.warm) add(sums, energy);
  }
  return sums;
}

void expect_equal(const std::vector<Sums>& sums, std::size_t chain, const Sums& expected) {
  EXPECT_EQ(sums.at(chain).first, expected.first) << chain;
  EXPECT_EQ(sums.at(chain).second, expected.second) << chain;
}

constexpr auto kNext = [](auto& generator) { return static_cast<double>(generator()); };

TEST_F(KernelChainsTest, WolffAsOnTheHost) {
  KernelChains plan{.size = 16, .temperature = critical_temperature(), .chains = 5, .warm = 20, .steps = 200};
  const auto sums = run_kernel_chains(plan);
  ASSERT_EQ(sums.size(), 5U);
  for (std::uint64_t k = 0; k < 5; ++k)
    expect_equal(sums, k, wolff_on_the_host(plan, ranmar::Engine<ranmar::Form48>(plan.seed, k), kNext));
  plan.source = "cuda-kernel-form24";
  expect_equal(run_kernel_chains(plan), 3,
               wolff_on_the_host(plan, ranmar::Engine<ranmar::Form24>(plan.seed, 3), kNext));
  plan.source = "cuda-kernel-extended";
  expect_equal(run_kernel_chains(plan), 4,
               wolff_on_the_host(plan, ranmar::Engine<ranmar::FormExtended48>(plan.seed, 4), kNext));
  plan.source = "cuda-kernel-r250";
  expect_equal(run_kernel_chains(plan), 2,
               wolff_on_the_host(plan, R250(static_cast<std::uint32_t>(plan.seed) + 2),
                                 [](auto& generator) { return generator() * 0x1p-32; }));
}

TEST_F(KernelChainsTest, MetropolisAsOnTheHost) {
  for (const int size : {8, 64}) {  // fewer rows than warps, and more
    KernelChains plan{.size = size, .temperature = 2.3, .wolff = false, .chains = 3, .warm = 5, .steps = 50};
    expect_equal(run_kernel_chains(plan), 2, metropolis_on_the_host<ranmar::Form48>(plan, 2));
    plan.source = "cuda-kernel-form24";
    expect_equal(run_kernel_chains(plan), 1, metropolis_on_the_host<ranmar::Form24>(plan, 1));
    plan.source = "cuda-kernel-extended";
    expect_equal(run_kernel_chains(plan), 0, metropolis_on_the_host<ranmar::FormExtended48>(plan, 0));
  }
}

TEST_F(KernelChainsTest, ExactValuesWhereR250IsCaught) {
  const double temperature = critical_temperature();
  KernelChains plan{.size = 16, .temperature = temperature, .chains = 500, .warm = 500, .steps = 4000};
  const auto exact = exact_ising(16, temperature);
  const auto off = [&] {
    const auto result = jackknife(run_kernel_chains(plan), static_cast<double>(plan.steps), 256, temperature);
    return (result.specific_heat.value - exact.specific_heat) / result.specific_heat.error;
  };
  EXPECT_LT(std::fabs(off()), 4.);
  plan.source = "cuda-kernel-r250";
  EXPECT_LT(off(), -5.);
}

TEST(KernelChains, RefusesWhatItCannotDo) {
  EXPECT_THROW(run_kernel_chains({.size = 12, .temperature = 2.}), std::invalid_argument);
  EXPECT_THROW(run_kernel_chains({.size = 512, .temperature = 2.}), std::invalid_argument);
  EXPECT_THROW(run_kernel_chains({.source = "cuda-kernel-r250", .temperature = 2., .wolff = false}),
               std::invalid_argument);
}

}  // namespace
}  // namespace validation
