#include "corsika_runtime/depth/slant_depth.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace {

// A table as CORSIKA fills it: layers of equal spacing each, from the ground up. No depth is 0.
struct Table {
  std::vector<double> distance, depth;
  std::int32_t first = 1;

  Table(double length, int entries, std::int32_t first_entry) : first(first_entry) {
    for (int i = 0; i < entries; ++i) {
      const double part = 1. - static_cast<double>(i) / (entries - 1);
      distance.push_back(length * (part < 0.5 ? 0.2 * part : 0.1 + 1.8 * (part - 0.5)));
      depth.push_back(3. + 1030. * (std::exp(distance.back() / 2.1e6) - 1.));
    }
  }
  [[nodiscard]] cherenkov::corsika::SlantTable view() const {
    return {distance.data(), depth.data(), &first, static_cast<std::int32_t>(distance.size())};
  }
};

// Halving, as CORSIKA does it, with Fortran's indices.
double by_halving(const Table& table, double d) {
  const auto path = [&](std::int32_t i) { return table.distance[static_cast<std::size_t>(i - 1)]; };
  const auto depth = [&](std::int32_t i) { return table.depth[static_cast<std::size_t>(i - 1)]; };
  std::int32_t far = table.first, near = static_cast<std::int32_t>(table.distance.size());
  if (d < 0.) return 1.5 * depth(near);
  if (d >= path(far)) return depth(far);
  while (true) {
    const std::int32_t middle = (far + near) / 2;
    (path(middle) < d ? near : far) = middle;
    if (near - far <= 1) break;
  }
  const double slope = (depth(far) - depth(near)) / (path(far) - path(near));
  return depth(near) + slope * (d - path(near));
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

class SlantDepths : public testing::Test {
 protected:
  void expect_equal(cherenkov::corsika::SlantDepth& found, const Table& table, double d) {
    ASSERT_EQ(bits(found(d)), bits(by_halving(table, d))) << d;
  }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  std::mt19937_64 random{17};
};

TEST_F(SlantDepths, TheBitsOfHalvingEverywhere) {
  for (const std::int32_t first : {1, 2, 700}) {
    const Table table(1.2e7, 8000, first);
    cherenkov::corsika::SlantDepth found(table.view());
    for (int i = 0; i < 200000; ++i) expect_equal(found, table, uniform(-1e4, 1.3e7));
    for (const double entry : table.distance)
      for (const double d : {entry, std::nextafter(entry, 0.), std::nextafter(entry, 1e9)})
        expect_equal(found, table, d);
  }
}

// A new event fills the same memory with another table: nothing tells the index of it.
TEST_F(SlantDepths, ATableThatChanges) {
  Table table(1.2e7, 8000, 1);
  cherenkov::corsika::SlantDepth found(table.view());
  for (int event = 0; event < 20; ++event) {
    const Table next(1.13e7 * (1. + 0.1 * event), 8000, 1 + 37 * event);
    table.distance.assign(next.distance.begin(), next.distance.end());
    table.depth.assign(next.depth.begin(), next.depth.end());
    table.first = next.first;
    for (int i = 0; i < 5000; ++i) expect_equal(found, table, uniform(0., 3e7));
  }
}

// Each value by which a table is recognised, alone.
TEST_F(SlantDepths, ATableThatChangesInOnePlace) {
  Table table(1.2e7, 8000, 1);
  cherenkov::corsika::SlantDepth found(table.view());
  for (const std::int32_t first : {1, 5})
    for (const auto& [i, by] :
         {std::pair{first - 1, 1.}, {(first + 8000) / 2 - 1, 1.}, {7999, -0.}, {7999, -1.}}) {
      double& entry = table.distance[static_cast<std::size_t>(i)];
      expect_equal(found, table, entry);
      table.first = first;
      entry += by;
      for (int k = 0; k < 1000; ++k) expect_equal(found, table, entry + uniform(-3e3, 3e3));
      for (const double d : {entry, 0., -0., -1e-320, -0.5}) expect_equal(found, table, d);
    }
}

// 7.7000 divides each layer by 100 and fills 1600 entries of it, so that a layer's entries reach beyond the
// next ones.
TEST_F(SlantDepths, ATableWhoseDistancesDoNotFall) {
  Table falling(1.2e7, 8000, 1), rising = falling;
  for (std::size_t layer = 0; layer < 5; ++layer) {
    const double far = falling.distance[1600 * layer];
    const double near = layer == 4 ? 0. : falling.distance[1600 * (layer + 1)];
    for (std::size_t k = 0; k < 1600; ++k)
      rising.distance[1600 * layer + k] = far - (far - near) * static_cast<double>(k) / 100.;
  }
  Table table = falling;
  cherenkov::corsika::SlantDepth found(table.view());
  for (const Table* next : {&rising, &falling, &rising}) {
    table.distance.assign(next->distance.begin(), next->distance.end());
    for (int i = 0; i < 20000; ++i) expect_equal(found, table, uniform(0., 1.2e7));
  }
}

TEST_F(SlantDepths, ShortTablesAndEntriesThatAreEqual) {
  Table two(1e6, 2, 1);
  cherenkov::corsika::SlantDepth of_two(two.view());
  for (const double d : {0., 1., 5e5, 1e6, 2e6}) expect_equal(of_two, two, d);
  Table flat(1e6, 100, 1);
  for (std::size_t i = 40; i < 60; ++i) flat.distance[i] = flat.distance[40];
  cherenkov::corsika::SlantDepth of_flat(flat.view());
  for (int i = 0; i < 10000; ++i) expect_equal(of_flat, flat, uniform(0., 1e6));
  EXPECT_TRUE(std::isnan(of_flat(std::numeric_limits<double>::quiet_NaN())));
}

// Another function, and one that differs in the last bit of some values.
TEST_F(SlantDepths, AnotherFunctionIsNotTakenForCorsikas) {
  static const Table table(1.2e7, 8000, 2);
  cherenkov::corsika::SlantDepth found(table.view());
  EXPECT_TRUE(found.is_as([](const double* d) { return by_halving(table, *d); }));
  EXPECT_FALSE(found.is_as([](const double* d) { return by_halving(table, *d) + (*d < 0. ? 1e-3 : 0.); }));
  EXPECT_FALSE(found.is_as([](const double* d) {
    const double depth = by_halving(table, *d);
    return *d > 5e6 && *d < 5.1e6 ? std::nextafter(depth, 0.) : depth;
  }));
}

}  // namespace
