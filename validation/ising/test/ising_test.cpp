// Tests of the Ising model: exact values against all states of a small lattice, chains against exact values,
// and the generator that must be caught.
#include <gtest/gtest.h>

#include <cmath>

#include "lattice.hpp"
#include "r250.hpp"
#include "ranmar/fill.hpp"

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

TEST(ExactIsing, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(exact_ising(1, 2.), std::invalid_argument);
  EXPECT_THROW(exact_ising(2000, 2.), std::invalid_argument);
  EXPECT_THROW(exact_ising(16, 0.), std::invalid_argument);
  EXPECT_THROW(Lattice(12, 2.), std::invalid_argument);
  EXPECT_THROW(Lattice(16, -1.), std::invalid_argument);
}

Refill ranmar_numbers() {
  return [state = ranmar::seeded_state<ranmar::Form48>(12345)](std::vector<double>& numbers) mutable {
    ranmar::fill_simd<ranmar::Form48>(state, numbers.data(), numbers.size());
  };
}

Refill r250_numbers() {
  return [r250 = R250(12345)](std::vector<double>& numbers) mutable {
    for (auto& number : numbers) number = r250() * 0x1p-32;
  };
}

ChainResult chain(int size, double ratio, bool wolff, int steps, Refill refill) {
  const double temperature = ratio * critical_temperature();
  Draw draw(std::move(refill));
  Lattice lattice(size, temperature);
  Blocks blocks(50, static_cast<std::uint64_t>(steps) / 50);
  for (int step = -steps / 10; step < steps; ++step) {
    if (wolff)
      lattice.wolff_cluster(draw);
    else
      lattice.metropolis_sweep(draw);
    if (step >= 0) blocks.add(lattice.energy());
  }
  return blocks.result(lattice.spins(), temperature);
}

double off(const Measured& measured, double exact) { return (measured.value - exact) / measured.error; }

TEST(Chain, OfRanmarAgreesWithBothRules) {
  for (const bool wolff : {true, false}) {
    for (const double ratio : {0.9, 1.1}) {
      const auto exact = exact_ising(8, ratio * critical_temperature());
      const auto result = chain(8, ratio, wolff, 50000, ranmar_numbers());
      EXPECT_LT(std::fabs(off(result.energy, exact.energy)), 3.5) << wolff << " " << ratio;
      EXPECT_LT(std::fabs(off(result.specific_heat, exact.specific_heat)), 3.5) << wolff << " " << ratio;
      EXPECT_LT(result.energy.error, 0.01);
    }
  }
}

TEST(Chain, OfR250IsCaughtWhereRanmarIsNot) {
  const auto exact = exact_ising(16, critical_temperature());
  const auto good = chain(16, 1., true, 250000, ranmar_numbers());
  const auto bad = chain(16, 1., true, 250000, r250_numbers());
  EXPECT_LT(std::fabs(off(good.energy, exact.energy)), 3.5);
  EXPECT_LT(std::fabs(off(good.specific_heat, exact.specific_heat)), 3.5);
  EXPECT_LT(off(bad.specific_heat, exact.specific_heat), -5.);
}

TEST(AllEqual, SourcesGiveTheSameNumbersAndNoOthers) {
  const auto with = [](const char* name, std::initializer_list<const char*> names, std::uint64_t& count) {
    std::vector<std::pair<std::string, Refill>> others;
    for (const char* other : names) others.emplace_back(other, open_source(other, 12345));
    return all_equal(open_source(name, 12345), others, count);
  };
  std::uint64_t count = 0;
  auto same = with("reference", {"simd", "engine"}, count);
  std::vector<double> numbers(1000), expected(1000);
  for (int block = 0; block < 3; ++block) same(numbers);
  EXPECT_EQ(count, 3000U);
  auto refill = ranmar_numbers();
  for (int block = 0; block < 3; ++block) refill(expected);
  EXPECT_EQ(numbers, expected);
  auto other = with("simd", {"engine", "extended"}, count);
  EXPECT_THROW(other(numbers), std::runtime_error);
  EXPECT_THROW(open_source("nothing", 12345), std::invalid_argument);
}

TEST(Blocks, ErrorsOfIndependentValues) {
  Blocks blocks(100, 1000);
  auto refill = ranmar_numbers();
  std::vector<double> numbers(100000);
  refill(numbers);
  for (const double number : numbers) blocks.add(number);
  blocks.add(1e9);  // behind the last block
  const auto result = blocks.result(1, 1.);
  const double sigma = std::sqrt(1. / 12. / 100000.);  // of the mean of uniform numbers
  EXPECT_NEAR(result.energy.value, 0.5, 4. * sigma);
  EXPECT_NEAR(result.energy.error / sigma, 1., 0.3);
  EXPECT_NEAR(result.specific_heat.value, 1. / 12., 4. * result.specific_heat.error);
}

}  // namespace
}  // namespace validation
