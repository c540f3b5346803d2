#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "overlay/attribution/attribution.hpp"
#include "support/process.hpp"

namespace overlay {
namespace {
namespace fs = std::filesystem;

/// Samples a loop of divisions: is the time counted for the block that divides?
class Skid : public ::testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "the loop is written for x86-64";
#endif
    for (const char* tool : {"objdump", "addr2line"})
      if (!support::find_program(tool)) GTEST_SKIP() << tool << " is not installed";
    char name[] = "/tmp/skid_test_XXXXXX";
    folder = mkdtemp(name);
  }
  void TearDown() override {
    if (!folder.empty()) fs::remove_all(folder);
  }

  /// argument: the block that divides, first or second
  Attribution sampled(const std::string& argument) const {
    const fs::path out = folder / "samples";
    const std::string command = "CPU_SAMPLER_OUT=" + out.string() +
                                " LD_PRELOAD=" CPU_SAMPLER " " DIVISION " " + argument + " > " +
                                (folder / "stdout").string();
    EXPECT_EQ(system(command.c_str()), 0);
    Attribution found;
    attribute(read_cpu_samples(out), DIVISION, categories, found);
    EXPECT_TRUE(found.lines);
    EXPECT_TRUE(found.corrected);
    return found;
  }

  static constexpr unsigned kEnough = 40;  // of 100 at the slowest kernel tick, 100 Hz
  fs::path folder;
  const CategoryList categories{R"({"categories": [
      {"name": "generator", "accelerated": true, "files": ["second_block.inc"]},
      {"name": "first", "files": ["first_block.inc"]},
      {"name": "other", "kinds": ["program", "library", "kernel"]}]})",
                            "test"};
  const ProfileCategory& second = categories.categories()[0];
  const ProfileCategory& first = categories.categories()[1];
};

TEST_F(Skid, DivisionsBeforeABlockAreNotTheBlocks) {
  const Attribution found = sampled("first");
  if (found.samples < kEnough)
    GTEST_SKIP() << "SKIPPED: this machine is too busy: " << found.samples << " samples";
  RecordProperty("uncorrected", std::to_string(found.share_uncorrected(first)));
  RecordProperty("corrected", std::to_string(found.share(first)));
  EXPECT_GT(found.share_uncorrected(second), 0.5) << "this processor does not name the instruction after";
  EXPECT_GT(found.share(first), 0.5);
  EXPECT_LT(found.share(second), 0.2);
}

TEST_F(Skid, DivisionsInABlockStayTheBlocks) {
  const Attribution found = sampled("second");
  if (found.samples < kEnough)
    GTEST_SKIP() << "SKIPPED: this machine is too busy: " << found.samples << " samples";
  RecordProperty("uncorrected", std::to_string(found.share_uncorrected(second)));
  RecordProperty("corrected", std::to_string(found.share(second)));
  EXPECT_GT(found.share(second), 0.5);
  EXPECT_LT(found.share(first), 0.2);
  EXPECT_GT(found.share(second), found.share_uncorrected(second));
}

}  // namespace
}  // namespace overlay
