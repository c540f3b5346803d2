// The stage with a device, played by the CPU: light that is followed later against the plain loop, bit for
// bit; and devices that fail.
#include "corsika_runtime/cherenkov/deferred_light.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "played_device.hpp"
#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::DeviceBatches;
using corsika::kBatchNumbers;
using corsika::kBatchSegments;
using corsika::ObservationContext;
using corsika::Stage;

class DeferredLight : public TwoRuns {
 protected:
  DeferredLight() : TwoRuns(43) {}
  void new_event(double max_zenith, bool fill_profile = true) {
    TwoRuns::new_event(max_zenith, fill_profile, 0., 0.);
  }
  // So many telescopes that rings are the device's to look at.
  void new_event_of_a_large_array() {
    new_event(0.5);
    shower.telescopes.clear();
    for (int row = -3; row <= 3; ++row)
      for (int column = -3; column <= 3; ++column)
        shower.telescopes.push_back({7e3 * column, 7e3 * row, 500., 600.});
    show_telescopes();
  }
  void run(const ParticleStep& particle, bool ask = true) { TwoRuns::run(stage, particle, ask, true); }
  void run_event(int steps) {
    for (int i = 0; i < steps; ++i) run(random_particle(random, shower, plain), i % 37 != 5);
    stage.flush();
  }
  void run_all() {
    for (int event = 0; event < 8; ++event) {
      new_event(1.05, event % 4 != 3);
      run_event(400);
      expect_equal();
      if (HasFatalFailure()) FAIL() << "event " << event;
    }
    EXPECT_GT(plain.hits.size(), 1000U);
  }

  Script script;
  Stage stage{staged.routines(), [this] { return std::make_unique<PlayedDevice>(script); }};
};

TEST_F(DeferredLight, TheSameBitsAsThePlainLoop) {
  run_all();
  EXPECT_EQ(script.events, 8);
  EXPECT_GE(script.submits, 8);
  EXPECT_GT(stage.counts().queued, 100U) << "bunches of CORSIKA's own loop wait for light before them";
  EXPECT_GT(stage.counts().skipped, 100U);
  EXPECT_EQ(staged.last_sequence, 3);
}

TEST_F(DeferredLight, ManyBatchesOfAnEvent) {
  new_event_of_a_large_array();
  for (int i = 0; i < 2 * kBatchSegments + 1000; ++i) {
    Step step = aimed_step(plain.air, direction(0.2, 1.), random.uniform(3e5, 9e5), random.uniform(-2e4, 2e4),
                           random.uniform(-2e4, 2e4), 2e3, 1 + i % 3, 0.8, 40.);
    run({step, -step.sw});
  }
  stage.flush();
  expect_equal();
  EXPECT_EQ(script.max_segments, static_cast<std::uint64_t>(kBatchSegments));
  EXPECT_GE(script.submits, 3);
  EXPECT_GT(plain.hits.size(), 100U);
}

// Bounded by the numbers that a batch needs, also by those of steps that are not the stage's, and of one that
// is too long for any batch.
TEST_F(DeferredLight, LongSteps) {
  new_event_of_a_large_array();
  for (int i = 0; i < 30; ++i) {
    const int bunches = i == 20 ? static_cast<int>(kBatchNumbers) : i % 7 == 3 ? 200 : 100000;
    Step step = aimed_step(plain.air, direction(0.2, 1.), 9e5, 0., 0., 2e3, bunches, 0.8, 40.);
    run({step, -step.sw}, i % 5 != 2);
  }
  stage.flush();
  expect_equal();
  EXPECT_GE(script.submits, 3);
  EXPECT_GT(script.max_numbers, kBatchNumbers / 2);
}

// Light that waits is followed to the plane of its own step; so are bunches of CORSIKA's own loop behind it.
TEST_F(DeferredLight, ThePlaneMovesWithinAnEvent) {
  new_event(0.5);
  for (int i = 0; i < 400; ++i) {
    for (Shower* each : {&shower, &staged_shower}) {
      Plane& plane = each->context.plane;
      const double turn = 0.1 * (i / 50 % 3);
      plane.x0 = i / 50 % 2 * 2e3;
      plane.y0 = i / 100 % 2 * -1e3;
      plane.cos_turn = std::cos(turn);
      plane.sin_turn = std::sin(turn);
    }
    run(random_particle(random, shower, plain), i % 50 > 2);
  }
  stage.flush();
  expect_equal();
  EXPECT_EQ(script.events, 8);
  EXPECT_GT(stage.counts().queued, 100U);
  EXPECT_GT(plain.hits.size(), 100U);
}

