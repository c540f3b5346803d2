// Batches of steps on a device, against the CPU. Skipped, with the reason, where there is no device.

#include "answer_check.hpp"
#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::DeviceSteps;
using corsika::kDeviceSteps;
using corsika::RecordedSteps;

// Starts a device that reads steps in this memory, or skips the test.
void start(std::unique_ptr<DeviceSteps>& device, std::span<std::byte> memory) {
  try {
    device = corsika::start_device_steps("auto", memory);
  } catch (const std::exception& e) {
    GTEST_SKIP() << "SKIPPED: " << e.what();
  }
}

class DeviceStepsTest : public testing::Test {
 protected:
  void SetUp() override { start(device, std::as_writable_bytes(std::span(memory))); }

  std::vector<RecordedSteps> memory = std::vector<RecordedSteps>(corsika::kDeviceChunks);
  std::unique_ptr<DeviceSteps> device;
};

TEST_F(DeviceStepsTest, AnswersAreThoseOfTheCpu) {
  for (const bool with_table : {false, true})
    expect_answers(*device, memory, 14,
                   {kDeviceSteps, 1, 7, kDeviceSteps, 2049, 64, kDeviceSteps, 3000, 4095, 33}, with_table);
}

TEST_F(DeviceStepsTest, NoTelescopesNoProfile) {
  UnseenSteps event(3, 1.27e5);
  event.spheres = {};
  device->begin_event(event.view(false));
  for (int i = 0; i < 500; ++i) event.record(memory, i);
  AnswerCheck check(event, event.view(false));
  check.check(memory, device->answer(memory.data(), 500, 0x1p20, nullptr));
  EXPECT_GT(check.counts.unseen, 250);
}

TEST_F(DeviceStepsTest, RefusesWhatItCannotDo) {
  UnseenSteps event(4, 1.27e5);
  device->begin_event(event.view(false));
  for (const int count : {0, kDeviceSteps + 1})
    EXPECT_THROW(device->answer(memory.data(), count, 1., nullptr), std::invalid_argument);
}

// Steps of the curved geometry on a device, against the same formulas on the CPU, which
// light_pipeline_test.cpp holds against CERENK's loop. Skipped, with the reason, where there is no device.

bool same_number(double a, double b) { return a == b || (a != a && b != b); }
bool same_sums(const SumTerms& a, const SumTerms& b) {
  return same_number(a.at_power, b.at_power) && same_number(a.at_twice, b.at_twice);
}

class CurvedDevice : public CurvedRuns {
 protected:
  void SetUp() override { start(device, std::as_writable_bytes(std::span(loops))); }

  std::vector<CurvedLoop> loops = std::vector<CurvedLoop>(kDeviceSteps);
  std::unique_ptr<corsika::DeviceSteps> device;
};

TEST_F(CurvedDevice, AnswersAsTheCpuDoes) {
  const auto arrival = corsika::CurvedArrival::measured(kObserved, RayTable::distance);
  StepsScript script;
  PlayedSteps played(script);
  int unseen = 0, known = 0;
  for (int event = 0; event < 8; ++event) {
    new_curved_event(event % 2 == 0 ? 1.4 : 0.8);
    const Spheres spheres = shower.spheres();
    const auto bins =
        shower.surroundings().profile.curved_bins([](double* along) { return Package::thickness(*along); });
    const bool fills = event % 4 != 3;
    const CurvedEventView view =
        curved_view(spheres, arrival, fills ? std::span(bins) : std::span<const DistanceRange>());
    for (CurvedLoop& loop : loops) loop = loop_of(particle());
    std::vector<double> powers(bins.size() + 1);
    for (double& power : powers) power = std::exp2(std::floor(random.uniform(5., 40.)));
    device->begin_event(view);
    played.begin_event(view);
    const int count = event == 0 ? 777 : kDeviceSteps;
    const auto answered = device->answer(loops.data(), count, 0x1p33, powers.data());
    const auto expected = played.answer(loops.data(), count, 0x1p33, powers.data());
    ASSERT_EQ(answered.size(), static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < answered.size(); ++i) {
      const StepAnswer &a = answered[i], &b = expected[i];
      ASSERT_EQ(a.verdict, b.verdict) << i;
      if (a.verdict != Verdict::kUnseen) continue;
      ASSERT_TRUE(a.bunches == b.bunches && a.bin == b.bin) << i;
      ASSERT_TRUE(same_sums(a.total, b.total) && (!fills || same_sums(a.in_bin, b.in_bin))) << i;
      ++unseen;
      known += a.total.at_power == a.total.at_power ? 1 : 0;
    }
  }
  std::printf("%d steps that no telescope sees, the sums of %d known\n", unseen, known);
  EXPECT_GT(unseen, 5000);
  EXPECT_GT(known, unseen * 9 / 10);
}

}  // namespace
