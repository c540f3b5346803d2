// bench.json and its ratios, of made-up rows.
#include "results.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace {

using bench::Results;

Results some_results() {
  Results results;
  results.cpu = "a processor";
  results.cores = 2;
  results.simd_target = "AVX2";
  const auto add = [&](const char* name, const char* kind, std::int64_t n, double ns, int threads = 1) {
    results.rows.push_back({.name = name,
                            .kind = kind,
                            .n = n,
                            .threads = threads,
                            .ns_per_number = ns,
                            .gb_per_s = 8. / ns,
                            .samples = {ns}});
  };
  add("stock loop", "generate", 100, 10.);
  add("stock loop", "generate", 4096, 12.);
  add("simd", "generate", 4096, 0.25);
  add("RMMARD of the tree", "generate", 4096, 6.);
  add("simd", "threads", 100, 20.);
  add("simd", "threads", 4096, 0.5);
  add("simd", "threads", 4096, 0.25, 2);
  add("jump ahead", "skip", 2000000000, 140000.);
  results.rows.push_back({.name = "cuda 48-bit",
                          .kind = "host",
                          .device = "a device",
                          .n = 4096,
                          .ns_per_number = 1.,
                          .gb_per_s = 8.,
                          .ns_low = 0.5,
                          .ns_high = 2.});
  add("cuda 48-bit", "device", 1 << 28, 4.);
  add("fill in blocks", "device", 1 << 28, 5.);
  add("fill in strides", "device", 1 << 28, 3.);
  add("cuda 48-bit", "host", 100000000, 2.);
  add("pinned copy", "host", 100000000, 1.);
  results.skipped = {"something SKIPPED: why"};
  bench::derive(results);
  return results;
}

TEST(BenchResults, RatiosAreOfThroughputsAt4096) {
  const auto results = some_results();
  EXPECT_DOUBLE_EQ(results.ratios.at("simd_over_stock"), 48.);
  EXPECT_DOUBLE_EQ(results.ratios.at("tree_over_stock_loop"), 2.);
  Results nothing;
  bench::derive(nothing);
  EXPECT_TRUE(nothing.ratios.empty()) << "absent where the machine cannot tell";
}

TEST(BenchResults, RatiosOfADeviceAreToTheFastestPeerOfThatSize) {
  const auto ratios = some_results().ratios;
  EXPECT_DOUBLE_EQ(ratios.at("cuda_over_fill"), 0.75);
  EXPECT_DOUBLE_EQ(ratios.at("host_over_pinned_copy_1e8"), 0.5);
  EXPECT_EQ(ratios.size(), 4U) << "with those of the CPU";
}

TEST(BenchResults, JsonHasTheFieldsThatChecksRead) {
  const auto json = bench::results_json(some_results());
  const auto& stock = json.at("rows").at(0);
  EXPECT_EQ(stock.at("name"), "stock loop");
  EXPECT_EQ(stock.at("kind"), "generate");
  EXPECT_EQ(stock.at("device"), "cpu");
  EXPECT_EQ(stock.at("n"), 100);
  EXPECT_EQ(stock.at("ns_per_number"), 10.);
  EXPECT_EQ(stock.at("gb_per_s"), 0.8);
  EXPECT_EQ(stock.at("samples").size(), 1U);
  EXPECT_EQ(json.at("rows").at(6).at("threads"), 2);
  const auto& skip = json.at("rows").at(7);
  EXPECT_EQ(skip.at("ns_per_skip"), 140000.);
  EXPECT_FALSE(skip.contains("ns_per_number"));
  const auto& device = json.at("rows").at(8);
  EXPECT_EQ(device.at("device"), "a device");
  EXPECT_EQ(device.at("ns_high"), 2.);
  EXPECT_FALSE(device.contains("samples"));
  EXPECT_EQ(json.at("ratios").at("simd_over_stock"), 48.);
  EXPECT_EQ(json.at("ratios").at("cuda_over_fill"), 0.75);
  EXPECT_EQ(json.at("machine").at("cores"), 2);
  EXPECT_EQ(json.at("skipped").at(0), "something SKIPPED: why");
}

TEST(BenchResults, JsonHasLinesAndCrossovers) {
  const auto json = bench::results_json(some_results());
  EXPECT_EQ(json.at("lines").at(0).at("name"), "stock loop");
  EXPECT_EQ(json.at("lines").at(0).at("points").at(1).at("n"), 4096);
  const auto& simd = json.at("crossovers").at(0);
  EXPECT_EQ(simd.at("fast"), "simd, one core");
  EXPECT_EQ(simd.at("slow"), "stock loop");
  ASSERT_EQ(simd.at("faster").size(), 1U);
  EXPECT_GT(simd.at("faster").at(0).at("from").at("n"), 100.);
  EXPECT_LT(simd.at("faster").at(0).at("from").at("n"), 4096.);
  EXPECT_FALSE(simd.at("faster").at(0).contains("to"));
  const auto& last = json.at("crossovers").back();
  EXPECT_EQ(last.at("fast"), "cuda, delivered to the host");
  EXPECT_EQ(last.at("slow"), "simd, all cores");
  EXPECT_TRUE(last.at("faster").empty());
  EXPECT_EQ(last.at("words"), "never");
}

TEST(BenchResults, TablesNameEveryBackendAndCrossover) {
  const auto text = bench::results_markdown(some_results());
  for (const char* line :
       {"a processor, 2 cores, simd AVX2\n", "| stock loop | 10 | 12 |\n", "| RMMARD of the tree | | 6 |\n",
        "| simd, 2 threads | | 0.25 |\n", "skip of 2000000000 numbers: 140.0 microseconds\n",
        "| simd, one core | stock loop | from ",
        "| cuda, delivered to the host | simd, all cores | never |\n", "simd_over_stock: 48\n",
        "something SKIPPED: why\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
  }
}

}  // namespace
