// Rows of a device whose times a test makes up.
#include "device_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace {

using bench::DeviceMeasure;
using bench::Row;

TEST(BenchDeviceRows, TheFirstRepetitionDoesNotCount) {
  std::map<std::string, int> requests, finished, timed;
  const double times[] = {1e15, 9e8, 3e8, 6e8};
  DeviceMeasure measure("a device", [&](const Row& row, const DeviceMeasure::Work& work) {
    work();
    return times[timed[row.name]++];
  });
  const auto add = [&](const char* name, const char* kind, std::size_t n, std::size_t bytes) {
    measure.add(
        name, kind, n, bytes, [&, name](std::size_t) { ++requests[name]; }, [&, name] { ++finished[name]; });
  };
  add("small", "device", 100, 8);
  add("large", "device", 100000000, 4);
  add("middle", "host", 1000000, 8);
  const auto rows = measure.run(3);
  EXPECT_EQ(requests, (std::map<std::string, int>{{"small", 400}, {"large", 12}, {"middle", 80}}));
  EXPECT_EQ(finished, (std::map<std::string, int>{{"small", 4}, {"large", 4}, {"middle", 4}}));
  ASSERT_EQ(rows.size(), 3U);
  const Row& large = rows[1];
  EXPECT_EQ(std::tie(large.name, large.kind, large.device, large.n),
            std::make_tuple("large", "device", "a device", 100000000));
  EXPECT_EQ(large.samples.size(), 3U);
  EXPECT_NEAR(large.ns_per_number, 2., 1e-9);
  EXPECT_NEAR(large.ns_low, 1., 1e-9);
  EXPECT_NEAR(large.ns_high, 3., 1e-9);
  EXPECT_NEAR(large.gb_per_s, 2., 1e-9);
  EXPECT_NEAR(rows[0].ns_per_number, 6e4, 1e-4);
  EXPECT_NEAR(rows[2].ns_per_number, 30., 1e-7);
}

// Keeps count of what is in flight, and where to.
struct Stream {
  std::vector<double*> asked = {};
  std::size_t waited = 0, most = 0;

  [[nodiscard]] std::size_t in_flight() const { return asked.size() - waited; }
  void wait() { ++waited; }
  void refill(double* out, std::size_t) {
    asked.push_back(out);
    most = std::max(most, in_flight());
  }
};

TEST(BenchDeviceRows, RefillsInFlightHaveBuffersOfTheirOwn) {
  std::vector<double> host(DeviceMeasure::kBuffers * 1000000);
  const auto stream = std::make_shared<Stream>();
  DeviceMeasure measure("a device", [](const Row&, const auto& work) { return bench::wall_ns(work); });
  measure.add_refills("delivered", 1000000, host.data(), stream);
  (void)measure.run(1);
  ASSERT_EQ(stream->asked.size(), 40U);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(stream->asked[i], host.data() + i % 3 * 1000000) << i;
  EXPECT_EQ(stream->most, DeviceMeasure::kBuffers);
  EXPECT_EQ(stream->in_flight(), 0U);
}

}  // namespace
