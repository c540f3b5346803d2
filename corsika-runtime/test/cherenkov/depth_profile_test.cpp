
#include <gtest/gtest.h>

#include "package.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using cherenkov::corsika::DepthProfile;

double depth(double* distance) { return Package::thickness(*distance); }

double depth_of_height(double* height) { return *height > 1.128e7 ? 0. : 1030. * std::exp(-*height / 8e5); }

// A profile's memory, and a second one to be filled plainly.
struct Two {
  std::vector<double> edges, fast, plain;
  DepthProfile profile{};

  Two(std::vector<double> given, int bins, double per_bin,
      DepthProfile::Kind kind = DepthProfile::Kind::kSlant)
      : edges(std::move(given)), fast(edges.size()), plain(edges.size()) {
    profile = {fast.data(),    edges.data(),     bins, static_cast<int>(edges.size()),
               1. / per_bin,   {0., 0., 1., 0.}, kind, per_bin,
               depth_of_height};
  }
  void add(const Step::Point& at, const Step::Point& between, double light) {
    if (profile.kind == DepthProfile::Kind::kHeight && light > 1.)  // CURVED's is the same
      profile.add_curved(at, half_of(between), light, 6.4e8, depth);
    else
      profile.add(at, half_of(between), light, depth);
    DepthProfile other = profile;
    other.photons = plain.data();
    if (profile.kind == DepthProfile::Kind::kHeight)
      plain_add_by_height(other, at, between, light, depth_of_height);
    else
      plain_add(other, at, between, light, depth);
  }
  [[nodiscard]] bool equal() const {
    return std::memcmp(fast.data(), plain.data(), fast.size() * sizeof(double)) == 0;
  }
};

Step::Point at_height(double z) { return {0., 0., 0., z, 0.}; }

std::vector<double> equal_depths(int edges, double per_bin) {
  std::vector<double> at;
  at.reserve(static_cast<std::size_t>(edges));
  for (int i = 0; i < edges; ++i)
    at.push_back(i == 0 ? 0. : -2.1e6 * std::log(std::max(1e-4, 1. - i * per_bin / 1030.)));
  return at;
}

std::vector<double> every_kilometre() {
  std::vector<double> at(20);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = 1e5 * static_cast<double>(i);
  return at;
}

// Also of releases whose CERLDE has no short cut for light of one bin: flat in depth there too.
TEST(DepthProfile, AddHasTheBitsOfThePlainAlgorithm) {
  Random random(31);
  for (int round = 0; round < 60; ++round) {
    const double per_bin = random.logarithmic(3., 150.);
    const int all = static_cast<int>(1030. / per_bin) + 1;
    const int bins = std::max(1, all - 4 - static_cast<int>(3. * random.turn()));
    Two two(equal_depths(all + (round % 4 == 0 ? 0 : 3), per_bin), bins, per_bin,
            round % 5 == 0 ? DepthProfile::Kind::kSlantSpread : DepthProfile::Kind::kSlant);
    if (two.profile.bins + 1 >= two.profile.max_bins) continue;
    // The end of what follows the bins may be anywhere, also between bins.
    if (round % 3 == 0)
      two.edges[static_cast<std::size_t>(bins) + 1] =
          random.turn() * two.edges[static_cast<std::size_t>(bins)];
    ShowerAxis& axis = two.profile.axis;
    const double turn = random.uniform(0., 1.5);
    axis = {std::sin(turn), 0., std::cos(turn), random.uniform(0., 1e7)};
    const double far = 1.3 * *std::max_element(two.edges.begin(), two.edges.end());
    for (int i = 0; i < 2000; ++i) {
      // anywhere from before the first edge to beyond the last, going down, up and level
      const double distance = random.uniform(-0.1 * far, far);
      const double x = random.uniform(-1e6, 1e6),
                   z = (x * axis.along_x + axis.start - distance) / axis.along_z;
      const double spacing = random.sign() * random.logarithmic(0.01, 5e6);
      two.add({0., x, random.uniform(-1e6, 1e6), z, 0.},
              {0., random.uniform(-1., 1.) * spacing, spacing, -spacing, 0.}, random.logarithmic(0.01, 100.));
    }
    ASSERT_TRUE(two.equal()) << round;
    ASSERT_GT(*std::max_element(two.fast.begin(), two.fast.end()), 0.);
  }
}

// Whole numbers, so that points stand exactly on edges: the lower edge belongs to a bin, the upper one does
// not.
TEST(DepthProfile, PointsOnEdges) {
  const std::vector<double> edges = every_kilometre();
  for (int begin = -3; begin <= 22; ++begin) {
    for (int end = -3; end <= 22; ++end) {
      Two two(edges, 16, 50.);
      const double from = 100000. * begin, to = 100000. * end;
      two.add(at_height(-0.5 * (from + to)), at_height(from - to), 4.);
      ASSERT_TRUE(two.equal()) << begin << " to " << end;
      if (begin >= 16) {
        for (double photons : two.fast) ASSERT_EQ(photons, 0.) << "beyond the last bin";
      }
    }
  }
  Two two(edges, 16, 50.);
  two.add(at_height(-250000.), at_height(-2.), 4.);
  EXPECT_EQ(two.fast[3], 4.);  // from 200000 to below 300000
  two.add(at_height(5e5), at_height(-100.), 3.);
  EXPECT_EQ(two.fast[0], 3.) << "before the first edge";
  EXPECT_TRUE(two.equal());
}

