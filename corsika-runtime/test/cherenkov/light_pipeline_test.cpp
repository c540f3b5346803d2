// The stage on a helper thread against CERENK written plainly: the same light, sums, numbers and hits.
#include "corsika_runtime/cherenkov/light_pipeline.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "pipeline_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

TEST_F(Pipeline, TheSameBitsAsThePlainLoop) {
  for (int event = 0; event < 8; event += kShare) run_event(6000);
  EXPECT_FALSE(pipeline->has_pending());
  EXPECT_GT(plain.hits.size(), 500U);
  EXPECT_GT(pipeline->counts().steps, 30000U / kShare);
  EXPECT_GT(pipeline->helper_seconds(), 0.);
}

TEST_F(Pipeline, DrainedAtAnyStep) {
  for (int event = 0; event < 4; event += kShare) {
    new_event();
    for (int part = 0; part < 20; ++part) {
      random_steps(static_cast<int>(random.uniform(0., 300.)));
      drain();
      expect_equal();
    }
    random_steps(5000);
    drain();
    expect_equal();
  }
}

// Before the first light of an event, after it, one after the other, at the end of a record.
TEST_F(Pipeline, StepsThatAreLeftToCorsika) {
  for (int event = 0; event < 3; ++event) {
    new_event();
    if (event > 0) step(corsikas_step());
    random_steps(3000);
    step(corsikas_step());
    step(corsikas_step());
    random_steps(2200);
    while (count < kChunkSteps - 1) step(corsikas_step());
    step(corsikas_step());
    random_steps(100);
    drain();
    expect_equal();
  }
  EXPECT_GT(done_by_corsika, 8);
}

// Where the stage can do nothing.
TEST_F(Pipeline, TelescopesThatCannotBeRead) {
  staged.no_telescopes = true;
  run_event(2500);
  EXPECT_GT(done_by_corsika, 1000);
}

TEST_F(Pipeline, AFailureReachesTheCaller) {
  new_event();
  random_steps(100);
  drain();
  collect_fails = true;
  EXPECT_THROW(
      {
        random_steps(20000);
        drain();
      },
      std::runtime_error);
  EXPECT_TRUE(pipeline->has_pending());
}

// CORSIKA's own atmospheres: RHOF is CORSIKA's thread's alone.
TEST_F(Pipeline, TheHelperDoesNotAskForDensities) {
  static const std::thread::id own = std::this_thread::get_id();
  static std::atomic<int> elsewhere;
  elsewhere = 0;
  emission.tables = false;
  emission.density = [](double* height) {
    if (std::this_thread::get_id() != own) ++elsewhere;
    return density_of(height);
  };
  for (int event = 0; event < 2; ++event) run_event(9000);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_GT(done_by_corsika, 0);
}

TEST_F(Pipeline, EndsWithLightUnderWay) {
  new_event();
  random_steps(9000);
  pipeline.reset();
}

}  // namespace
