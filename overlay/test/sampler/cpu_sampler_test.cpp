// The CPU sampler under real programs, and what its samples say.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "overlay/attribution/attribution.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

class CpuSampler : public ::testing::TestWithParam<const char*> {
 protected:
  /// Runs a program under the sampler.
  int sample(const std::string& program, const std::string& argument,
             const std::string& variables = "") const {
    const std::string command = variables + " CPU_SAMPLER_OUT=" + (folder.path() / "out").string() +
                                " LD_PRELOAD=" CPU_SAMPLER " " + program + " " + argument + " > " +
                                (folder.path() / "stdout").string();
    return system(command.c_str());
  }
  CpuSamples samples() const { return read_cpu_samples(folder.path() / "out"); }
  support::TemporaryFolder folder;
};

TEST_P(CpuSampler, WritesAtEveryWayOut) {
  ASSERT_EQ(sample(BURNER, GetParam()), 0);
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
  // What the kernel did not deliver is counted as overrun: samples + overruns is the asked rate, but for what
  // is lost when the thread is not running at a tick, on a machine with more to do than it has cores.
  const double asked = static_cast<double>(w.main_cpu_ns) / 1e6;
  const auto counted = static_cast<double>(w.samples + w.overruns);
  EXPECT_GE(counted, 0.05 * asked);
  EXPECT_LE(counted, 1.1 * asked);
  EXPECT_EQ(folder.read("stdout").find("burnt\n"), 0U);
}
INSTANTIATE_TEST_SUITE_P(Ways, CpuSampler, ::testing::Values("return", "exit", "_exit", "child"));

TEST_F(CpuSampler, OtherThreadsAreCountedByTheirClock) {
  ASSERT_EQ(sample(BURNER, "thread"), 0);
  const CpuSamples w = samples();
  const double others = static_cast<double>(w.cpu_ns - w.main_cpu_ns) * 1e-9;
  EXPECT_GE(others, 0.39);
  EXPECT_LE(others, 0.6);
}

TEST_F(CpuSampler, DoesNothingUnasked) {
  ASSERT_EQ(system("LD_PRELOAD=" CPU_SAMPLER " " BURNER " return > /dev/null"), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

/// Samples a loop of divisions: is the time counted for the block that divides?
class Skid : public CpuSampler {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "the loop is written for x86-64";
#endif
  }

  /// What is found of a loop in which that block divides, "first" or "second".
  void sample_divisions(const std::string& block) {
    EXPECT_EQ(sample(DIVISION, block), 0);
    attribute(samples(), DIVISION, categories, found);
    EXPECT_TRUE(found.lines);
    EXPECT_TRUE(found.corrected);
    if (found.samples < kEnough)
      GTEST_SKIP() << "SKIPPED: this machine is too busy: " << found.samples << " samples";
    const ProfileCategory& own = block == "first" ? first : second;
    RecordProperty("uncorrected", std::to_string(found.share_uncorrected(own)));
    RecordProperty("corrected", std::to_string(found.share(own)));
    EXPECT_GT(found.share(own), 0.5);
    EXPECT_LT(found.share(block == "first" ? second : first), 0.2);
  }

  static constexpr unsigned kEnough = 40;  // of 100 at the slowest kernel tick, 100 Hz
  const Categories categories = parse_categories(R"({"categories": [
      {"name": "generator", "accelerated": true, "files": ["second_block.inc"]},
      {"name": "first", "files": ["first_block.inc"]},
      {"name": "other", "kinds": ["program", "library", "kernel"]}]})",
                                                 "test");
  const ProfileCategory& second = categories[0];
  const ProfileCategory& first = categories[1];
  Attribution found;
};

TEST_F(Skid, DivisionsBeforeABlockAreNotTheBlocks) {
  sample_divisions("first");
  if (IsSkipped()) return;
  EXPECT_GT(found.share_uncorrected(second), 0.5) << "this processor does not name the instruction after";
}

TEST_F(Skid, DivisionsInABlockStayTheBlocks) {
  sample_divisions("second");
  if (IsSkipped()) return;
  EXPECT_GT(found.share(second), found.share_uncorrected(second));
}

}  // namespace
}  // namespace overlay
