// The table of refractive indices against the routines that it was made from.

#include <gtest/gtest.h>

#include "package.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::Emission;
using corsika::IndexTable;

// An air as the IACT package has it: logarithms of n - 1 at 40,000 heights, from 2 to 115 km.
class Air {
 public:
  enum class Kind { kLinear, kExponential, kQuadratic };
  static Air& now() {
    static Air air;
    return air;
  }
  void set(Kind kind, double top_excess = 1e-11) {
    kind_ = kind;
    logs_.clear();
    for (int i = 0; i < kNodes; ++i) {
      const double height = kLow + i / kPerCm;
      const double log = -8.2 - height / 8.1e5 + 0.05 * std::sin(height / 3e5);
      logs_.push_back(std::max(log, std::log(top_excess)));
    }
  }
  static double excess(double* height) {
    const Air& a = now();
    if (*height <= kLow) return std::exp(a.logs_.front());
    if (*height >= kHigh) return 0.;
    const int i = static_cast<int>(kPerCm * (*height - kLow));
    if (i >= kNodes - 1) return 0.;
    const double part = kPerCm * (*height - (kLow + i / kPerCm));
    const double from = a.logs_[static_cast<std::size_t>(i)], to = a.logs_[static_cast<std::size_t>(i) + 1];
    if (a.kind_ == Kind::kExponential) return std::exp(part * (to - from) + from);
    const double way = a.kind_ == Kind::kLinear ? part : part * part;
    return way * (std::exp(to) - std::exp(from)) + std::exp(from);
  }
  static double index(double* height) { return 1. + excess(height); }

 private:
  static constexpr int kNodes = 40000;
  static constexpr double kLow = 2e5, kHigh = 115e5, kPerCm = (kNodes - 1) / (kHigh - kLow);
  Kind kind_ = Kind::kLinear;
  std::vector<double> logs_;
};

Emission emission() { return {0., 0., 0., 0., true, Air::index, nullptr, nullptr, Air::excess}; }

TEST(IndexTable, HasTheBitsWhereItIsCertain) {
  Random random(11);
  for (const auto kind : {Air::Kind::kLinear, Air::Kind::kExponential}) {
    Air::now().set(kind);
    const auto table = IndexTable::of(emission());
    ASSERT_TRUE(table);
    const IndexTableView view = table->view();
    EXPECT_EQ(view.is_exponential, kind == Air::Kind::kExponential);
    int certain = 0;
    constexpr int kHeights = 300000;
    for (int i = 0; i < kHeights; ++i) {
      // A third of them at the border of two cells.
      double height = random.uniform(2.01e5, i % 5 == 0 ? 1.1e7 : 3e6);
      if (i % 3 == 0) {
        height = view.low + std::floor((height - view.low) / view.width) * view.width;
        if (i % 2 == 0) height = std::nextafter(height, i % 4 == 0 ? HUGE_VAL : 0.);
      }
      const IndexTableView::Index at = view.at(height);
      const double is = Air::index(&height);
      certain += at.is_certain ? 1 : 0;
      if (at.is_certain)
        ASSERT_EQ(at.n, is) << height;
      else
        ASSERT_LE(std::fabs(at.n - is), 0x1p-52) << height;
    }
    EXPECT_GT(certain, kHeights * 97 / 100);
    EXPECT_LT(certain, kHeights);
  }
}

TEST(IndexTable, KnowsNothingOutside) {
  Air::now().set(Air::Kind::kLinear);
  const auto table = IndexTable::of(emission());
  ASSERT_TRUE(table);
  for (const double height : {-1e5, 1.9e5, 115.1e5, 1e30, -1e30, std::numeric_limits<double>::quiet_NaN()}) {
    const IndexTableView::Index at = table->view().at(height);
    EXPECT_FALSE(at.is_certain) << height;
    EXPECT_TRUE(std::isnan(at.n)) << height;
  }
}

TEST(IndexTable, IsNoneWhereThePackageDoesOtherwise) {
  Air::now().set(Air::Kind::kQuadratic);
  EXPECT_FALSE(IndexTable::of(emission()));
  Air::now().set(Air::Kind::kLinear);
  void (*const kChanges[])(Emission&) = {
      [](Emission& e) { e.excess = nullptr; }, [](Emission& e) { e.tables = false; },
      [](Emission& e) { e.excess = [](double*) { return 2e-4; }; },
      [](Emission& e) { e.excess = [](double*) { return 0.; }; },
      [](Emission& e) { e.index = [](double* height) { return 1. + Air::excess(height) * (1. + 1e-12); }; }};
  for (const auto& change : kChanges) {
    Emission e = emission();
    change(e);
    EXPECT_FALSE(IndexTable::of(e));
  }
}

// One cell that is not like the others.
TEST(IndexTable, ACellThatIsNotAsTheOthersIsNotKnown) {
  Air::now().set(Air::Kind::kLinear);
  static constexpr double kCell = 113e5 / 39999., kBegin = 2e5 + 5000.25 * kCell, kEnd = kBegin + 0.5 * kCell;
  static const auto excess = [](double* height) {
    return Air::excess(height) * (*height > kBegin && *height < kEnd ? 1. + 1e-9 : 1.);
  };
  Emission e = emission();
  e.excess = excess;
  e.index = [](double* height) { return 1. + excess(height); };
  const auto table = IndexTable::of(e);
  ASSERT_TRUE(table);
  EXPECT_TRUE(std::isnan(table->view().at(0.5 * (kBegin + kEnd)).n));
  EXPECT_FALSE(std::isnan(table->view().at(kBegin - 1e3).n));
  EXPECT_FALSE(std::isnan(table->view().at(kEnd + 1e3).n));
}

// Indices within a layer against the density at each height.

using corsika::ExponentialAir;
using corsika::refractive_index;

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

std::optional<ExponentialAir> air_of(double (*of)(double*), const std::array<double, 5>& slopes = kPerCm,
                                     const std::array<double, 5>& boundary = kBoundary) {
  return ExponentialAir::measured(boundary.data(), slopes.data(), of);
}

double other_density(double* height) { return density(height) * (1. + 1e-13 * std::sin(*height)); }

TEST(ExponentialAir, IndicesAreThoseOfEachHeight) {
  const auto air = air_of(density);
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
  const auto air = air_of(density);
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
  EXPECT_FALSE(air_of(rounded_otherwise));
  EXPECT_FALSE(air_of(other_density));
  for (const double slope : {kPerCm[2] * (1. + 1e-12), 0.}) {
    auto slopes = kPerCm;
    slopes[2] = slope;
    EXPECT_FALSE(air_of(density, slopes)) << slope;
  }
  auto boundary = kBoundary;
  boundary[3] = 4.1e6;
  EXPECT_FALSE(air_of(density, kPerCm, boundary));
}

TEST(ExponentialAir, NoHeightAndOneThatIsNoNumber) {
  const auto air = air_of(density);
  ASSERT_TRUE(air);
  const Emission emission{0.1, 400., 5., 0.24, false, nullptr, density};
  const ExponentialAir::Reference none{NAN, 0.};
  air->find_indices(emission, none, nullptr, 0, nullptr);
  std::vector<double> height(16, NAN), index(16, 0.);
  air->find_indices(emission, none, height.data(), 8, index.data());
  for (double& one : height) EXPECT_EQ(index[0], refractive_index(emission, one));
}

}  // namespace
