#include "cherenkov/footprint_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using cherenkov::Footprint;
using cherenkov::FootprintMap;

// Arrays as they are: a few telescopes of some metres, copied over up to kilometres; also odd ones.
std::vector<Footprint> random_array(std::mt19937_64& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const double scatter = std::pow(10., uniform(1., 6.));
  const double x = uniform(-1e6, 1e6), y = uniform(-1e6, 1e6);
  const int copies = static_cast<int>(uniform(1., 21.)), telescopes = static_cast<int>(uniform(1., 6.));
  std::vector<Footprint> footprints;
  for (int c = 0; c < copies; ++c) {
    const double xc = x + uniform(-scatter, scatter), yc = y + uniform(-scatter, scatter);
    for (int t = 0; t < telescopes; ++t)
      footprints.push_back({xc + uniform(-15000., 15000.), yc + uniform(-15000., 15000.),
                            uniform(0., 1.) < 0.1 ? 0. : uniform(1., 3000.)});
  }
  return footprints;
}

TEST(FootprintMap, NoPointOfAFootprintIsUnreachableAndEdgesAreClear) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> inside(-1., 1.);
  for (int array = 0; array < 200; ++array) {
    const auto footprints = random_array(random);
    const double margin = array % 3 == 0 ? 0. : 100. * (1. + inside(random));
    const FootprintMap ground(footprints, margin);
    for (const Footprint& f : footprints) {
      const double reach = f.half_width + margin;
      for (int point = 0; point < 100; ++point) {
        // corners and edges too, where a map that is a cell short would fail
        double a = inside(random), b = inside(random);
        if (point % 4 == 1) a = a < 0. ? -1. : 1.;
        if (point % 4 == 2) b = b < 0. ? -1. : 1.;
        if (point % 4 == 3) a = a < 0. ? -1. : 1., b = b < 0. ? -1. : 1.;
        ASSERT_TRUE(ground.reachable(f.x + a * reach, f.y + b * reach))
            << "array " << array << ", " << a << ", " << b;
      }
    }
    const double x = ground.x_low(), y = ground.y_low(), first = 0.5 / ground.cells_per_cm(),
                 far = (FootprintMap::kCells - 0.5) / ground.cells_per_cm();
    for (int i = 0; i < FootprintMap::kCells; ++i) {
      const double near = (i + 0.5) / ground.cells_per_cm();
      ASSERT_FALSE(ground.reachable(x + near, y + first));
      ASSERT_FALSE(ground.reachable(x + near, y + far));
      ASSERT_FALSE(ground.reachable(x + first, y + near));
      ASSERT_FALSE(ground.reachable(x + far, y + near));
    }
    EXPECT_FALSE(ground.reachable(x - 1., y - 1.));
    EXPECT_FALSE(ground.reachable(1e30, 0.));
    EXPECT_FALSE(ground.reachable(-1e30, std::numeric_limits<double>::quiet_NaN()));
  }
}

// Every set cell has a point within margin and two cells of a footprint: the map skips what it can.
TEST(FootprintMap, NoCellIsSetFarFromAFootprint) {
  std::mt19937_64 random(3);
  for (int array = 0; array < 20; ++array) {
    const auto footprints = random_array(random);
    const FootprintMap ground(footprints, 40.);
    const double cell = 1. / ground.cells_per_cm();
    for (int row = 0; row < FootprintMap::kCells; ++row) {
      for (int column = 0; column < FootprintMap::kCells; ++column) {
        const double x = ground.x_low() + (column + 0.5) * cell, y = ground.y_low() + (row + 0.5) * cell;
        if (!ground.reachable(x, y)) continue;
        bool close = false;
        for (const Footprint& f : footprints) {
          const double reach = f.half_width + 40. + 0.51 * cell;
          close = close || (std::fabs(x - f.x) <= reach && std::fabs(y - f.y) <= reach);
        }
        ASSERT_TRUE(close) << "array " << array << ", cell " << column << ", " << row;
      }
    }
  }
}

TEST(FootprintMap, NoFootprintIsNowhereReachedAndOnePointIs) {
  const Footprint point{12345., -6789., 0.};
  const FootprintMap one({&point, 1}, 0.);
  EXPECT_TRUE(one.reachable(12345., -6789.));
  EXPECT_FALSE(one.reachable(12347., -6789.));
  for (const FootprintMap& ground : {FootprintMap(), FootprintMap({}, 40.)})
    EXPECT_FALSE(ground.reachable(0., 0.));
}

TEST(FootprintMap, BadInputThrows) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto make = [](Footprint f, double margin) { return FootprintMap({&f, 1}, margin); };
  EXPECT_NO_THROW(make({0., 0., 1.}, 0.));
  for (double bad : {nan, inf, -inf, 1e300, -1e11}) {
    EXPECT_THROW(make({bad, 0., 1.}, 1.), std::invalid_argument) << bad;
    EXPECT_THROW(make({0., bad, 1.}, 1.), std::invalid_argument) << bad;
    EXPECT_THROW(make({0., 0., bad}, 1.), std::invalid_argument) << bad;
    EXPECT_THROW(make({0., 0., 1.}, bad), std::invalid_argument) << bad;
  }
  EXPECT_THROW(make({0., 0., -1.}, 1.), std::invalid_argument);
  EXPECT_THROW(make({0., 0., 1.}, -1e-9), std::invalid_argument);
}

}  // namespace
