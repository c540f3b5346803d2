// The stage on a helper thread against CERENK written plainly: the same light, sums, numbers and hits.
#include "corsika_runtime/cherenkov/light_pipeline.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "plain_cerenk.hpp"
#include "played_steps.hpp"
#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using cherenkov::corsika::ChargedStep;
using cherenkov::corsika::kChunkSteps;
using cherenkov::corsika::LightPipeline;
using cherenkov::corsika::RecordedSteps;

bool collect_fails = false;

class Pipeline : public TwoRuns {
 protected:
  Pipeline() : TwoRuns(61) {
    emission = {0.01, 400., 20., 0.24, true, index_of, density_of};
    collect_fails = false;
    make({});
  }
  void make(const LightPipeline::StartDevice& start_device, int batch_chunks = 32) {
    corsika::Routines routines = staged.routines();
    routines.collect = [](double* photons, double* weight, double* x, double* y, double* u, double* v,
                          double* t, double* height, double* wavelength) {
      if (collect_fails) throw std::runtime_error("it fails");
      return Package::played()->collect({*photons, *weight, *x, *y, *u, *v, *t, *height, *wavelength});
    };
    pipeline.reset();
    pipeline = std::make_unique<LightPipeline>(
        routines, [](double* distance) { return Package::thickness(*distance); }, batch_chunks,
        LightPipeline::FindLoops{}, start_device);
  }
  void make_with_device(int batch_chunks = 32) {
    make([this](std::span<std::byte>) { return std::make_unique<PlayedSteps>(script); }, batch_chunks);
    pipeline->wait_for_start();
  }
  void new_event() {
    TwoRuns::new_event(0.9, true, 0., 0.);
    shower.context.cut_w = staged_shower.context.cut_w = emission.cut_w;
  }
  // In CORSIKA, and into the record.
  void step(const ChargedStep& one) {
    cerenk(one, shower.surroundings(), plain);
    steps.set(count++, one);
    if (count == kChunkSteps) hand_over();
  }
  void random_steps(int n) {
    double bunch_size = 0.;
    for (int i = 0; i < n; ++i) step(random_charged_step(random, shower, plain, emission.yield, bunch_size));
  }
  // Most of them short, so that their light is in one bin, as a shower's.
  void random_short_steps(int n) {
    double bunch_size = 0.;
    for (int i = 0; i < n; ++i) {
      ChargedStep one = random_charged_step(random, shower, plain, emission.yield, bunch_size);
      const double part = random.turn() < 0.9 ? random.logarithmic(1e-3, 1e-1) : 1.;
      one.length *= part;
      one.x_end = one.x_begin + part * (one.x_end - one.x_begin);
      one.y_end = one.y_begin + part * (one.y_end - one.y_begin);
      one.z_end = one.z_begin + part * (one.z_end - one.z_begin);
      one.end_time = one.begin_time + part * (one.end_time - one.begin_time);
      one.end_energy = one.begin_energy + part * (one.end_energy - one.begin_energy);
      step(one);
    }
  }
  void hand_over() {
    if (count > 0) pipeline->add(steps, count, emission, staged_shower.surroundings(), in_corsika);
    count = 0;
  }
  void drain() {
    hand_over();
    pipeline->drain(in_corsika);
  }
  void cerenk(const ChargedStep& one, const corsika::ObservationContext& context, Package& package) {
    const PlainCerenk loop = plain_cerenk(one, emission);
    corsika::ObservationContext own = context;
    if (own.straight)
      own.straight->begin = one.z_begin, own.straight->end = one.z_end, own.straight->length = one.length;
    if (loop.loop >= 0) plain_step(loop.step, own, package, nullptr, loop.beta_n);
  }
  // One that CORSIKA need not do: behind such a step the rest of a batch is the host's.
  ChargedStep easy_step() {
    ChargedStep one = corsikas_step();
    one.length = 300.;
    one.x_end = one.length * one.u, one.z_end = one.z_begin - one.length * one.w;
    one.end_time = one.length / 29979245800.;
    one.begin_energy = 0.5, one.end_energy = 0.49;
    return one;
  }
  // Of more than 100 bunches, near threshold.
  ChargedStep corsikas_step() {
    ChargedStep one{};
    one.length = 4e4;
    one.u = std::sin(0.2), one.w = std::cos(0.2);
    one.z_begin = 1e6;
    one.x_end = one.length * one.u, one.z_end = one.z_begin - one.length * one.w;
    one.end_time = one.length / 29979245800.;
    one.begin_energy = 0.05, one.end_energy = 0.02;
    one.mass = kElectron, one.charge = 1.;
    return one;
  }

