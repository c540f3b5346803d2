// Indices within a layer against the density at each height.
#include "corsika_runtime/cherenkov/exponential_air.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "random_step.hpp"

namespace {

using cherenkov::corsika::Emission;
using cherenkov::corsika::ExponentialAir;
using cherenkov::corsika::refractive_index;
using cherenkov::test::Random;

// Five layers of no particular atmosphere, with jumps of the density.
constexpr std::array<double, 5> kBoundary{0., 4e5, 1e6, 4e6, 1.3e7};
constexpr std::array<double, 5> kPerCm{1. / 994186., 1. / 878153., 1. / 636143., 1. / 772170., 1e-9};
constexpr std::array<double, 4> kAtZero{1222.7, 1144.9, 1305.6, 540.2};

long calls = 0;

double density(double* height) {
  ++calls;
  for (std::size_t layer = 0; layer < 4; ++layer)
    if (*height < kBoundary[layer + 1])
      return kAtZero[layer] * kPerCm[layer] * std::exp((-*height) * kPerCm[layer]);
  return kPerCm[4];
}

double other_density(double* height) { return density(height) * (1. + 1e-13 * std::sin(*height)); }

TEST(ExponentialAir, IndicesAreThoseOfEachHeight) {
  const auto air = ExponentialAir::measured(kBoundary.data(), kPerCm.data(), density);
  ASSERT_TRUE(air);
  const Emission emission{0.1, 400., 5., 0.24, false, nullptr, density};
  Random random{7};
  std::vector<double> height, index;
  std::uint64_t heights = 0;
  long within = 0;
  for (int step = 0; step < 40000; ++step) {
    const auto n = static_cast<std::size_t>(random.logarithmic(1., 300.));
    // Steps within a layer and over its ends, short and long, up and down.
    const double from =
        random.turn() < 0.1 ? kBoundary[1] + random.uniform(-100., 100.) : random.uniform(-1e4, 1.4e7);
    const double spacing = random.logarithmic(1e-3, 1e4) * (random.turn() < 0.1 ? 1. : -1.);
    height.assign(n, 0.);
    index.resize(n + 8);
    double at = from;
    for (double& one : height) one = at += spacing;
    height.resize(n + 8, at);
    // Most often a height of the step or near it; any other does, too.
    double known =
        random.turn() < 0.97 ? height[n / 2] + random.uniform(-1e3, 1e3) : random.uniform(-1e4, 1.4e7);
    const ExponentialAir::Reference reference{known, emission.index_per_density * density(&known)};
    const long before = calls;
    air->find_indices(emission, reference, height.data(), n, index.data());
    within += calls - before;
    heights += n;
    for (std::size_t k = 0; k < n; ++k)
      ASSERT_EQ(index[k], refractive_index(emission, height[k])) << height[k];
  }
  EXPECT_GT(heights, 0U);
  EXPECT_EQ(within, 0) << "another thread may be in RHOF";
}

TEST(ExponentialAir, DensitiesAreTheRoutines) {
  const auto air = ExponentialAir::measured(kBoundary.data(), kPerCm.data(), density);
  ASSERT_TRUE(air);
  for (double height : kBoundary) ASSERT_EQ(air->density(height), density(&height)) << height;
  Random random{11};
  for (int i = 0; i < 100000; ++i) {
    double height = random.turn() < 0.1 ? kBoundary[static_cast<std::size_t>(i % 5)] + random.uniform(-1., 1.)
                                        : random.uniform(-1e4, 1.5e7);
    ASSERT_EQ(air->density(height), density(&height)) << height;
  }
}

// The factor before the exponential is right to all but its last bit.
double rounded_otherwise(double* height) {
  return *height < kBoundary[1] ? std::nextafter(density(height), 0.) : density(height);
}

TEST(ExponentialAir, AnotherDensityIsNotTaken) {
  EXPECT_FALSE(ExponentialAir::measured(kBoundary.data(), kPerCm.data(), rounded_otherwise));
  EXPECT_FALSE(ExponentialAir::measured(kBoundary.data(), kPerCm.data(), other_density));
  auto slopes = kPerCm;
  slopes[2] *= 1. + 1e-12;
  EXPECT_FALSE(ExponentialAir::measured(kBoundary.data(), slopes.data(), density));
  slopes[2] = 0.;
  EXPECT_FALSE(ExponentialAir::measured(kBoundary.data(), slopes.data(), density));
  auto boundary = kBoundary;
  boundary[3] = 4.1e6;
  EXPECT_FALSE(ExponentialAir::measured(boundary.data(), kPerCm.data(), density));
}

TEST(ExponentialAir, NoHeightAndOneThatIsNoNumber) {
  const auto air = ExponentialAir::measured(kBoundary.data(), kPerCm.data(), density);
  ASSERT_TRUE(air);
  const Emission emission{0.1, 400., 5., 0.24, false, nullptr, density};
  const ExponentialAir::Reference none{NAN, 0.};
  air->find_indices(emission, none, nullptr, 0, nullptr);
  std::vector<double> height(16, NAN), index(16, 0.);
  air->find_indices(emission, none, height.data(), 8, index.data());
  for (double& one : height) EXPECT_EQ(index[0], refractive_index(emission, one));
}

}  // namespace
