#include "corsika_runtime/efficiency/photon_losses.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../cherenkov/plain_step.hpp"

namespace {

using cherenkov::corsika::kEfficiencyBins;
using cherenkov::corsika::kEfficiencyPoints;

struct Tables : cherenkov::test::PlainEfficiency {
  explicit Tables(unsigned seed) {
    first = 200.;
    std::mt19937_64 random{seed};
    std::uniform_real_distribution<double> any(0., 1.);
    for (auto& value : mirror) value = any(random);
    for (auto& value : quantum) value = 0.4 * any(random);
  }
  [[nodiscard]] cherenkov::corsika::BoundsByWavelength bounds() const { return bounds_of(tables()); }
};

// With mirror and cathode, and with one of them.
std::vector<Tables> tables_of(unsigned seed) {
  std::vector<Tables> all(3, Tables(seed));
  all[1].with_mirror = false;
  all[2].with_quantum = false, all[2].first = 180.7;
  return all;
}

// In shape as a real one.
Tables photocathode() {
  Tables tables(0);
  for (std::size_t k = 0; k < kEfficiencyPoints; ++k) {
    const double x = (static_cast<double>(k) - 40.) / 25.;
    tables.mirror[k] = 0.85;
    tables.quantum[k] = 0.25 * std::exp(-x * x);
  }
  return tables;
}

using Light = cherenkov::test::PlainSpectrum;

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937_64 random{seed};
  std::vector<double> numbers(count);
  for (auto& u : numbers) u = (static_cast<double>(random() >> 16) + 0.5) / 0x1p48;
  return numbers;
}

// The photons of which `lost` does not tell that they are lost; of the others that they are.
std::int64_t expect_lost(const Tables& tables, const Light& light, const std::vector<double>& draws) {
  const cherenkov::corsika::LostPhotons lost(tables.tables(), light.view());
  const auto photons = static_cast<std::int64_t>(draws.size() / 2);
  std::int64_t open = 0;
  for (std::int64_t at = 0; at < photons; ++at) {
    const auto skipped = lost.before_next(draws.data() + 2 * at, photons - at);
    for (std::int64_t i = at; i < at + skipped; ++i) {
      const auto* photon = draws.data() + 2 * i;
      EXPECT_GT(photon[1], tables.probability(light.wavelength(photon[0]))) << i;
    }
    at += skipped;
    if (at < photons) ++open;
  }
  return open;
}

// The bound that TELEFF takes for a wavelength.
int bin_of(const Tables& tables, double wavelength) {
  return static_cast<int>((wavelength - tables.first) * 1.6);
}

void expect_within(const Tables& tables, const cherenkov::corsika::BoundsByWavelength& bounds,
                   double wavelength) {
  const auto& bound = bounds[static_cast<std::size_t>(bin_of(tables, wavelength))];
  const double p = tables.probability(wavelength);
  ASSERT_LE(bound.low, p) << wavelength;
  ASSERT_GE(bound.high, p) << wavelength;
}

void expect_within_everywhere(const Tables& tables) {
  const auto bounds = tables.bounds();
  std::mt19937_64 random{5};
  const double top = tables.first + 5. * (kEfficiencyPoints - 1);
  std::uniform_real_distribution<double> any(tables.first, top);
  for (int i = 0; i < 200000; ++i) expect_within(tables, bounds, any(random));
  // At the ends of bins, where rounding decides which one is taken.
  for (int k = 1; k < kEfficiencyBins; ++k) {
    double below = tables.first + 0.625 * k, above = below;
    for (int i = 0; i < 4; ++i) {
      expect_within(tables, bounds, below);
      expect_within(tables, bounds, above);
      below = std::nextafter(below, 0.), above = std::nextafter(above, HUGE_VAL);
    }
  }
}

}  // namespace

// Also where the first wavelength is no whole number.
TEST(EfficiencyBounds, HoldTheProbabilityOfEveryWavelength) {
  for (const unsigned seed : {1U, 2U, 3U})
    for (const Tables& tables : tables_of(seed)) expect_within_everywhere(tables);
}

