// The table of refractive indices against the routines that it was made from.
#include "corsika_runtime/cherenkov/index_table.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "atmosphere.hpp"
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

Emission emission() {
  Emission e{};
  e.tables = true;
  e.index = Air::index;
  e.excess = Air::excess;
  return e;
}

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
      double height = random.uniform(2.01e5, 3e6);
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
  Emission e = emission();
  e.excess = nullptr;
  EXPECT_FALSE(IndexTable::of(e));
  e = emission();
  e.tables = false;
  EXPECT_FALSE(IndexTable::of(e));
  e = emission();
  e.index = [](double* height) { return 1. + Air::excess(height) * (1. + 1e-12); };
  EXPECT_FALSE(IndexTable::of(e));
  e = emission();
  e.excess = [](double*) { return 2e-4; };
  EXPECT_FALSE(IndexTable::of(e));
  e.excess = [](double*) { return 0.; };
  EXPECT_FALSE(IndexTable::of(e));
}

// One cell that is not like the others.
TEST(IndexTable, ACellThatIsNotAsTheOthersIsNotKnown) {
  Air::now().set(Air::Kind::kLinear);
  static double begin, end;
  begin = 2e5 + 5000.25 * 113e5 / 39999., end = 2e5 + 5000.75 * 113e5 / 39999.;
  Emission e = emission();
  e.excess = [](double* height) {
    return Air::excess(height) * (*height > begin && *height < end ? 1. + 1e-9 : 1.);
  };
  e.index = [](double* height) {
    return 1. + Air::excess(height) * (*height > begin && *height < end ? 1. + 1e-9 : 1.);
  };
  const auto table = IndexTable::of(e);
  ASSERT_TRUE(table);
  EXPECT_TRUE(std::isnan(table->view().at(0.5 * (begin + end)).n));
  EXPECT_FALSE(std::isnan(table->view().at(begin - 1e3).n));
  EXPECT_FALSE(std::isnan(table->view().at(end + 1e3).n));
}

}  // namespace
