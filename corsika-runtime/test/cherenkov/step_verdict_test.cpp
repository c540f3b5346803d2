// The formulas of the device, on the CPU, against the stage's.
#include <gtest/gtest.h>

#include <vector>

#include "answer_check.hpp"
#include "cherenkov/step_judge.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::EventSettings;

// Answers and checks a batch of each of so many events. with_table: the rows of indices are not read.
StepCounts counts_of(int events, bool with_table) {
  std::vector<corsika::RecordedSteps> chunks(corsika::kDeviceChunks);
  std::vector<StepAnswer> answers(corsika::kDeviceSteps);
  StepCounts all;
  for (int seed = 0; seed < events && !testing::Test::HasFailure(); ++seed) {
    UnseenSteps event(static_cast<std::uint64_t>(seed), seed % 3 == 0 ? 2.2e5 : 1.27e5);
    if (with_table) event.use_index_table();
    const EventSettings settings = event.settings(seed % 4 != 3);
    const EventView view = view_of(settings);
    AnswerCheck check(event, settings);
    std::vector<double> powers(static_cast<std::size_t>(settings.bins) + 1);
    for (double& power : powers) power = event.power();
    const double total_power = event.power();
    for (int i = 0; i < corsika::kDeviceSteps; ++i) {
      event.record(chunks, i);
      StepArguments step =
          arguments_of(chunks[static_cast<std::size_t>(i / corsika::kChunkSteps)], i % corsika::kChunkSteps);
      if (with_table) step.index_begin = step.index_middle = step.index_end = NAN;
      StepJudge<OneLane> judge(step, view, {});
      StepAnswer& answer = answers[static_cast<std::size_t>(i)];
      answer = judge.answer(total_power, powers.data());
      judge.add_details(answer);
    }
    check.check(chunks, answers);
    all.add(check.counts);
  }
  all.expect_all_kinds();
  return all;
}

// Where an index of a table is not certain, the CPU does the step.
TEST(StepVerdict, IsThatOfTheStage) {
  for (const bool with_table : {false, true}) {
    const StepCounts all = counts_of(24 / kShare, with_table);
    EXPECT_LT(all.cautious, all.steps / (with_table ? 10 : 1000) + 1);
  }
}

}  // namespace
