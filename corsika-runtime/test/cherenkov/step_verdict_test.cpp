// The formulas of the device, on the CPU, against the stage's.
#include "step_verdict.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "answer_check.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::EventSettings;
using corsika::EventView;

// Answers and checks a batch of each of so many events. with_table: the rows of indices are not read.
StepCounts counts_of(int events, bool with_table) {
  std::vector<corsika::StepChunk> chunks(corsika::kDeviceChunks);
  std::vector<corsika::StepAnswer> answers(corsika::kDeviceSteps);
  std::vector<corsika::StepDetails> details(corsika::kDeviceSteps);
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
      corsika::StepArguments step = corsika::arguments_of(
          chunks[static_cast<std::size_t>(i / corsika::kChunkSteps)], i % corsika::kChunkSteps);
      if (with_table) step.index_begin = step.index_middle = step.index_end = NAN;
      corsika::StepJudge<OneLane> judge(step, view, {});
      answers[static_cast<std::size_t>(i)] = judge.answer(total_power, powers.data());
      details[static_cast<std::size_t>(i)] = judge.details();
    }
    check.check(chunks, {answers, details, total_power, powers.data()});
    all.add(check.counts);
  }
  all.print();
  EXPECT_GT(all.none, all.steps / 100);
  EXPECT_GT(all.unseen, all.steps / 5);
  EXPECT_GT(all.seen, all.steps / 100);
  EXPECT_GT(all.shared, all.steps / 100);
  EXPECT_GT(all.parts_known, 5 * all.shared);
  EXPECT_GT(all.known, (all.unseen + all.seen) / 2);
  return all;
}

TEST(StepVerdict, IsThatOfTheStage) {
  const StepCounts all = counts_of(36, false);
  EXPECT_LT(all.cautious, all.steps / 1000 + 1);
  EXPECT_EQ(all.only_here, 0);
}

// Where an index is not certain, the CPU does the step.
TEST(StepVerdict, IsThatOfTheStageByATableOfIndices) {
  const StepCounts all = counts_of(24, true);
  EXPECT_LT(all.cautious, all.steps / 10);
  EXPECT_EQ(all.only_here, 0);
}

}  // namespace