TEST_F(DeferredLight, NoDeviceToStart) {
  stage = Stage(staged.routines(),
                []() -> std::unique_ptr<DeviceBatches> { throw std::runtime_error("played"); });
  testing::internal::CaptureStderr();
  run_all();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "cherenkov: no device: played; going on on the CPU\n");
}

class Failing : public DeferredLight, public testing::WithParamInterface<int> {};

TEST_P(Failing, AtAnEvent) {
  script.fail_event = GetParam();
  testing::internal::CaptureStderr();
  run_all();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "cherenkov: played: no event; going on on the CPU\n");
  EXPECT_EQ(script.submits, GetParam() - 1);
}
TEST_P(Failing, AtALaunch) {
  script.fail_submit = GetParam();
  testing::internal::CaptureStderr();
  run_all();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "cherenkov: played: no launch; going on on the CPU\n");
}
TEST_P(Failing, WhileWaiting) {
  script.fail_wait = GetParam();
  testing::internal::CaptureStderr();
  run_all();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "cherenkov: played: lost; going on on the CPU\n");
}
TEST_P(Failing, ToTellAll) {
  script.cannot_tell = GetParam();
  run_all();
  EXPECT_GE(script.submits, 8);
}
INSTANTIATE_TEST_SUITE_P(FirstMiddleLast, Failing, testing::Values(1, 4, 8));

// Two batches are under way when the device is lost.
TEST_F(DeferredLight, LostWithBatchesUnderWay) {
  script.fail_wait = 1;
  testing::internal::CaptureStderr();
  new_event_of_a_large_array();
  for (int i = 0; i < 2 * kBatchSegments + 1000; ++i) {
    Step step = aimed_step(plain.air, direction(0.2, 1.), random.uniform(3e5, 9e5), random.uniform(-2e4, 2e4),
                           random.uniform(-2e4, 2e4), 2e3, 1 + i % 3, 0.8, 40.);
    run({step, -step.sw}, i % 11 != 7);
  }
  stage.flush();
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  expect_equal();
  EXPECT_EQ(script.submits, 2);
}

TEST_F(DeferredLight, AnEventThatWasNotFlushed) {
  new_event(0.5);
  for (int i = 0; i < 50; ++i) run(random_particle(random, shower, plain));
  EXPECT_FALSE(stage.can_hand_over()) << "light is pending";
  new_event(0.5);
  EXPECT_THROW(run(random_particle(random, shower, plain)), std::logic_error);
  EXPECT_FALSE(stage.can_hand_over());
}

// What a failure leaves behind tells whether CORSIKA's own code can go on.
TEST_F(DeferredLight, AFailureWhileLightIsFollowed) {
  static int followed = 0;
  followed = 0;
  corsika::Routines routines = staged.routines();
  routines.collect = [](double*, double*, double*, double*, double*, double*, double*, double*,
                        double*) -> int {
    ++followed;
    throw std::runtime_error("played: no memory");
  };
  stage = Stage(routines, [this] { return std::make_unique<PlayedDevice>(script); });
  new_event(0.5);
  EXPECT_TRUE(stage.can_hand_over());
  for (int i = 0; i < 50; ++i) run(random_particle(random, shower, plain));
  EXPECT_EQ(followed, 0);
  EXPECT_THROW(stage.flush(), std::runtime_error);
  EXPECT_FALSE(stage.can_hand_over());
}

// As with `auto`: in the middle of an event, of an array of any size that pays.
TEST_F(DeferredLight, StartedWhenItPays) {
  stage = Stage(
      staged.routines(), [this] { return std::make_unique<PlayedDevice>(script); }, 500);
  run_all();
  EXPECT_GT(script.events, 0);
  EXPECT_LT(script.events, 8);
}

TEST_F(DeferredLight, NoneAndNoWord) {
  stage = Stage(
      staged.routines(), []() -> std::unique_ptr<DeviceBatches> { return nullptr; }, 500);
  testing::internal::CaptureStderr();
  run_all();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(DeferredLight, WithAGeneratorOfCorsikasOwn) {
  corsika::Routines routines = staged.routines();
  routines.step_over = nullptr;
  stage = Stage(routines, [this] { return std::make_unique<PlayedDevice>(script); });
  testing::internal::CaptureStderr();
  run_all();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("CORSIKA's own"), std::string::npos);
  EXPECT_EQ(script.events, 0);
}

}  // namespace
