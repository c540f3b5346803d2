// The stage on a helper thread against CERENK written plainly: the same light, sums, numbers and hits.

#include "helper_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

TEST_F(HelperRuns, TheSameBitsAsThePlainLoop) {
  for (int event = 0; event < 10; event += kShare) run_event(6000);
  EXPECT_FALSE(helper->has_pending());
  EXPECT_GT(plain.hits.size(), 500U);
  EXPECT_GT(helper->counts().steps, 30000U / kShare);
  EXPECT_EQ(helper->summary().find(" threads=1 helper_s="), 0U);
}

// Before the first light of an event, after it, one after the other, at the end of a record.
TEST_F(HelperRuns, StepsThatAreLeftToCorsika) {
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
  }
  EXPECT_GT(done_by_corsika, 8);
}

// Where the stage can do nothing.
TEST_F(HelperRuns, TelescopesThatCannotBeRead) {
  staged.no_telescopes = true;
  run_event(2500);
  EXPECT_GT(done_by_corsika, 1000);
}

TEST_F(HelperRuns, AFailureReachesTheCaller) {
  new_event();
  random_steps(100);
  drain();
  collect_fails = true;
  EXPECT_THROW((random_steps(20000), drain()), std::runtime_error);
  EXPECT_TRUE(helper->has_pending());
}

// CORSIKA's own atmospheres: RHOF is CORSIKA's thread's alone.
TEST_F(HelperRuns, TheHelperDoesNotAskForDensities) {
  static const std::thread::id own = std::this_thread::get_id();
  static std::atomic<int> elsewhere;
  elsewhere = 0;
  emission.tables = false;
  emission.density = [](double* height) {
    if (std::this_thread::get_id() != own) ++elsewhere;
    return density_of(height);
  };
  for (int event = 0; event < 2; ++event) run_event(9000 / kShare);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_GT(done_by_corsika, 0);
}

TEST_F(HelperRuns, EndsWithLightUnderWay) {
  new_event();
  random_steps(9000);
  helper.reset();
}

// The stage on a helper thread in the curved geometry, against CERENK's loop written plainly.

bool distance_fails = false;

double distance(double* w, double* height) {
  if (distance_fails) throw std::runtime_error("it fails");
  return RayTable::distance(w, height);
}

const corsika::CurvedLight kFailing{kEarth_cm, distance, RayTable::time};

class CurvedHelperRuns : public AnyHelperRuns {
 protected:
  CurvedHelperRuns() : AnyHelperRuns(97) {
    curved = true;
    emission = curved_emission();
    in_corsika = [this](const RecordedSteps& recorded, int i) {
      ++done_by_corsika;
      plain_curved_step(loop_with(recorded, i), kLight, emission, staged_shower.surroundings(), staged);
    };
    distance_fails = false;
    make({});
  }
  void make(const HelperThread::StartDevice& start_device) {
    // CORSIKA's routines keep variables: bunches that may hit arrive on its own thread.
    corsika::LightTarget target = corsika::target_of(staged.routines());
    target.collect = [collect = target.collect, own = std::this_thread::get_id()](corsika::Arrival& light) {
      EXPECT_EQ(std::this_thread::get_id(), own);
      return collect(light);
    };
    start(staged.routines(), std::move(target), start_device, 16);
  }
  void make_with_device() {
    emission = curved_air_emission();
    ASSERT_NE(emission.air, nullptr);
    make(played_device());
    helper->wait_for_start();
  }

  void new_event(double max_zenith) {
    new_curved_event(max_zenith);
    staged_shower.context.curved = kFailing;
  }
  void random_steps(int n) {
    for (int i = 0; i < n; ++i) {
      double unused = 0.;
      ChargedStep one = random_charged_step(random, shower, plain, emission.yield, unused);
      RecordedSteps& chunk = helper->next_chunk();
      chunk.cos_earth[count] = random.turn() < 0.5
                                   ? corsika::kInDetectorFrame
                                   : std::cos(std::hypot(one.x_begin, one.y_begin) / kEarth_cm);
      chunk.set(count, one);
      // More than the stage takes: CORSIKA's, when its turn comes.
      if (random.turn() < 0.003) one.charge *= std::sqrt(20000. / (1 + loop_with(chunk, count).step.bunches));
      chunk.set(count, one);
      plain_curved_step(loop_with(chunk, count), kLight, emission, shower.surroundings(), plain);
      if (++count == kChunkSteps) hand_over();
    }
  }
  // An event of n random steps.
  void run_event(double max_zenith, int n) {
    new_event(max_zenith);
    random_steps(n);
    drain();
  }

  // Of no bunches where CERENK returns before its loop.
  [[nodiscard]] CurvedLoop loop_with(const RecordedSteps& recorded, int i) const {
    ChargedStep charged = recorded.step(i);
    const double earth = recorded.cos_earth[i];
    CurvedLoop loop{};
    corsika::LastIndex last;
    if (corsika::curved_loop_of(charged, {kEarth_cm, kObserved, earth, earth == corsika::kInDetectorFrame},
                                emission, last, loop) == LightKind::kNone)
      loop.step.bunches = 0;
    return loop;
  }
};

TEST_F(CurvedHelperRuns, TheSameBitsAsThePlainLoop) {
  for (int event = 0; event < 2 + 4 / kShare && !HasFatalFailure(); ++event)
    run_event(1.4, event % 4 == 3 ? 50 : 1500 + 641 * event);
  EXPECT_GT(plain.hits.size(), 1000U / kShare);
  EXPECT_GT(done_by_corsika, 10);
  EXPECT_LT(helper->counts().traced, helper->counts().bunches / 2);
}

TEST_F(CurvedHelperRuns, WithADevice) {
  make_with_device();
  for (int event = 0; event < 2 + 2 / kShare && !HasFatalFailure(); ++event)
    run_event(event % 2 == 0 ? 1.4 : 0.8, 3500 + 641 * event);
  EXPECT_GT(script.batches, 4);
  EXPECT_GE(script.unseen, kShare == 2 ? 501 : 0);  // the two events of sanitizers have none
  EXPECT_GT(done_by_corsika, 10 / kShare);
  EXPECT_TRUE(helper->has_device());
}

TEST_F(CurvedHelperRuns, WithTablesThereIsNoDevice) {
  make_with_device();
  emission = curved_emission();
  run_event(1.2, 9000 / kShare);
  EXPECT_EQ(script.batches, 0);
}

TEST_F(CurvedHelperRuns, AFailureReachesTheCaller) {
  new_event(1.);
  random_steps(300);
  drain();
  distance_fails = true;
  EXPECT_THROW((random_steps(20000), drain()), std::runtime_error);
}

}  // namespace
