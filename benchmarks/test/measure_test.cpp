// Rows of a device whose times a test makes up, and rows of threads.
#include "measure.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace {

using bench::DeviceMeasure;
using bench::Row;

nlohmann::json run(bench::Measure& measure) {
  // Tests run side by side, each in a process of its own.
  const std::string file = testing::TempDir() + "measured-" + std::to_string(getpid()) + ".json";
  measure.run(file);
  auto rows = nlohmann::json::parse(std::ifstream(file)).at("benchmarks");
  std::filesystem::remove(file);
  return rows;
}

TEST(BenchDeviceRows, TheFirstRepetitionDoesNotCount) {
  std::map<std::string, int> requests, finished, timed;
  const double times[] = {1e15, 9e8, 3e8, 6e8};
  const auto clock = [&](const Row& row, const DeviceMeasure::Work& work) {
    work();
    return times[timed[row.name]++];
  };
  DeviceMeasure measure("a device", clock, 3);
  const auto add = [&](const char* name, const char* kind, std::size_t n, std::size_t bytes) {
    measure.add(
        name, kind, n, bytes, [&, name](std::size_t) { ++requests[name]; }, [&, name] { ++finished[name]; });
  };
  add("small", "device", 100, 8);
  add("large", "device", 100000000, 4);
  add("middle", "host", 1000000, 8);
  std::multimap<std::string, double> measured;
  for (const auto& one : run(measure)) {
    if (one.at("run_type") != "iteration") continue;
    const auto row = nlohmann::json::parse(one.at("label").get<std::string>());
    measured.emplace(row.at("name"), one.at("real_time").get<double>() / row.at("numbers").get<double>());
    EXPECT_EQ(row.at("device"), "a device");
    EXPECT_EQ(row.at("bytes"), row.at("name") == "large" ? 4 : 8);
  }
  EXPECT_EQ(requests, (std::map<std::string, int>{{"small", 400}, {"large", 12}, {"middle", 80}}));
  EXPECT_EQ(finished, (std::map<std::string, int>{{"small", 4}, {"large", 4}, {"middle", 4}}));
  std::map<std::string, double> sums;
  for (const auto& [name, time] : measured) sums[name] += time / 3.;
  EXPECT_EQ(measured.size(), 9U);
  EXPECT_NEAR(sums["small"], 6e4, 1e-4);
  EXPECT_NEAR(sums["large"], 2., 1e-9);
  EXPECT_NEAR(sums["middle"], 30., 1e-7);
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
  DeviceMeasure measure(
      "a device", [](const Row&, const auto& work) { return bench::wall_ns(work); }, 1);
  measure.add_refills("delivered", 1000000, host.data(), stream);
  (void)run(measure);
  ASSERT_EQ(stream->asked.size(), 40U);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(stream->asked[i], host.data() + i % 3 * 1000000) << i;
  EXPECT_EQ(stream->most, DeviceMeasure::kBuffers);
  EXPECT_EQ(stream->in_flight(), 0U);
}

TEST(BenchThreads, RowsDoubleUpToAllAndKeepToTheirMemory) {
  std::vector<bench::Pages> memory(3);
  bench::Measure measure(1, 0.001);
  measure.add_threads(memory, {0}, 1000);
  std::multiset<int> threads;
  for (const auto& one : run(measure))
    threads.insert(nlohmann::json::parse(one.at("label").get<std::string>()).at("threads").get<int>());
  EXPECT_EQ(threads, (std::multiset<int>{1, 1, 2, 2, 3, 3}));
  for (const auto& pages : memory) {
    ASSERT_EQ(pages.size(), 2U);
    EXPECT_GT(pages[1].numbers[1000 - 512 - 1], 0.);
    EXPECT_EQ(pages[1].numbers[1000 - 512], 0.);
  }
}

}  // namespace
