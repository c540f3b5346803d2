// Batches of steps on a device, against the CPU. Skipped, with the reason, where there is no device.
#include "corsika_runtime/cherenkov/device_steps.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "answer_check.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::DeviceSteps;
using corsika::EventSettings;
using corsika::kDeviceSteps;
using corsika::RecordedSteps;

class DeviceStepsTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device = corsika::start_device_steps("auto", std::as_writable_bytes(std::span(memory)));
    } catch (const std::exception& e) {
      GTEST_SKIP() << "SKIPPED: " << e.what();
    }
  }

  std::vector<RecordedSteps> memory = std::vector<RecordedSteps>(corsika::kDeviceChunks);
  std::unique_ptr<DeviceSteps> device;
};

// Every batch with its own count and powers.
class AnswersOfDeviceSteps : public DeviceStepsTest, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(WithoutAndWithATableOfIndices, AnswersOfDeviceSteps, testing::Bool());

TEST_P(AnswersOfDeviceSteps, AreThoseOfTheCpu) {
  const bool with_table = GetParam();
  constexpr int kCounts[] = {kDeviceSteps, 1, 7, kDeviceSteps, 2049, 64, kDeviceSteps, 3000, 4095, 33};
  constexpr int kEvents = 14;
  StepCounts all;
  for (std::uint64_t seed = 0; seed < kEvents; ++seed) {
    UnseenSteps event(100 + seed, seed % 3 == 0 ? 2.2e5 : 1.27e5);
    if (with_table) event.use_index_table();
    const EventSettings settings = event.settings(seed % 4 != 3);
    device->begin_event(settings);
    AnswerCheck check(event, settings);
    for (const int count : kCounts) {
      for (int i = 0; i < count; ++i) event.record(memory, i);
      std::vector<double> powers(static_cast<std::size_t>(settings.bins) + 1);
      for (double& power : powers) power = event.power();
      check.check(memory, device->answer(memory.data(), count, event.power(), powers.data()));
      if (HasFailure()) FAIL() << "event " << seed << ", " << count << " steps";
    }
    all.add(check.counts);
  }
  all.expect_all_kinds();
  EXPECT_LT(all.cautious, all.steps / (with_table ? 10 : 1000) + 1);
}

TEST_F(DeviceStepsTest, NoTelescopesNoProfile) {
  UnseenSteps event(3, 1.27e5);
  EventSettings settings = event.settings(false);
  const Spheres none;
  settings.spheres = &none;
  device->begin_event(settings);
  for (int i = 0; i < 500; ++i) event.record(memory, i);
  AnswerCheck check(event, settings);
  check.check(memory, device->answer(memory.data(), 500, 0x1p20, nullptr));
  EXPECT_GT(check.counts.unseen, 250);
}

TEST_F(DeviceStepsTest, RefusesWhatItCannotDo) {
  UnseenSteps event(4, 1.27e5);
  device->begin_event(event.settings(false));
  for (const int count : {0, kDeviceSteps + 1})
    EXPECT_THROW(device->answer(memory.data(), count, 1., nullptr), std::invalid_argument);
}

}  // namespace