// What only_bin promises: every bunch between the two points goes to that bin, whole.
TEST(DepthProfile, OnlyBinHoldsAllLight) {
  Random random(32);
  int sure = 0, unsure = 0;
  for (int round = 0; round < 20000; ++round) {
    const double per_bin = random.logarithmic(5., 100.);
    const int edges = static_cast<int>(1030. / per_bin) + 3;
    Two two(equal_depths(edges, per_bin), edges - 3, per_bin);
    if (round % 100 == 0) two.profile.kind = DepthProfile::Kind::kSlantSpread;
    const double from = random.uniform(-1e4, 1.1 * two.edges.back());
    const double length = random.sign() * random.logarithmic(0.001, 1e6);
    const int bin = two.profile.only_bin(at_height(-from), at_height(-from - length));
    if (round % 100 == 0) {
      ASSERT_EQ(bin, 0) << "spread by depth";
    } else if (bin == 0) {
      // then an edge is near, or it is outside of what is kept
      const int first = plain_bin(two.profile, std::min(from, from + length) - 0.02);
      const int last = plain_bin(two.profile, std::max(from, from + length) + 0.02);
      ASSERT_TRUE(first != last || first == 0 || last > two.profile.bins) << from << " " << length;
      ++unsure;
    }
    if (bin == 0) continue;
    ++sure;
    for (int i = 0; i < 5; ++i) {
      const double a = random.turn(), b = random.turn();
      const double before = two.plain[static_cast<std::size_t>(bin)];
      two.add(at_height(-(from + 0.5 * (a + b) * length)), at_height((a - b) * length), 2.);
      ASSERT_EQ(two.plain[static_cast<std::size_t>(bin)], before + 2.);
    }
    ASSERT_TRUE(two.equal());
  }
  EXPECT_GT(sure, 5000);
  EXPECT_GT(unsure, 1000);
}

TEST(DepthProfile, ByHeight) {
  Random random(34);
  int sure = 0;
  for (int round = 0; round < 40; ++round) {
    const double per_bin = random.logarithmic(1., 100.);
    const int bins = static_cast<int>(900. / per_bin);
    std::vector<double> heights(static_cast<std::size_t>(bins) + 3);
    for (std::size_t b = 0; b < heights.size(); ++b)
      heights[b] = -8e5 * std::log(std::max(1e-6, static_cast<double>(b) * per_bin / 1030.));
    Two two(heights, bins, per_bin, DepthProfile::Kind::kHeight);
    for (int i = 0; i < 2000; ++i) {
      const double z = random.uniform(0., 2e6), spacing = random.logarithmic(1., 3e5);
      const double light = random.logarithmic(0.01, 100.);
      const int bin = two.profile.only_bin(at_height(z + 0.5 * spacing), at_height(z - 0.5 * spacing));
      const double slack = random.uniform(0., 3e4);
      const int wide = two.profile.only_curved_bin(at_height(z + 0.5 * spacing - slack),
                                                   at_height(z - 0.5 * spacing + slack), slack, 6.4e8, {});
      ASSERT_TRUE(wide == bin || (wide == 0 && slack > 0.5 * spacing));
      const double before = two.plain[static_cast<std::size_t>(bin)];
      two.add(at_height(z), at_height(-spacing), light);
      if (bin == 0) continue;
      ASSERT_EQ(two.plain[static_cast<std::size_t>(bin)], before + light);
      ++sure;
    }
    ASSERT_TRUE(two.equal()) << round;
  }
  EXPECT_GT(sure, 10000);
}

// The edges of some bins are a little off, as those of a real table of slant depths, and one far.
TEST(DepthProfile, DistancesInCurvedBinsAreInThoseBins) {
  Random random(37);
  for (int round = 0; round < 20; ++round) {
    const double per_bin = random.logarithmic(3., 50.);
    const int bins = static_cast<int>(900. / per_bin);
    Two two(equal_depths(bins + 4, per_bin), bins, per_bin);
    for (int b = 2; b + 2 < bins; b += 5) {
      double& edge = two.edges[static_cast<std::size_t>(b)];
      edge += random.sign() * 0.004 * (edge - two.edges[static_cast<std::size_t>(b - 1)]);
    }
    const int far = bins / 2;
    two.edges[static_cast<std::size_t>(far)] =
        0.5 * (two.edges[static_cast<std::size_t>(far)] + two.edges[static_cast<std::size_t>(far + 1)]);
    const auto ranges = two.profile.curved_bins(depth);
    ASSERT_EQ(ranges.size(), static_cast<std::size_t>(bins));
    double covered = 0.;
    for (int b = 1; b <= bins; ++b) {
      const DistanceRange& range = ranges[static_cast<std::size_t>(b - 1)];
      ASSERT_LE(ranges[static_cast<std::size_t>(std::max(0, b - 2))].low, range.low);
      if (!(range.low <= range.high)) continue;
      covered += range.high - range.low;
      for (int i = 0; i < 50; ++i) {
        double at = i < 2 ? (i == 0 ? range.low : range.high) : random.uniform(range.low, range.high);
        ASSERT_EQ(static_cast<int>(depth(&at) / per_bin) + 1, b);
      }
    }
    EXPECT_GT(covered, 0.85 * two.edges[static_cast<std::size_t>(bins)]);
    EXPECT_FALSE(ranges[static_cast<std::size_t>(far - 1)].low <=
                 ranges[static_cast<std::size_t>(far - 1)].high);
  }
}

}  // namespace
