// What a run says where the stage takes few of its steps, or has no helper thread.
#include <gtest/gtest.h>

#include <cstdlib>

#include "entry_fixture.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using LeftStepsDeathTest = Entry;

// Steps without light are not counted, and nothing is said where the stage takes half of those with light.
TEST_F(LeftStepsDeathTest, TellsWhyItTookFewSteps) {
  new_event();
  for (const int debugged : {1, 2})
    EXPECT_EXIT(
        {
          ChargedStep slow = good_step();
          slow.begin_energy = slow.end_energy = 1.1 * slow.mass;
          for (int i = 0; i < 3; ++i) {
            testlg_.debug = i < debugged ? 1 : 0;
            run(good_step());
            run(slow);
          }
          expect_equal();
          std::exit(HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0),
        debugged == 1 ? "^$"
                      : "^cherenkov: note: stage took 1 of 3 steps with light: debugging is on; [^\n]*\n$");
}

TEST_F(LeftStepsDeathTest, TellsOfStepsAfterAFailure) {
  new_event();
  EXPECT_EXIT(
      {
        build = chrin4_;  // no step is recorded
        testch_.llongi = 0;
        fails = Fails::kCountersAgain;
        taken(good_step());
        fails = Fails::kNothing;
        taken(good_step());
        taken(good_step());
        cherenkov_end_of_event();
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "^cherenkov: [^\n]*it fails; CORSIKA's own code goes on\n"
      "cherenkov: note: stage took 0 of 2 steps with light: [^\n]*it fails\n$");
}

// The stage goes on alone.
TEST_F(LeftStepsDeathTest, AHelperThreadThatCannotStart) {
  const Variable threads("CHERENKOV_THREADS", "1");
  const Variable asked("CHERENKOV_SUMMARY", "1");
  EXPECT_EXIT(
      {
        no_more_threads = true;
        new_event();
        for (int i = 0; i < 300; ++i) {
          const ChargedStep one = charged_step();
          testch_.cersiz = 20.;
          run(one, true);
        }
        expect_equal();
        std::exit(HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0),
      "^cherenkov: no helper thread: it cannot start: Resource temporarily unavailable; the stage goes on "
      "alone[^\n]*\ncherenkov: backend=cpu steps=[1-9][0-9]+ left_to_corsika=[0-9]+ [^\n]*maps=[12]\n$");
}

}  // namespace
