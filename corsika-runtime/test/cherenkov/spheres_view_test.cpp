// The sectors of azimuths whose light may pass a sphere.
#include "cherenkov/spheres_view.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "event_view.hpp"
#include "random_ring.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

TEST(SpheresView, LightThatTouchesASphereIsInItsSectors) {
  Random random(47);
  const Atmosphere air(1.27e5);
  long aimed = 0, sectors_of_aimed = 0, all = 0;  // sectors_of_aimed: where not all are set
  for (int round = 0; round < 200000; ++round) {
    const auto its = random_ring(random, air, round);
    if (!its) continue;
    const Spheres array(its->spheres);
    if (!(its->lowest > array.top())) continue;
    const std::uint64_t sectors = view_of(array).sectors_of(its->ring, OneLane{});
    ASSERT_EQ(sectors != 0, array.touched_by(its->ring)) << "round " << round;
    if (!its->is_aimed) continue;
    const auto own = static_cast<unsigned>(its->azimuth * SpheresView::kSectors);
    ASSERT_TRUE((sectors >> own & 1U) != 0) << "round " << round;
    ++aimed;
    if (sectors == ~std::uint64_t{0})
      ++all;
    else
      sectors_of_aimed += std::popcount(sectors);
  }
  const double mean = static_cast<double>(sectors_of_aimed) / static_cast<double>(aimed - all);
  std::printf("%ld aimed, all sectors in %ld, %.1f in the others\n", aimed, all, mean);
  EXPECT_GT(aimed, 50000);
  EXPECT_LT(all, aimed / 2);
  EXPECT_LT(mean, 15.);
}

}  // namespace
