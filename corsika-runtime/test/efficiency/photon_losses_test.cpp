
#include <gtest/gtest.h>

#include "../cherenkov/plain_step.hpp"

namespace {

using cherenkov::corsika::kEfficiencyPoints;
using cherenkov::corsika::PhotonLosses;
using cherenkov::corsika::Spectrum;

struct Tables : cherenkov::test::PlainEfficiency {
  explicit Tables(unsigned seed) {
    first = 200.;
    std::mt19937_64 random{seed};
    std::uniform_real_distribution<double> any(0., 1.);
    for (auto& value : mirror) value = any(random);
    for (auto& value : quantum) value = 0.4 * any(random);
  }
  [[nodiscard]] PhotonLosses losses(const Spectrum& spectrum = light.view()) const {
    return {tables(), {nullptr, nullptr, false}, spectrum, light.longest};
  }
  static constexpr cherenkov::test::PlainSpectrum light{};
};

// With mirror and cathode, and with one of them; the first wavelength of one is no whole number.
std::vector<Tables> tables_of(unsigned seed) {
  std::vector<Tables> all(3, Tables(seed));
  all[1].with_mirror = false;
  all[2].with_quantum = false, all[2].first = 180.7;
  return all;
}

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937_64 random{seed};
  std::vector<double> numbers(count);
  for (auto& u : numbers) u = (static_cast<double>(random() >> 16) + 0.5) / 0x1p48;
  return numbers;
}

// The photons of which it is not told that they are lost; of the others that they are.
std::int64_t expect_lost(const Tables& tables, const std::vector<double>& draws) {
  const PhotonLosses losses = tables.losses();
  const auto photons = static_cast<std::int64_t>(draws.size() / 2);
  std::int64_t open = 0;
  for (std::int64_t at = 0; at < photons; ++at) {
    const auto skipped = losses.lost_before_next(draws.data() + 2 * at, photons - at);
    for (std::int64_t i = at; i < at + skipped; ++i) {
      const auto* photon = draws.data() + 2 * i;
      EXPECT_GT(photon[1], tables.probability(Tables::light.wavelength(photon[0]))) << i;
    }
    at += skipped;
    if (at < photons) ++open;
  }
  return open;
}

// A number that is the probability is detected, the next one is not; also where rounding decides the bin.
TEST(PhotonLosses, DetectsWhatTeleffDoes) {
  for (const unsigned seed : {1U, 2U, 3U})
    for (Tables& tables : tables_of(seed)) {
      if (seed == 3U) tables.mirror[100] = NAN, tables.quantum[50] = HUGE_VAL;
      const PhotonLosses losses = tables.losses();
      const auto expect_as_teleff = [&](double wavelength) {
        const double p = tables.probability(wavelength);
        for (const double random : {p, std::nextafter(p, 2.), p - 1e-3, p + 1e-3, 0., 1.})
          ASSERT_EQ(losses.detects(wavelength, random), random <= p) << wavelength;
      };
      std::mt19937_64 random{5};
      std::uniform_real_distribution<double> any(tables.first, tables.first + 5. * (kEfficiencyPoints - 1));
      for (int i = 0; i < 200000; ++i) expect_as_teleff(any(random));
      for (int k = 1; k < 8 * (kEfficiencyPoints - 1); ++k) {
        double below = tables.first + 0.625 * k, above = below;
        for (int i = 0; i < 4; ++i) {
          expect_as_teleff(below);
          expect_as_teleff(above);
          below = std::nextafter(below, 0.), above = std::nextafter(above, HUGE_VAL);
        }
      }
    }
}

TEST(PhotonLosses, LostPhotonsAreLost) {
  for (const unsigned seed : {1U, 2U, 3U})
    for (const Tables& tables : tables_of(seed)) expect_lost(tables, random_numbers(400000, seed));
  // Second numbers near the probability.
  const Tables tables(7);
  auto draws = random_numbers(200000, 8);
  for (std::size_t i = 0; i < draws.size(); i += 2) {
    const double p = tables.probability(Tables::light.wavelength(draws[i]));
    draws[i + 1] = p * (1. + (draws[i + 1] - 0.5) * (i % 4 == 0 ? 1e-2 : 1e-12));
  }
  expect_lost(tables, draws);
}

// Of tables in shape as real ones.
TEST(PhotonLosses, LostPhotonsAreNearlyAllOfThoseThatTeleffRefuses) {
  Tables tables(0);
  for (std::size_t k = 0; k < kEfficiencyPoints; ++k) {
    const double x = (static_cast<double>(k) - 40.) / 25.;
    tables.mirror[k] = 0.85;
    tables.quantum[k] = 0.25 * std::exp(-x * x);
  }
  const auto draws = random_numbers(400000, 9);
  std::int64_t detected = 0;
  for (std::size_t i = 0; i < draws.size(); i += 2)
    if (draws[i + 1] <= tables.probability(Tables::light.wavelength(draws[i]))) ++detected;
  const auto open = expect_lost(tables, draws);
  EXPECT_GT(detected, 10000);
  EXPECT_GE(open, detected);
  EXPECT_LT(static_cast<double>(open), 1.02 * static_cast<double>(detected));
}

TEST(PhotonLosses, NoneAreLostWhereTheTablesDoNotTell) {
  const Tables tables(3);
  const double draws[] = {0.5, 1.}, norm = Tables::light.norm(), shortest = Tables::light.shortest;
  const auto lost = [&](const PhotonLosses& losses) { return losses.lost_before_next(draws, 1); };
  EXPECT_EQ(lost(tables.losses()), 1);
  // The last two: below the tables, and above.
  for (const auto& other :
       {Spectrum{shortest, -norm}, Spectrum{0.5, norm}, Spectrum{190., 1e9}, Spectrum{1300., 1e9}})
    EXPECT_EQ(lost(tables.losses(other)), 0);
  Tables broken(3);
  broken.mirror.fill(NAN);
  EXPECT_EQ(lost(broken.losses()), 0);
  broken = Tables(3);
  broken.first = HUGE_VAL;
  EXPECT_EQ(lost(broken.losses()), 0);
}

}  // namespace
