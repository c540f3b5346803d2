// Medians of odd and even numbers of repetitions.
#include "row.hpp"

#include <gtest/gtest.h>

namespace {

using bench::Row;

TEST(BenchRow, Median) {
  EXPECT_EQ(bench::median({}), 0.);
  EXPECT_EQ(bench::median({3.}), 3.);
  EXPECT_EQ(bench::median({5., 1., 2.}), 2.);
  EXPECT_EQ(bench::median({5., 1., 2., 4.}), 3.);
}

TEST(BenchRow, IsFoundByNameKindAndSize) {
  const std::vector<Row> rows = {{.name = "simd", .kind = "generate", .n = 100},
                                 {.name = "simd", .kind = "threads", .n = 100},
                                 {.name = "simd", .kind = "threads", .n = 1000}};
  EXPECT_EQ(bench::find_row(rows, "simd", "threads", 1000), &rows[2]);
  EXPECT_EQ(bench::find_row(rows, "simd", "generate", 100), &rows[0]);
  EXPECT_EQ(bench::find_row(rows, "simd", "generate", 1000), nullptr);
  EXPECT_EQ(bench::find_row(rows, "reference", "generate", 100), nullptr);
}

TEST(BenchRow, FastestOfThoseWhoseNamesBeginSo) {
  const std::vector<Row> rows = {{.name = "fill in blocks", .kind = "device", .n = 100, .ns_per_number = 2.},
                                 {.name = "fill in strides", .kind = "device", .n = 100, .ns_per_number = 1.},
                                 {.name = "fill in strides", .kind = "host", .n = 100, .ns_per_number = 0.5},
                                 {.name = "memset", .kind = "device", .n = 100, .ns_per_number = 0.5}};
  EXPECT_EQ(bench::fastest_row(rows, "fill", "device", 100), &rows[1]);
  EXPECT_EQ(bench::fastest_row(rows, "fill", "device", 1000), nullptr);
}

}  // namespace