TEST(EfficiencyBounds, LeaveLittleUndecided) {
  const auto tables = photocathode();
  double undecided = 0.;
  for (const auto& bound : tables.bounds()) undecided += bound.high - bound.low;
  EXPECT_LT(undecided / kEfficiencyBins, 0.003);
}

TEST(EfficiencyBounds, DecideNothingWhereATableIsNotFinite) {
  Tables tables(6);
  tables.mirror[100] = std::numeric_limits<double>::quiet_NaN();
  tables.quantum[50] = HUGE_VAL;
  const auto bounds = tables.bounds();
  for (const int point : {49, 50, 99, 100})
    for (int k = 8 * point; k < 8 * point + 8; ++k) {
      EXPECT_EQ(bounds[static_cast<std::size_t>(k)].low, -HUGE_VAL) << k;
      EXPECT_EQ(bounds[static_cast<std::size_t>(k)].high, HUGE_VAL) << k;
    }
  EXPECT_LT(bounds[8 * 60].high, 1.1);
  // Such a table does not matter where it is not used.
  tables.with_mirror = tables.with_quantum = false;
  for (const auto& bound : tables.bounds()) EXPECT_NEAR(bound.low, 1., 1e-8);
  tables.first = HUGE_VAL;
  EXPECT_EQ(tables.bounds()[0].high, HUGE_VAL);
}

TEST(LostPhotons, AreLost) {
  for (const unsigned seed : {1U, 2U, 3U})
    for (const Tables& tables : tables_of(seed)) expect_lost(tables, {}, random_numbers(400000, seed));
}

TEST(LostPhotons, AreLostWhereTheSecondNumberIsNearTheProbability) {
  const Tables tables(7);
  const Light light;
  auto draws = random_numbers(200000, 8);
  for (std::size_t i = 0; i < draws.size(); i += 2) {
    const double p = tables.probability(light.wavelength(draws[i]));
    draws[i + 1] = p * (1. + (draws[i + 1] - 0.5) * (i % 4 == 0 ? 1e-2 : 1e-12));
  }
  expect_lost(tables, light, draws);
}

TEST(LostPhotons, AreNearlyAllOfThoseThatTeleffRefuses) {
  const auto tables = photocathode();
  const Light light;
  const auto draws = random_numbers(400000, 9);
  std::int64_t detected = 0;
  for (std::size_t i = 0; i < draws.size(); i += 2)
    if (draws[i + 1] <= tables.probability(light.wavelength(draws[i]))) ++detected;
  const auto open = expect_lost(tables, light, draws);
  EXPECT_GT(detected, 10000);
  EXPECT_GE(open, detected);
  EXPECT_LT(static_cast<double>(open), 1.02 * static_cast<double>(detected));
}

TEST(LostPhotons, AreNoneWhereTheTablesDoNotTell) {
  const Tables tables(3);
  const std::vector<double> draws{0.5, 1.};
  const auto before_next = [&](const cherenkov::corsika::LostPhotons& lost) {
    return lost.before_next(draws.data(), 1);
  };
  EXPECT_EQ(before_next(cherenkov::corsika::LostPhotons()), 0);
  const Light light;
  EXPECT_EQ(before_next(cherenkov::corsika::LostPhotons(tables.tables(), light.view())), 1);
  EXPECT_EQ(before_next(cherenkov::corsika::LostPhotons(tables.tables(), {light.shortest, -light.norm()})),
            0);
  EXPECT_EQ(before_next(cherenkov::corsika::LostPhotons(tables.tables(), {0.5, light.norm()})), 0);
  EXPECT_EQ(before_next(cherenkov::corsika::LostPhotons(tables.tables(), {190., 1e9})), 0)
      << "below the tables";
  EXPECT_EQ(before_next(cherenkov::corsika::LostPhotons(tables.tables(), {1300., 1e9})), 0)
      << "above the tables";
  Tables broken(3);
  broken.mirror.fill(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(before_next(cherenkov::corsika::LostPhotons(broken.tables(), light.view())), 0);
}