  alignas(64) RecordedSteps steps{};
  int count = 0, done_by_corsika = 0;
  corsika::Emission emission{};
  LightPipeline::DoInCorsika in_corsika = [this](const RecordedSteps& recorded, int i) {
    ++done_by_corsika;
    cerenk(recorded.step(i), staged_shower.surroundings(), staged);
  };
  StepsScript script;
  std::unique_ptr<LightPipeline> pipeline;
};

TEST_F(Pipeline, TheSameBitsAsThePlainLoop) {
  for (int event = 0; event < 8; ++event) {
    new_event();
    random_steps(6000);
    drain();
    expect_equal();
  }
  EXPECT_FALSE(pipeline->has_pending());
  EXPECT_GT(plain.hits.size(), 500U);
  EXPECT_GT(pipeline->counts().steps, 30000U);
  EXPECT_GT(pipeline->helper_seconds(), 0.);
}

// Depths are CORSIKA's thread's alone, as TELOUT is. The device knows nothing of it.
TEST_F(Pipeline, LightThatGoesStraight) {
  static const std::thread::id own = std::this_thread::get_id();
  static std::atomic<int> elsewhere;
  elsewhere = 0;
  for (const bool with_device : {false, true}) {
    if (with_device) make_with_device();
    for (int event = 0; event < 3; ++event) {
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
      expect_equal();
    }
  }
  EXPECT_EQ(elsewhere, 0);
  EXPECT_TRUE(pipeline->has_device());
  EXPECT_GT(script.batches, 2);
  EXPECT_GT(plain.hits.size(), 500U);
}

TEST_F(Pipeline, DrainedAtAnyStep) {
  for (int event = 0; event < 4; ++event) {
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
  new_event();
  random_steps(2500);
  drain();
  expect_equal();
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
  for (int event = 0; event < 2; ++event) {
    new_event();
    random_steps(9000);
    drain();
    expect_equal();
  }
  EXPECT_EQ(elsewhere, 0);
  EXPECT_GT(done_by_corsika, 0);
}

// The device is asked from the second batch of an event on, at the latest.
class DevicePipeline : public Pipeline, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(WithoutAndWithATableOfIndices, DevicePipeline, testing::Bool());

TEST_P(DevicePipeline, TheSameBitsAsThePlainLoop) {
  if (GetParam()) emission.excess = excess_of;
  make_with_device();
  for (int event = 0; event < 4; ++event) {
    new_event();
    for (int part = 0; part < 3; ++part) {
      random_short_steps(7000);
      step(corsikas_step());
      random_steps(3000);
      random_short_steps(4000);
      drain();
      expect_equal();
    }
  }
  EXPECT_EQ(script.has_indices, GetParam());
  EXPECT_GT(script.unseen, 20000);
  EXPECT_GT(script.seen, 10000);
  EXPECT_TRUE(pipeline->has_device());
  EXPECT_GE(script.events, 4);
  EXPECT_GT(script.batches, 20);
  EXPECT_EQ(pipeline->device_batches(), static_cast<unsigned>(script.batches));
  EXPECT_GT(plain.hits.size(), 1000U);
}

// The last chunk of the last batch holds six steps; behind them stand those of the chunk before. A batch of
// fewer than 1024 steps is the CPU's.
TEST_F(Pipeline, ABatchThatIsNotFull) {
  make_with_device();
  for (const int last : {2048 - 58, 1024, 1023}) {
    new_event();
    for (int i = 0; i < 4 * 2048 + last; ++i) step(easy_step());
    drain();
    expect_equal();
  }
  EXPECT_EQ(done_by_corsika, 0);
  const int b = 2048;
  EXPECT_EQ(script.counts, (std::vector{b, b, b, b - 58, b, b, b, 1024, b, b, b}));
}

// The device would take what stands behind the chunk's steps for steps.
TEST_F(Pipeline, AChunkThatIsNotFull) {
  make_with_device();
  new_event();
  for (int i = 0; i < 2048; ++i) step(easy_step());
  for (int i = 0; i < 10; ++i) step(easy_step());
  hand_over();
  for (int i = 0; i < 4000; ++i) step(easy_step());
  drain();
  expect_equal();
  EXPECT_EQ(script.counts, (std::vector{4000 - 31 * kChunkSteps}));
}

// The sums of an event that has just begun soon outgrow what a device was told.
TEST_F(Pipeline, BatchesGrowWithTheEvent) {
  make_with_device(128);
  new_event();
  for (int i = 0; i < 450 * kChunkSteps; ++i) step(easy_step());
  drain();
  expect_equal();
  // The first batch, of 32 chunks, is the CPU's.
  const int c = kChunkSteps;
  EXPECT_EQ(script.counts, (std::vector{32 * c, 64 * c, 128 * c, 128 * c, 66 * c}));
}

// In the midst of steps that nobody sees, which are added up one behind the other.
TEST_F(Pipeline, SumsThatOutgrowTheirPowerOfTwo) {
  emission.bunch_size = 0.5;  // some 40 bunches a step
  make_with_device(256);
  for (int event = 0; event < 3; ++event) {
    new_event();
    // With bins the device's sums are left often, because a bin outgrows its power of two.
    shower.context.fill_profile = staged_shower.context.fill_profile = event == 0;
    for (int i = 0; i < 20000; ++i) {
      ChargedStep one = easy_step();
      const double part = random.uniform(0.3, 1.);
      one.length *= part;
      one.x_begin = 1e6, one.x_end = one.x_begin + one.length * one.u;
      one.z_begin = random.uniform(5e5, 1.2e6);  // in several bins, whose sums are in other powers of two
      one.z_end = one.z_begin - one.length * one.w;
      step(one);
    }
    drain();
    expect_equal();
  }
  EXPECT_EQ(script.seen, 0);
  EXPECT_GT(script.unseen, 40000);
}

// CORSIKA's thread does the last batch before the sums are read, and gfortran reports its flags at the end.
TEST_F(Pipeline, NoFloatingPointExceptionsOnCorsikasThread) {
  make_with_device();
  script.sums_unknown = true;
  new_event();
  for (int i = 0; i < 2 * 2048; ++i) step(easy_step());
  std::feclearexcept(FE_ALL_EXCEPT);
  for (int i = 0; i < 1500; ++i) step(easy_step());
  drain();
  EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), 0);
  expect_equal();
  EXPECT_EQ(script.counts.back(), 1500);
}

