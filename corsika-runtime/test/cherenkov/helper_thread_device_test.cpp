// The same with a device beside the helper thread, which a played one stands in for.

#include <chrono>

#include "helper_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

// Depths are CORSIKA's thread's alone, as TELOUT is. The device knows nothing of it.
TEST_F(HelperRuns, LightThatGoesStraight) {
  static const std::thread::id own = std::this_thread::get_id();
  static std::atomic<int> elsewhere;
  elsewhere = 0;
  for (const bool with_device : {false, true}) {
    if (with_device) make_with_device();
    for (int event = 0; event < 3; event += kShare) {
      new_event();
      go_straight();
      for (Shower* any : {&shower, &staged_shower})
        any->context.straight->depth_of = [](double* height) {
          if (std::this_thread::get_id() != own) ++elsewhere;
          return 1030. * std::exp(-*height / 8.4e5);
        };
      random_steps(5000);
      step(corsikas_step());
      random_steps(3000);
      drain();
    }
  }
  EXPECT_EQ(elsewhere, 0);
  EXPECT_TRUE(helper->has_device());
  EXPECT_GT(script.batches, 2 / kShare);
  EXPECT_GT(plain.hits.size(), 500U / kShare);
}

// The device is asked from the second batch of an event on, at the latest.
class DeviceRuns : public HelperRuns, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(WithoutAndWithATableOfIndices, DeviceRuns, testing::Bool());

TEST_P(DeviceRuns, TheSameBitsAsThePlainLoop) {
  if (GetParam()) emission.excess = excess_of;
  make_with_device();
  for (int event = 0; event < 4; event += kShare) {
    new_event();
    for (int part = 0; part < 3; ++part) {
      random_steps(7000, true);
      step(corsikas_step());
      random_steps(3000);
      random_steps(4000, true);
      drain();
    }
  }
  EXPECT_EQ(script.has_indices, GetParam());
  EXPECT_GT(script.unseen, 20000 / kShare);
  EXPECT_GT(script.seen, 10000 / kShare);
  EXPECT_GT(script.shared, 200 / kShare);
  EXPECT_TRUE(helper->has_device());
  EXPECT_GE(script.events, 4 / kShare);
  EXPECT_GT(script.batches, 20 / kShare);
  EXPECT_EQ(helper->summary().find(" batches=" + std::to_string(script.batches) + " wait_s="), 0U);
  EXPECT_GT(plain.hits.size(), 1000U / kShare);
}

// The last chunk of the last batch holds six steps; behind them stand those of the chunk before. A batch of
// fewer than 1024 steps is the CPU's.
TEST_F(HelperRuns, ABatchThatIsNotFull) {
  make_with_device();
  for (const int last : {2048 - 58, 1024, 1023}) {
    new_event();
    easy_steps(4 * 2048 + last);
    drain();
  }
  EXPECT_EQ(done_by_corsika, 0);
  const int b = 2048;
  EXPECT_EQ(script.counts, (std::vector{b, b, b, b - 58, b, b, b, 1024, b, b, b}));
}

// The device would take what stands behind the chunk's steps for steps.
TEST_F(HelperRuns, AChunkThatIsNotFull) {
  make_with_device();
  new_event();
  easy_steps(2048 + 10);
  hand_over();
  easy_steps(4000);
  drain();
  EXPECT_EQ(script.counts, (std::vector{4000 - 31 * kChunkSteps}));
}

// The sums of an event that has just begun soon outgrow what a device was told.
TEST_F(HelperRuns, BatchesGrowWithTheEvent) {
  make_with_device(128);
  new_event();
  easy_steps(450 * kChunkSteps);
  drain();
  // The first batch, of 32 chunks, is the CPU's.
  const int c = kChunkSteps;
  EXPECT_EQ(script.counts, (std::vector{32 * c, 64 * c, 128 * c, 128 * c, 66 * c}));
}

