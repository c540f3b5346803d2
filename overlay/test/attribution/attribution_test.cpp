#include "overlay/attribution/attribution.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/error.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

namespace overlay {
namespace {

Categories two_loops() {
  return parse_categories(R"({"categories": [
      {"name": "generator", "accelerated": true, "helper_threads": true, "symbols": ["hot_loop"]},
      {"name": "warm", "symbols": ["warm_loop"]},
      {"name": "other", "kinds": ["program", "library", "kernel"]}]})",
                          "test");
}

CpuSamples burnt(const support::TemporaryFolder& folder, const std::string& how) {
  const auto out = folder.path() / "samples";
  const std::string command =
      "CPU_SAMPLER_OUT=" + out.string() + " LD_PRELOAD=" CPU_SAMPLER " " BURNER " " + how + " > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  return read_cpu_samples(out);
}

TEST(Attribution, TwoLoopsThreeToOneAddUpAndAccumulate) {
  support::TemporaryFolder folder;
  const Categories categories = two_loops();
  Attribution found;
  const CpuSamples samples = burnt(folder, "return");
  attribute(samples, BURNER, categories, found);
  attribute(samples, BURNER, categories, found);
  EXPECT_TRUE(found.lines);
  EXPECT_EQ(found.runs, 2);
  // 200 samples at least: three standard deviations are 0.1.
  EXPECT_NEAR(found.share(categories[0]), 0.75, 0.12);
  EXPECT_NEAR(found.share(categories[1]), 0.25, 0.12);
  EXPECT_GT(samples_json(found, categories)["real_interval_ms"], 0.5);
  double sum = 0;
  for (const ProfileCategory& category : categories) sum += found.share(category);
  EXPECT_NEAR(sum, 1.0, 1e-9);
}

TEST(Attribution, OtherThreadsBelongToTheStageThatOwnsThem) {
  support::TemporaryFolder folder;
  const Categories categories = two_loops();
  Attribution found;
  attribute(burnt(folder, "thread"), BURNER, categories, found);
  // 0.8 s in the main thread, a quarter of it warm; 0.4 s in the helper.
  EXPECT_NEAR(found.share(categories[1]), 0.25 * 0.8 / 1.2, 0.15);
  EXPECT_NEAR(found.share(categories[0]), (0.75 * 0.8 + 0.4) / 1.2, 0.15);
}

/// One sample at a time, at known instructions of a program that is never run.
class Predecessors : public ::testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "the program is written for x86-64";
#endif
    if (!support::find_program("objdump")) GTEST_SKIP() << "objdump is not installed";
  }

  /// Takes `count` samples at the offset in the function.
  Attribution sampled(const std::string& function, std::uint64_t offset, std::uint64_t count = 1) const {
    const ProgramFile program(PREDECESSORS);
    const std::uint64_t address = program.address_of(function).value() + offset;
    CpuSamples samples;
    samples.samples = count;
    samples.cpu_ns = samples.main_cpu_ns = 1'000'000;
    samples.counts = {{"", {{address, count}}}, {c_library(), {}}};
    Attribution found;
    attribute(samples, PREDECESSORS, categories, found);
    EXPECT_TRUE(found.corrected);
    EXPECT_EQ(found.samples, count);
    return found;
  }

  /// The C library that this test itself runs with.
  static std::string c_library() {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    while (std::getline(maps, line))
      if (line.find("/libc.so") != std::string::npos || line.find("/libc-") != std::string::npos)
        return line.substr(line.find('/'));
    return "[none]";
  }

  static std::string category_of(const std::map<std::string, std::uint64_t>& counts) {
    return counts.size() == 1 ? counts.begin()->first : "several";
  }

  const Categories categories = parse_categories(R"({"categories": [
      {"name": "generator", "accelerated": true, "symbols": ["made_draw", "made_draw_too"]},
      {"name": "use", "symbols": ["made_use", "made_shared", "made_rest"]},
      {"name": "libraries", "objects": ["libc.so*", "libc-*"]},
      {"name": "other", "kinds": ["program", "library", "kernel"]}]})",
                                                 "test");
};

TEST_F(Predecessors, DecideWhatSamplesAreCountedFor) {
  const struct {
    const char *function, *category, *uncorrected, *symbol, *why;
    std::uint64_t offset, ambiguous;
  } cases[] = {
      {"made_use", "generator", "use", "made_draw", "after a call the callee ran last", 5, 0},
      {"made_use", "use", "use", "made_use", "in line nothing changes", 6, 0},
      {"made_draw", "use", "generator", "made_use", "a first instruction is its only caller's", 0, 0},
      {"made_shared", "use", "use", "made_shared", "callers of two categories decide nothing", 0, 3},
      {"made_rest", "generator", "use", "made_draw_too", "a jump from another function", 0, 0},
      {"made_rest", "use", "use", "made_rest", "in line", 1, 0},
      {"made_draw", "generator", "generator", "made_draw", "behind a return", 2, 3},
      {"made_use", "use", "use", "made_use", "behind an indirect call", 9, 3},
      {"made_use", "libraries", "use", "getpid", "behind a call of a library", 20, 0}};
  for (const auto& given : cases) {
    const Attribution found = sampled(given.function, given.offset, 3);
    EXPECT_EQ(category_of(found.category_samples), given.category) << given.why;
    EXPECT_EQ(category_of(found.category_samples_uncorrected), given.uncorrected) << given.why;
    EXPECT_EQ(category_of(found.symbol_samples), given.symbol) << given.why;
    EXPECT_EQ(found.moved, std::string(given.category) == given.uncorrected ? 0U : 3U) << given.why;
    EXPECT_EQ(found.ambiguous, given.ambiguous) << given.why;
  }
  const Attribution found = sampled("made_use", 5);
  EXPECT_NEAR(found.share(generator_of(categories)), 1, 1e-12);
  EXPECT_NEAR(found.share_uncorrected(generator_of(categories)), 0, 1e-12);
}

TEST_F(Predecessors, WithoutObjdumpNothingIsCorrected) {
  const char* own = std::getenv("PATH");
  const std::string path = own == nullptr ? "" : own;
  support::TemporaryFolder folder;
  for (const char* tool : {"nm", "addr2line"})
    std::filesystem::create_symlink(support::find_program(tool).value(), folder.path() / tool);
  ASSERT_EQ(setenv("PATH", folder.path().c_str(), 1), 0);
  CpuSamples samples;
  samples.counts = {{"", {{0x1000, 1}}}};
  Attribution found;
  attribute(samples, PREDECESSORS, categories, found);
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(found.corrected);
  EXPECT_EQ(found.category_samples, found.category_samples_uncorrected);
  EXPECT_EQ(found.ambiguous, 0u);
}

}  // namespace
}  // namespace overlay
