// The stage with CORSIKA's own detectors, against the plain loop: both sums, profile, numbers drawn and every
// hit, bit for bit.
#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::ObservationContext;

class GridRuns : public TwoRuns {
 protected:
  GridRuns() : TwoRuns(59) {}

  void new_grid_event(int event) {
    new_event(1.05, event % 4 != 3, 0., 0.);
    if (event % 3 == 2) go_straight();
    for (double& core : cores) core = random.uniform(-3e4, 3e4);
    const double distance = random.logarithmic(200., 3000.);
    shower.context.grid = staged_shower.context.grid = {
        {event % 5 == 4 ? 0. : random.logarithmic(2e4, 1e5), 9.7 * distance, 1. / distance, -0.5, 0.2, cores},
        {random.logarithmic(2e4, 1e5), 1e4, 1e3, 0., 1e7, cores + 7},  // one row
        7};
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
    const auto in_corsika = [this](int i, ObservationContext context, Package& package) {
      corsika::Stage::set_straight(steps, i, context);
      context.by_electron = steps.mass[i] == kElectron;
      const PlainCerenk cerenk = plain_cerenk(steps.step(i), emission);
      if (cerenk.loop >= 0) plain_step(cerenk.step, context, package, nullptr, cerenk.beta_n);
    };
    for (int i = 0; i < corsika::kChunkSteps; ++i) in_corsika(i, shower.surroundings(), plain);
    stage.emit(steps, corsika::kChunkSteps, emission, staged_shower.surroundings(),
               [&](int i) { in_corsika(i, staged_shower.surroundings(), staged); });
    expect_equal();
  }
  static corsika::Routines routines_of(Package& package) {
    corsika::Routines routines = package.routines();
    routines.telescopes = nullptr;
    routines.collect = [](Hit& light) { return Package::played()->hits.push_back(light), 0; };
    return routines;
  }

  double cores[14] = {};
  corsika::RecordedSteps steps{};
  corsika::Emission emission{0.01, 400., 20., 0.24, true, index_of, density_of};
  corsika::Stage stage{routines_of(staged)};
};

TEST_F(GridRuns, TheSameBitsAsThePlainLoop) {
  run_events(
      40 / kShare, 10, [this](int event) { new_grid_event(event); },
      [this](int, int) { return run_chunk(), true; });
  EXPECT_GT(plain.hits.size(), 3000U / kShare);
  EXPECT_GT(stage.counts().traced, 3000U / kShare);
  EXPECT_LT(stage.counts().left_to_corsika, stage.counts().steps / 10);
  EXPECT_LT(stage.counts().near_telescopes, stage.counts().steps * 9 / 10);
}

}  // namespace
