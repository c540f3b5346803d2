// Batches of steps on a device, against the CPU. Skipped, with the reason, where there is no device.
#include "corsika_runtime/cherenkov/device_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
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
using corsika::StepChunk;
using corsika::Verdict;

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
  std::span<StepChunk> room(int batch) {
    return std::span(memory).subspan(
        static_cast<std::size_t>(batch % (kDeviceStepsAhead + 1)) * corsika::kDeviceChunks,
        corsika::kDeviceChunks);
  }

  std::vector<StepChunk> memory = std::vector<StepChunk>((kDeviceStepsAhead + 1) * corsika::kDeviceChunks);
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
      const std::span<StepChunk> chunks = room(submitted++);
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
  all.print();
  EXPECT_GT(all.none, all.steps / 100);
  EXPECT_GT(all.unseen, all.steps / 5);
  EXPECT_LT(all.cautious, all.steps / (with_table ? 100 : 1000) + 1);
  EXPECT_GT(all.seen, all.steps / 100);
  EXPECT_GT(all.shared, all.steps / 100);
  EXPECT_GT(all.parts_known, 5 * all.shared);
  EXPECT_GT(all.known, (all.unseen + all.seen) / 2);
  EXPECT_LE(all.only_here, with_table ? all.known / 20 : 0);
}

// Steps of 25 bunches, as most of a shower's: more than half are unseen. Prints the time of a batch.
TEST_F(DeviceStepsTest, AverageSteps) {
  using Clock = std::chrono::steady_clock;
  for (const int telescopes : {1, 4, 60}) {
    UnseenSteps event(7, 1.27e5);
    std::vector<Sphere> array;
    for (int t = 0; t < telescopes; ++t) array.push_back({1e4 * (t % 8), 1e4 * (t / 8), 500., 700.});
    const Spheres spheres{array};
    EventSettings settings = event.settings();
    settings.spheres = &spheres;
    device->begin_event(settings);
    std::vector<double> powers(static_cast<std::size_t>(settings.bins) + 1, 0x1p30);
    const auto us = [](Clock::duration time, int batches) {
      return std::chrono::duration<double, std::micro>(time).count() / batches;
    };
    int batch = 0;
    const auto submit = [&] { device->submit(room(batch++).data(), kDeviceSteps, 0x1p36, powers.data()); };
    for (int slot = 0; slot <= kDeviceStepsAhead; ++slot) {
      event.record_average_steps(room(slot), settings.plan, 25);
      submit();
      device->wait();
    }
    constexpr int kBatches = 400;
    std::vector<double> alone;
    std::size_t unseen = 0, known = 0;
    for (int i = 0; i < kBatches; ++i) {  // the same steps again
      const auto begin = Clock::now();
      submit();
      const auto done = device->wait();
      alone.push_back(us(Clock::now() - begin, 1));
      for (const corsika::StepAnswer& a : done.answers) {
        unseen += a.verdict == Verdict::kUnseen ? 1 : 0;
        known += a.verdict == Verdict::kUnseen && a.total.at_power == a.total.at_power ? 1 : 0;
      }
    }
    Clock::duration submitting{};
    const auto begin = Clock::now();
    for (int i = 0; i < kBatches; ++i) {
      const auto before = Clock::now();
      submit();
      submitting += Clock::now() - before;
      if (device->under_way() == kDeviceStepsAhead) device->wait();
    }
    while (device->under_way() > 0) device->wait();
    const double in_a_row = us(Clock::now() - begin, kBatches);
    std::nth_element(alone.begin(), alone.begin() + kBatches / 2, alone.end());
    std::printf(
        "%d telescopes: %.1f us a batch of %d from submit to wait, %.1f us one behind the other, %.1f us of "
        "it submit; "
        "%.3f unseen, %.3f with sums\n",
        telescopes, alone[kBatches / 2], kDeviceSteps, in_a_row, us(submitting, kBatches),
        static_cast<double>(unseen) / kDeviceSteps / kBatches,
        static_cast<double>(known) / kDeviceSteps / kBatches);
    EXPECT_GT(unseen, static_cast<std::size_t>(kDeviceSteps) * kBatches / 2);
  }
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
