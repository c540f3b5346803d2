// The stage with CORSIKA's own detectors, against the plain loop: both sums, profile, numbers drawn and every
// hit, bit for bit.
#include "helper_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::ObservationContext;

class GridRuns : public HelperRuns {
 protected:
  void new_grid_event(int event) {
    TwoRuns::new_event(1.05, event % 4 != 3, 0., 0.);
    if (event % 3 == 2) go_straight();
    shower.context.grid = staged_shower.context.grid = random_grid(random, cores);
  }
  // A chunk of random steps, of electrons and of muons.
  void run_chunk() {
    RecordedSteps& steps = memory[0];
    const auto in_corsika = [&](int i, ObservationContext context, Package& package) {
      context.by_electron = steps.mass[i] == kElectron;
      cerenk(steps.step(i), context, package);
    };
    for (int i = 0; i < kChunkSteps; ++i) {
      double unused = 0.;
      ChargedStep one = random_charged_step(random, shower, plain, emission.yield, unused);
      if (random.turn() < 0.3)
        for (double* value : {&one.mass, &one.begin_energy, &one.end_energy}) *value *= 206.8;
      steps.set(i, one);
      in_corsika(i, shower.surroundings(), plain);
    }
    emitter.emit(steps, kChunkSteps, emission, staged_shower.surroundings(),
                 [&](int i) { in_corsika(i, staged_shower.surroundings(), staged); });
    expect_equal();
  }
  GridCores cores{};
  corsika::Emitter emitter{grid_routines(staged)};
};

TEST_F(GridRuns, TheSameBitsAsThePlainLoop) {
  run_events(
      40 / kShare, 10, [this](int event) { new_grid_event(event); },
      [this](int, int) { return run_chunk(), true; });
  EXPECT_GT(plain.hits.size(), 3000U / kShare);
  EXPECT_GT(emitter.counts().traced, 3000U / kShare);
  EXPECT_LT(emitter.counts().left_to_corsika, emitter.counts().steps / 10);
  EXPECT_LT(emitter.counts().near_telescopes, emitter.counts().steps * 19 / 20);
}

}  // namespace
