// The stage with CORSIKA's own detectors, against the plain loop: both sums, profile, numbers drawn and every
// hit, bit for bit.
#include "corsika_runtime/cherenkov/step_plan.hpp"
#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::ObservationContext;
using corsika::Stage;

corsika::Routines grid_routines(Package& package) {
  corsika::Routines routines = package.routines();
  routines.telescopes = nullptr;
  routines.collect = [](Hit& light) {
    Package::played()->hits.push_back(light);
    return 0;
  };
  return routines;
}

class GridRuns : public TwoRuns {
 protected:
  GridRuns() : TwoRuns(59) {}

  // What CERENK does with recorded step i.
  void in_corsika(int i, ObservationContext context, Package& package) {
    Stage::set_straight(steps, i, context);
    const PlainCerenk plain = plain_cerenk(steps.step(i), emission);
    if (plain.loop >= 0) plain_step(plain.step, context, package, nullptr, plain.beta_n);
  }
  void set_grid(int event) {
    for (double& core : cores) core = random.uniform(-3e4, 3e4);
    const double distance = random.logarithmic(200., 3000.);
    const DetectorGrid::Axis x{
        event % 5 == 4 ? 0. : random.logarithmic(2e4, 1e5), 9.7 * distance, 1. / distance, -0.5, 0.2, cores};
    const DetectorGrid::Axis y{random.logarithmic(2e4, 1e5), 1e4, 1e3, 0., 1e7, cores + 7};  // one row
    shower.context.grid = staged_shower.context.grid = DetectorGrid{x, y, 7};
  }
  // A chunk of random steps, of electrons and of muons.
  void run_chunk() {
    for (int i = 0; i < corsika::kChunkSteps; ++i) {
      double unused = 0.;
      corsika::ChargedStep one = random_charged_step(random, shower, plain, emission.yield, unused);
      if (random.turn() < 0.3)
        for (double* value : {&one.mass, &one.begin_energy, &one.end_energy}) *value *= 206.8;
      steps.set(i, one);
    }
    for (int i = 0; i < corsika::kChunkSteps; ++i) in_corsika(i, shower.surroundings(), plain);
    stage.emit(steps, corsika::kChunkSteps, emission, staged_shower.surroundings(),
               [&](int i) { in_corsika(i, staged_shower.surroundings(), staged); });
  }

  double cores[14] = {};
  corsika::RecordedSteps steps{};
  corsika::Emission emission{0.01, 400., 20., 0.24, true, index_of, density_of};
  Stage stage{grid_routines(staged)};
};

TEST_F(GridRuns, TheSameBitsAsThePlainLoop) {
  for (int event = 0; event < 40 / kShare && !HasFatalFailure(); ++event) {
    new_event(1.05, event % 4 != 3, 0., 0.);
    set_grid(event);
    if (event % 3 == 2) go_straight();
    for (int chunk = 0; chunk < 10 && !HasFatalFailure(); ++chunk) {
      run_chunk();
      expect_equal();
    }
    EXPECT_EQ(plain.photons * plain.bunches > 0., event % 5 != 4);
  }
  EXPECT_EQ(stage.disabled_reason(), "");
  EXPECT_GT(plain.hits.size(), 3000U / kShare);
  EXPECT_GT(stage.counts().traced, 3000U / kShare);
  EXPECT_LT(stage.counts().left_to_corsika, stage.counts().steps / 10);
  EXPECT_LT(stage.counts().near_telescopes, stage.counts().steps * 9 / 10);
}

}  // namespace
