#include "overlay/attribution/attribution.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

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

}  // namespace
}  // namespace overlay
