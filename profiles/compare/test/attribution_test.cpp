#include "compare/attribution.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "profiles/error.hpp"
#include "temporary_folder.hpp"

namespace comparison {
namespace {

StageList two_loops() {
  return StageList(R"({"stages": [
      {"name": "generator", "accelerated": true, "helper_threads": true, "symbols": ["hot_loop"]},
      {"name": "warm", "symbols": ["warm_loop"]},
      {"name": "other", "kinds": ["program", "library", "kernel"]}]})",
                   "test");
}

CpuSamples burnt(const TemporaryFolder& folder, const std::string& how) {
  const auto out = folder.path() / "samples";
  const std::string command =
      "CPU_SAMPLER_OUT=" + out.string() + " LD_PRELOAD=" CPU_SAMPLER " " BURNER " " + how + " > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  return read_cpu_samples(out);
}

TEST(Attribution, TwoLoopsThreeToOne) {
  TemporaryFolder folder;
  const StageList stages = two_loops();
  Attribution found;
  attribute(burnt(folder, "return"), BURNER, stages, found);
  EXPECT_TRUE(found.lines);
  EXPECT_EQ(found.runs, 1);
  // 200 samples at least: three standard deviations are 0.1.
  EXPECT_NEAR(found.share(stages.stages()[0]), 0.75, 0.12);
  EXPECT_NEAR(found.share(stages.stages()[1]), 0.25, 0.12);
  EXPECT_GT(found.real_interval_ms(), 0.5);
}

TEST(Attribution, OtherThreadsBelongToTheStageThatOwnsThem) {
  TemporaryFolder folder;
  const StageList stages = two_loops();
  Attribution found;
  attribute(burnt(folder, "thread"), BURNER, stages, found);
  // 0.8 s in the main thread, a quarter of it warm; 0.4 s in the helper.
  EXPECT_NEAR(found.share(stages.stages()[1]), 0.25 * 0.8 / 1.2, 0.08);
  EXPECT_NEAR(found.share(stages.stages()[0]), (0.75 * 0.8 + 0.4) / 1.2, 0.08);
}

TEST(Attribution, SharesAddUpAndAccumulate) {
  TemporaryFolder folder;
  const StageList stages = two_loops();
  Attribution found;
  const CpuSamples samples = burnt(folder, "exit");
  attribute(samples, BURNER, stages, found);
  attribute(samples, BURNER, stages, found);
  EXPECT_EQ(found.runs, 2);
  double sum = 0;
  for (const Stage& stage : stages.stages()) sum += found.share(stage);
  EXPECT_NEAR(sum, 1.0, 1e-9);
  EXPECT_NEAR(found.share_of({&stages.stages()[0], &stages.stages()[1]}),
              found.share(stages.stages()[0]) + found.share(stages.stages()[1]), 1e-12);
}

TEST(CpuSamplesFile, BrokenFilesAreErrors) {
  TemporaryFolder folder;
  EXPECT_THROW(read_cpu_samples(folder.path() / "none"), profiles::Error);
  EXPECT_THROW(read_cpu_samples(folder.write("a", "hello\n")), profiles::Error);
  EXPECT_THROW(read_cpu_samples(folder.write("b", "cpu-sampler 1\nsamples 1\npcs\n1000 1\nmaps\n")),
               profiles::Error);
  EXPECT_THROW(read_cpu_samples(folder.write("c", "cpu-sampler 1\nsamples 90\npcs\n1000 1\nmaps\nend\n")),
               profiles::Error);
}

TEST(Addr2line, FramesInnermostFirst) {
  const auto frames = parse_addr2line(
      "0x0000000000001260\nrmx_\n/src/ranmar_draw.inc:2\ncaller_\n/src/t.F:6 (discriminator "
      "2)\n0x00000000000012aa\n??\n"
      "??:?\n");
  ASSERT_EQ(frames.size(), 2u);
  ASSERT_EQ(frames.at(0x1260).size(), 2u);
  EXPECT_EQ(frames.at(0x1260)[0].file, "/src/ranmar_draw.inc");
  EXPECT_EQ(frames.at(0x1260)[0].line, 2);
  EXPECT_EQ(frames.at(0x1260)[1].line, 6);
  EXPECT_EQ(frames.at(0x12aa)[0].file, "??");
}

}  // namespace
}  // namespace comparison
