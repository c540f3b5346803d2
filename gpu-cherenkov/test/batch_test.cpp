// A batch of segments against steps that are chosen among one by one.
#include "cherenkov/batch.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "bundle.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

// Segments that begin within their step, and one whose ring touches nothing; numbers with holes between
// segments.
TEST(Batch, ChoosesAsEachStepAlone) {
  Random random(71);
  const Atmosphere air(1.27e5);
  const Sphere telescopes[] = {{0., 0., 300., 700.}, {9e3, -4e3, 0., 600.}, {-7e3, 6e3, 1000., 700.}};
  const Footprint footprints[] = {{0., 0., 800.}, {9e3, -4e3, 700.}, {-7e3, 6e3, 900.}};
  const ArrayGeometry geometry{
      {air.observed(), 0., 0., 1., 0., 0., 0.}, FootprintMap(footprints, 40.), Spheres(telescopes)};
  std::vector<StepSegment> segments;
  std::vector<double> numbers;
  std::vector<CandidateBunch> wanted;
  constexpr std::uint64_t kFirst = 5000;
  for (int s = 0; s < 300; ++s) {
    const double height = random.uniform(3e5, 2e6), far = s % 7 == 3 ? 5e6 : 0.;
    StepSegment segment{};
    segment.step = aimed_step(air, direction(0.3, 1.), height, far + random.uniform(-1e4, 1e4),
                              random.uniform(-1e4, 1e4), 5e3, 260, 0.8, 40.);
    segment.cone = cone_of(segment.step, 0.5);
    segment.ground_slack = 200.;
    segment.uncertainty = {40., 1e-3};
    segment.refraction_k = air.k(height);
    segment.first = s % 3 * 50;
    segment.bunches = 1 + static_cast<int>(200. * random.turn());
    for (int hole = s % 5; hole > 0; --hole) numbers.push_back(0.5);
    segment.first_azimuth_number = kFirst + numbers.size();
    for (int done = 0; done < segment.bunches; done += kMaxBunches) {
      const int here = std::min(segment.bunches - done, kMaxBunches), first = segment.first + done;
      Bundle b;
      set_up(random, segment.step, first, here, b);
      numbers.insert(numbers.end(), b.azimuth, b.azimuth + here);
      int indices[kPaddedBunches];
      const int count =
          choose(segment.step, first, here, b.light, b.azimuth, geometry.plane, segment.refraction_k,
                 geometry.ground, indices, {&geometry.spheres, segment.uncertainty});
      for (int c = 0; c < count; ++c) wanted.push_back({b.azimuth[indices[c]], first + indices[c], s});
    }
    segments.push_back(segment);
  }
  std::vector<CandidateBunch> chosen;
  choose_on_host(segments, numbers, kFirst, geometry, chosen);
  ASSERT_GT(chosen.size(), 100U);
  ASSERT_EQ(chosen.size(), wanted.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_EQ(chosen[i].azimuth, wanted[i].azimuth);
    EXPECT_EQ(chosen[i].bunch, wanted[i].bunch);
    EXPECT_EQ(chosen[i].segment, wanted[i].segment);
  }
}

TEST(Batch, NothingOfNothing) {
  std::vector<CandidateBunch> chosen;
  choose_on_host({}, {}, 0, {}, chosen);
  EXPECT_TRUE(chosen.empty());
}

}  // namespace
