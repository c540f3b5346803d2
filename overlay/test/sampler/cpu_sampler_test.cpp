#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace {
namespace fs = std::filesystem;

struct Written {
  std::map<std::string, unsigned long long> values;
  unsigned long long counted = 0;
  bool maps = false, end = false;
};

Written read_samples(const fs::path& file) {
  Written w;
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "cpu-sampler 1");
  while (std::getline(in, line) && line != "pcs") {
    std::istringstream words(line);
    std::string key;
    unsigned long long value = 0;
    words >> key >> value;
    w.values[key] = value;
  }
  while (std::getline(in, line) && line != "maps") w.counted += std::stoull(line.substr(line.find(' ')));
  while (std::getline(in, line)) {
    if (line.find("cpu_sampler_burner") != std::string::npos) w.maps = true;
    if (line == "end") w.end = true;
  }
  return w;
}

class CpuSampler : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    char name[] = "/tmp/cpu_sampler_XXXXXX";
    folder = mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder); }
  int burn(const std::string& how, const std::string& variables = "") const {
    const std::string command = variables + " CPU_SAMPLER_OUT=" + (folder / "out").string() +
                                " LD_PRELOAD=" CPU_SAMPLER " " BURNER " " + how + " > " +
                                (folder / "stdout").string();
    return system(command.c_str());
  }
  fs::path folder;
};

TEST_P(CpuSampler, WritesAtEveryWayOut) {
  ASSERT_EQ(burn(GetParam()), 0);
  ASSERT_TRUE(fs::exists(folder / "out"));
  EXPECT_FALSE(fs::exists(folder / "out.part"));
  Written w = read_samples(folder / "out");
  EXPECT_TRUE(w.maps);
  EXPECT_TRUE(w.end);
  EXPECT_GE(w.values["samples"], 5u)
      << "of 80 at the slowest kernel tick, 100 Hz: a crowded machine loses many";
  EXPECT_EQ(w.counted + w.values["lost"], w.values["samples"]);
  EXPECT_GE(w.values["main_cpu_ns"], 790'000'000u);
  EXPECT_LE(w.values["main_cpu_ns"], w.values["cpu_ns"]);
  // What the kernel did not deliver is counted as overrun: samples + overruns is the asked rate, but for what
  // is lost when the thread is not running at a tick, on a machine with more to do than it has cores.
  const double asked = static_cast<double>(w.values["main_cpu_ns"]) / 1e6;
  const auto counted = static_cast<double>(w.values["samples"] + w.values["overruns"]);
  EXPECT_GE(counted, 0.05 * asked);
  EXPECT_LE(counted, 1.1 * asked);
  std::ifstream out(folder / "stdout");
  std::string text;
  std::getline(out, text);
  EXPECT_EQ(text, "burnt");
}
INSTANTIATE_TEST_SUITE_P(Ways, CpuSampler, ::testing::Values("return", "exit", "_exit", "child"));

TEST_F(CpuSampler, StartsLaterWhereAsked) {
  ASSERT_EQ(burn("return", "CPU_SAMPLER_AFTER_MS=600"), 0);
  Written w = read_samples(folder / "out");
  EXPECT_GE(w.values["main_cpu_ns"], 790'000'000u);
  EXPECT_GE(w.values["samples"], 1u);
  // Of some 800 ms, 200 are left: at the asked rate, one sample or overrun a millisecond.
  EXPECT_LE(static_cast<double>(w.values["samples"] + w.values["overruns"]),
            static_cast<double>(w.values["main_cpu_ns"]) / 1e6 - 550);
}

TEST_F(CpuSampler, OtherThreadsAreCountedByTheirClock) {
  ASSERT_EQ(burn("thread"), 0);
  Written w = read_samples(folder / "out");
  const double others = static_cast<double>(w.values["cpu_ns"] - w.values["main_cpu_ns"]) * 1e-9;
  EXPECT_GE(others, 0.39);
  EXPECT_LE(others, 0.6);
}

TEST_F(CpuSampler, DoesNothingUnasked) {
  ASSERT_EQ(system("LD_PRELOAD=" CPU_SAMPLER " " BURNER " return > /dev/null"), 0);
  EXPECT_TRUE(fs::is_empty(folder));
}

}  // namespace