// In the midst of steps that nobody sees, which are added up one behind the other.
TEST_F(HelperRuns, SumsThatOutgrowTheirPowerOfTwo) {
  emission.bunch_size = 0.5;  // some 40 bunches a step
  make_with_device(256);
  for (int event = 0; event < 3; ++event) {
    do new_event();
    while (shower.zenith < 0.75);
    // With bins the device's sums are left often, because a bin outgrows its power of two.
    shower.context.fill_profile = staged_shower.context.fill_profile = event == 0;
    for (int i = 0; i < 20000; ++i) {
      ChargedStep one = easy_step();
      const double part = random.uniform(0.3, 1.);
      one.length *= part;
      const bool goes_up = event == 0 && i % 4 == 0;  // along the shower's axis, over an edge of its bins
      if (goes_up) {
        const Direction to = direction(1., shower.azimuth + std::numbers::pi);
        one.u = to.u, one.v = to.v, one.w = to.w;
        one.length *= 5.;
      }
      const double ahead = 1e6 / std::hypot(one.u, one.v);
      one.x_begin = ahead * one.u, one.x_end = one.x_begin + one.length * one.u;
      one.y_begin = ahead * one.v, one.y_end = one.y_begin + one.length * one.v;
      one.z_begin = random.uniform(5e5, 1.2e6);  // in several bins, whose sums are in other powers of two
      const ShowerAxis& axis = shower.context.profile.axis;
      const double at = axis.distance(one.x_begin, one.y_begin, one.z_begin);
      if (goes_up)
        one.z_begin += (at - *std::prev(std::upper_bound(shower.edges.begin(), shower.edges.end(), at)) -
                        random.uniform(0., 50.)) /
                       axis.along_z;
      one.z_end = one.z_begin - one.length * one.w;
      step(one);
    }
    drain();
  }
  EXPECT_EQ(script.seen, 0);
  EXPECT_GT(script.unseen, 40000);
  EXPECT_GT(script.shared, 500);
}

// CORSIKA's thread does the last batch before the sums are read, and gfortran reports its flags at the end.
TEST_P(DeviceRuns, NoFloatingPointExceptionsOnCorsikasThread) {
  if (GetParam()) emission.excess = excess_of;
  make_with_device();
  script.sums_unknown = true;
  new_event();
  easy_steps(2 * 2048);
  std::feclearexcept(FE_ALL_EXCEPT);
  easy_steps(1500);
  drain();
  EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), 0);
  EXPECT_EQ(script.counts.back(), 1500);
}

// Half-way terms, or a sum in another power of two: the host adds such a step's photons, one by one.
TEST_F(HelperRuns, ADeviceThatKnowsNoSums) {
  script.sums_unknown = true;
  make_with_device();
  for (int event = 0; event < 4; ++event) {
    emission.tables = event % 2 == 0;  // without, the next steps of kHost were planned with the one before
    script.host_every = event < 2 ? 0 : 3;
    new_event();
    random_steps(9000, true);
    drain();
  }
  EXPECT_GT(script.unseen, 1000);
  EXPECT_GT(script.seen, 1000);
}

TEST_F(HelperRuns, ADeviceThatLeavesAllToTheHost) {
  script.host_every = 1;
  make_with_device();
  run_event(15000);
  EXPECT_GT(script.batches, 2);
}

TEST_F(HelperRuns, ADeviceThatFails) {
  script.fails_at_batch = 3;
  make_with_device();
  testing::internal::CaptureStderr();
  run_event(25000);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "cherenkov: played: the device fails; going on on the CPU\n");
  EXPECT_EQ(script.batches, 3);
  EXPECT_FALSE(helper->has_device());
}

TEST_F(HelperRuns, ADeviceThatCannotBeStarted) {
  static std::atomic<bool> started;
  started = false;
  testing::internal::CaptureStderr();
  make([](std::span<std::byte>) -> std::unique_ptr<corsika::DeviceSteps> {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    started = true;
    throw std::runtime_error("there is none");
  });
  for (int i = 0; i < 2; ++i) helper->wait_for_start();
  EXPECT_TRUE(started);
  run_event(9000);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "cherenkov: no device: there is none; going on on the CPU\n");
}

}  // namespace
