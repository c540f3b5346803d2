// Bounds of the shift by refraction in the curved geometry, against the table's own interpolation.
#include "corsika_runtime/cherenkov/curved_arrival.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "played_curved.hpp"
#include "random_step.hpp"

namespace cherenkov::corsika {
namespace {

using test::CurvedTable;

TEST(CurvedArrival, BoundsHoldAllLightBetween) {
  const auto arrival = CurvedArrival::measured(CurvedTable::kPlane_cm, CurvedTable::distance);
  EXPECT_EQ(arrival.plane_height(), CurvedTable::kPlane_cm);
  test::Random random(7);
  int known = 0;
  double widest = 0.;
  for (int i = 0; i < 3000; ++i) {
    const double angle = random.uniform(0., 1.53), spread = random.logarithmic(1e-4, 0.026);
    const double low = CurvedTable::kPlane_cm + random.logarithmic(10., 1.0e7);
    const double high = low + random.logarithmic(1., 2e5);
    const auto shift =
        arrival.shift(std::cos(angle + spread), std::cos(std::max(0., angle - spread)), low, high);
    if (!shift) continue;
    ++known;
    widest = std::max(widest, shift->high - shift->low);
    for (int k = 0; k < 20; ++k) {
      const double own = std::max(0., angle + random.uniform(-1., 1.) * spread);
      double height = random.uniform(low, high), w = std::cos(own);
      const double found =
          CurvedTable::distance(&w, &height) - (height - CurvedTable::kPlane_cm) * std::tan(std::acos(w));
      EXPECT_GE(found, shift->low - 0.5) << angle << " " << height;
      EXPECT_LE(found, shift->high + 0.5) << angle << " " << height;
    }
  }
  EXPECT_GT(known, 2500);
  EXPECT_GT(widest, 100.) << "steep light has large shifts";
}

TEST(CurvedArrival, SaysWhereItDoesNotKnow) {
  const auto arrival = CurvedArrival::measured(CurvedTable::kPlane_cm, CurvedTable::distance);
  const double above = CurvedTable::kPlane_cm + 1e6;
  EXPECT_TRUE(arrival.shift(0.5, 0.52, above, above + 1e5));
  EXPECT_FALSE(arrival.shift(0.03, 0.05, above, above));  // beyond 88 degrees
  EXPECT_FALSE(arrival.shift(0.5, 0.7, above, above));    // more than 3 degrees
  EXPECT_FALSE(arrival.shift(0.5, 0.52, 1e5, above));     // below the plane
  EXPECT_FALSE(arrival.shift(0.5, 0.52, above, 1.13e7));  // above the table
  EXPECT_FALSE(arrival.shift(0.52, 0.5, above, above));   // no range
  EXPECT_FALSE(arrival.shift(std::nan(""), 0.5, above, above));
}

TEST(CurvedArrival, RefusesAnotherRule) {
  const auto smooth = [](double* w, double* height) {
    return (*height - CurvedTable::kPlane_cm) * std::sqrt(1. - *w * *w) / *w;
  };
  EXPECT_THROW(CurvedArrival::measured(CurvedTable::kPlane_cm, smooth), std::runtime_error);
  EXPECT_THROW(CurvedArrival::measured(2e7, CurvedTable::distance), std::runtime_error);
}

}  // namespace
}  // namespace cherenkov::corsika
