// The CPU sampler under real programs, and what its samples say.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "overlay/attribution/attribution.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

class CpuSampler : public ::testing::TestWithParam<const char*> {
 protected:
  /// Runs the burner under the sampler.
  int sample(const std::string& how) const {
    const std::string command = "CPU_SAMPLER_OUT=" + (folder.path() / "out").string() +
                                " LD_PRELOAD=" CPU_SAMPLER " " BURNER " " + how + " > " +
                                (folder.path() / "stdout").string();
    return system(command.c_str());
  }
  CpuSamples samples() const { return read_cpu_samples(folder.path() / "out"); }
  support::TemporaryFolder folder;
};

TEST_P(CpuSampler, WritesAtEveryWayOut) {
  ASSERT_EQ(sample(GetParam()), 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out.part"));
  const CpuSamples w = samples();
  EXPECT_TRUE(w.counts.contains(""));
  EXPECT_GE(w.samples, 5u) << "of 80 at the slowest kernel tick, 100 Hz: a crowded machine loses many";
  std::uint64_t held = w.lost;
  for (const auto& [object, counts] : w.counts)
    for (const auto& [address, count] : counts) held += count;
  EXPECT_EQ(held, w.samples);
  EXPECT_GE(w.main_cpu_ns, 790'000'000u);
  EXPECT_LE(w.main_cpu_ns, w.cpu_ns);
  EXPECT_LE(static_cast<double>(w.samples), 1.1 * static_cast<double>(w.main_cpu_ns) / 1e6);
  EXPECT_EQ(folder.read("stdout").find("burnt\n"), 0U);
}
INSTANTIATE_TEST_SUITE_P(Ways, CpuSampler, ::testing::Values("return", "exit", "_exit", "child"));

TEST_F(CpuSampler, DoesNothingUnasked) {
  ASSERT_EQ(system("LD_PRELOAD=" CPU_SAMPLER " " BURNER " return > /dev/null"), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace overlay
