// Rows of a device, from the text of ranmar-gpu-bench.
#include "gpu_rows.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/error.hpp"

namespace {

namespace fs = std::filesystem;

const char* const kJson = R"({"device": "made by hand", "repeats": 3, "rows": [
  {"name": "cuda 48-bit", "kind": "device", "device": "made by hand", "n": 100, "ns_per_number": 2.0,
   "gb_per_s": 4.0, "ns_low": 1.5, "ns_high": 2.5},
  {"name": "cuda 48-bit", "kind": "host", "device": "made by hand", "n": 100, "ns_per_number": 8.0,
   "gb_per_s": 1.0, "ns_low": 7.5, "ns_high": 8.5}],
  "ratios": {"cuda_over_fill": 0.75, "host_over_pinned_copy_1e8": 0.5}})";

// A folder with a program that stands in for ranmar-gpu-bench, which needs a device.
class BenchGpuRows : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "gpu-rows-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path program(const std::string& text) const {
    fs::path file = folder_ / "stand-in";
    std::ofstream(file) << "#!/bin/sh\n" << text;
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  [[nodiscard]] fs::path json() const { return folder_ / "bench_gpu.json"; }

 private:
  fs::path folder_;
};

TEST_F(BenchGpuRows, AreRead) {
  const auto gpu = bench::read_gpu_rows(kJson);
  ASSERT_EQ(gpu.rows.size(), 2U);
  EXPECT_EQ(gpu.rows[0].name, "cuda 48-bit");
  EXPECT_EQ(gpu.rows[0].kind, "device");
  EXPECT_EQ(gpu.rows[1].kind, "host");
  EXPECT_EQ(gpu.rows[0].device, "made by hand");
  EXPECT_EQ(gpu.rows[0].n, 100);
  EXPECT_EQ(gpu.rows[0].ns_per_number, 2.);
  EXPECT_EQ(gpu.rows[0].gb_per_s, 4.);
  EXPECT_EQ(gpu.rows[0].ns_low, 1.5);
  EXPECT_EQ(gpu.rows[0].ns_high, 2.5);
  EXPECT_EQ(gpu.ratios.at("cuda_over_fill"), 0.75);
  EXPECT_EQ(gpu.ratios.at("host_over_pinned_copy_1e8"), 0.5);
}

TEST_F(BenchGpuRows, OtherTextIsAnError) {
  EXPECT_THROW((void)bench::read_gpu_rows(""), support::Error);
  EXPECT_THROW((void)bench::read_gpu_rows("{\"rows\": []}"), support::Error);
  EXPECT_THROW((void)bench::read_gpu_rows("{\"rows\": [{\"name\": \"x\"}], \"ratios\": {}}"), support::Error);
}

TEST_F(BenchGpuRows, ComeFromTheProgram) {
  const auto gpu = bench::measure_gpu(
      program("[ \"$1 $2 $3\" = '--repeats 5 --out' ] || exit 3\n"
              "echo 'ranmar-gpu-bench: cuRAND SKIPPED: not there' >&2\ncat > \"$4\" <<'EOF'\n" +
              std::string(kJson) + "\nEOF\n"),
      json(), 5);
  EXPECT_EQ(gpu.rows.size(), 2U);
  ASSERT_EQ(gpu.skipped.size(), 1U);
  EXPECT_EQ(gpu.skipped[0], "ranmar-gpu-bench: cuRAND SKIPPED: not there");
}

TEST_F(BenchGpuRows, NoProgramAndNoDeviceAreSkippedWithTheReason) {
  const auto no_program = bench::measure_gpu("/nowhere/ranmar-gpu-bench", json(), 1);
  EXPECT_TRUE(no_program.rows.empty());
  ASSERT_EQ(no_program.skipped.size(), 1U);
  EXPECT_NE(no_program.skipped[0].find("SKIPPED"), std::string::npos);

  const auto no_device = bench::measure_gpu(
      program("echo 'ranmar-gpu-bench: SKIPPED: no device: why' >&2\nexit 77\n"), json(), 1);
  EXPECT_TRUE(no_device.rows.empty());
  ASSERT_EQ(no_device.skipped.size(), 1U);
  EXPECT_EQ(no_device.skipped[0], "rows of a CUDA device SKIPPED: no device: why");
}

TEST_F(BenchGpuRows, AProgramThatFailsIsAnError) {
  std::ofstream(json()) << kJson;  // of an earlier run, and not to be taken for this one's
  try {
    (void)bench::measure_gpu(
        program("echo some rows\necho 'ranmar-gpu-bench: error: cudaMalloc: no' >&2\nexit 1\n"), json(), 1);
    FAIL() << "no error";
  } catch (const support::Error& problem) {
    EXPECT_STREQ(problem.what(), "ranmar-gpu-bench: error: cudaMalloc: no");
  }
  EXPECT_THROW((void)bench::measure_gpu(program("exit 0\n"), json(), 1), support::Error)
      << "it wrote nothing";
}

}  // namespace