// Half-way terms, or a sum in another power of two: the host adds such a step's photons, one by one.
TEST_F(Pipeline, ADeviceThatKnowsNoSums) {
  script.sums_unknown = true;
  make_with_device();
  for (int event = 0; event < 3; ++event) {
    new_event();
    random_short_steps(9000);
    drain();
    expect_equal();
  }
  EXPECT_GT(script.unseen, 1000);
  EXPECT_GT(script.seen, 1000);
}

TEST_F(Pipeline, WaitsForADeviceThatStarts) {
  static std::atomic<bool> started;
  started = false;
  make([](std::span<std::byte>) -> std::unique_ptr<corsika::DeviceSteps> {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    started = true;
    throw std::runtime_error("there is none");
  });
  pipeline->wait_for_start();
  EXPECT_TRUE(started);
  pipeline->wait_for_start();
}

TEST_F(Pipeline, ADeviceThatLeavesAllToTheHost) {
  script.all_to_host = true;
  make_with_device();
  new_event();
  random_steps(15000);
  drain();
  expect_equal();
  EXPECT_GT(script.batches, 2);
}

TEST_F(Pipeline, ADeviceThatFails) {
  script.fails_at_batch = 3;
  make_with_device();
  testing::internal::CaptureStderr();
  new_event();
  random_steps(25000);
  drain();
  expect_equal();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "cherenkov: played: the device fails; going on on the CPU\n");
  EXPECT_EQ(script.batches, 3);
  EXPECT_FALSE(pipeline->has_device());
}

TEST_F(Pipeline, ADeviceThatCannotBeStarted) {
  testing::internal::CaptureStderr();
  make([](std::span<std::byte>) -> std::unique_ptr<corsika::DeviceSteps> {
    throw std::runtime_error("there is none");
  });
  new_event();
  random_steps(9000);
  drain();
  expect_equal();
  pipeline.reset();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "cherenkov: no device: there is none; going on on the CPU\n");
}

TEST_F(Pipeline, EndsWithLightUnderWay) {
  new_event();
  random_steps(9000);
  pipeline.reset();
}

}  // namespace
