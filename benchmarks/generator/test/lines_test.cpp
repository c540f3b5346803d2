// Lines of the plot, of made-up rows.
#include "lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using bench::Line;
using bench::Row;

Row row(const char* name, const char* kind, std::int64_t n, double ns, int threads = 1) {
  return {.name = name, .kind = kind, .n = n, .threads = threads, .ns_per_number = ns};
}

const Line* find(const std::vector<Line>& lines, const std::string& name) {
  const auto found =
      std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.name == name; });
  return found == lines.end() ? nullptr : &*found;
}

TEST(BenchLines, OneCoreAndAll) {
  const auto lines =
      bench::lines_of({row("stock loop", "generate", 1000, 10.), row("stock loop", "draw", 1, 20.),
                       row("stock loop", "generate", 100, 20.), row("simd AVX2", "generate", 4096, 0.2),
                       row("simd", "generate", 100, 9.), row("simd", "threads", 100, 0.5, 1),
                       row("simd", "threads", 100, 0.3, 2), row("simd", "threads", 100, 0.1, 4)});
  const Line* stock = find(lines, bench::kStock);
  ASSERT_NE(stock, nullptr);
  ASSERT_EQ(stock->points.size(), 2U) << "calls for a few numbers are another thing";
  EXPECT_EQ(stock->points[0].n, 100);
  EXPECT_DOUBLE_EQ(stock->points[0].numbers_per_s, 5e7);
  EXPECT_EQ(stock->points[1].n, 1000);
  const Line* one = find(lines, bench::kSimdOneCore);
  ASSERT_NE(one, nullptr);
  ASSERT_EQ(one->points.size(), 1U);
  EXPECT_DOUBLE_EQ(one->points[0].numbers_per_s, 2e9);
  const Line* all = find(lines, bench::kSimdAllCores);
  ASSERT_NE(all, nullptr);
  ASSERT_EQ(all->points.size(), 1U);
  EXPECT_DOUBLE_EQ(all->points[0].numbers_per_s, 1e10) << "not two threads of four";
  EXPECT_EQ(find(lines, bench::kDelivered), nullptr) << "nothing of a device was measured";
}

TEST(BenchLines, OneCoreIsNotAlsoAllCores) {
  const auto lines = bench::lines_of({row("simd", "threads", 100, 0.5, 1)});
  EXPECT_NE(find(lines, bench::kSimdOneCore), nullptr);
  EXPECT_EQ(find(lines, bench::kSimdAllCores), nullptr);
}

TEST(BenchLines, TheBestOfADevice) {
  const auto lines = bench::lines_of(
      {row("cuda 48-bit", "device", 100, 2.), row("cuda 24-bit", "device", 100, 1.),
       row("cuda 48-bit", "host", 100, 8.), row("pinned copy", "host", 100, 4.),
       row("cuRAND XORWOW, best", "device", 100, 5.), row("cuRAND MTGP32, dynamic", "device", 100, 4.),
       row("cuRAND XORWOW, best", "device", 1000, 1.), row("fill in blocks", "device", 100, 0.5),
       row("fill in strides", "device", 100, 0.4)});
  EXPECT_DOUBLE_EQ(find(lines, bench::kResident)->points.at(0).numbers_per_s, 5e8);
  EXPECT_DOUBLE_EQ(find(lines, bench::kDelivered)->points.at(0).numbers_per_s, 1.25e8);
  const Line* curand = find(lines, bench::kBestCurand);
  ASSERT_NE(curand, nullptr);
  ASSERT_EQ(curand->points.size(), 2U);
  EXPECT_DOUBLE_EQ(curand->points[0].numbers_per_s, 2.5e8);
  EXPECT_DOUBLE_EQ(curand->points[1].numbers_per_s, 1e9);
  EXPECT_DOUBLE_EQ(find(lines, "fill, device memory")->points.at(0).numbers_per_s, 2.5e9);
}

}  // namespace
