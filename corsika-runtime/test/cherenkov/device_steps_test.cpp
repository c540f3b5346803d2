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
using corsika::kDeviceStepsAhead;
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

  // Room for the batch with this number; that of the batch kDeviceStepsAhead + 1 before it.
  std::span<RecordedSteps> room(int batch) {
    return std::span(memory).subspan(
        static_cast<std::size_t>(batch % (kDeviceStepsAhead + 1)) * corsika::kDeviceChunks,
        corsika::kDeviceChunks);
  }

  std::vector<RecordedSteps> memory =
      std::vector<RecordedSteps>((kDeviceStepsAhead + 1) * corsika::kDeviceChunks);
  std::unique_ptr<DeviceSteps> device;
};

// Every batch with its own count and powers, three of them under way.
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
    int submitted = 0, finished = 0;
    const auto finish = [&] {
      const corsika::AnsweredSteps done = device->wait();
      check.check(room(finished++), done);
    };
    for (const int count : kCounts) {
      const std::span<RecordedSteps> chunks = room(submitted++);
      for (int i = 0; i < count; ++i) event.record(chunks, i);
      std::vector<double> powers(static_cast<std::size_t>(settings.bins) + 1);
      for (double& power : powers) power = event.power();
      device->submit(chunks.data(), count, event.power(), powers.data());
      ASSERT_EQ(device->under_way(), submitted - finished);
      if (device->under_way() < kDeviceStepsAhead) continue;
      finish();
      if (HasFailure()) FAIL() << "event " << seed;
    }
    while (device->under_way() > 0) finish();
    if (HasFailure()) FAIL() << "event " << seed;
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
  device->submit(memory.data(), 500, 0x1p20, nullptr);
  const auto done = device->wait();
  AnswerCheck check(event, settings);
  check.check(memory, done);
  EXPECT_GT(check.counts.unseen, 250);
}

TEST_F(DeviceStepsTest, RefusesWhatItCannotDo) {
  UnseenSteps event(4, 1.27e5);
  const EventSettings settings = event.settings(false);
  device->begin_event(settings);
  EXPECT_THROW(device->wait(), std::logic_error);
  EXPECT_THROW(device->submit(memory.data(), 0, 1., nullptr), std::invalid_argument);
  EXPECT_THROW(device->submit(memory.data(), kDeviceSteps + 1, 1., nullptr), std::invalid_argument);
  for (int batch = 0; batch < kDeviceStepsAhead; ++batch) {
    event.record(room(batch), 0);
    device->submit(room(batch).data(), 1, 1., nullptr);
  }
  EXPECT_THROW(device->submit(memory.data(), 1, 1., nullptr), std::logic_error);
  EXPECT_THROW(device->begin_event(settings), std::logic_error);
  while (device->under_way() > 0) EXPECT_EQ(device->wait().answers.size(), 1U);
}

}  // namespace
