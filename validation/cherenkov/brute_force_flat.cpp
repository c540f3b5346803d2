// The run of the flat geometry.
#include <numbers>
#include <stdexcept>

#include "brute_force.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "plain_step.hpp"

namespace cherenkov::test {
namespace {

// One shower. Throws where sums or draws differ.
void run_event(const Options& o, Random& random, Package& plain, Package& staged, corsika::Stage& stage,
               Totals& totals) {
  Shower shower = random_shower(random, plain.air.observed(), o.zenith / 180. * std::numbers::pi);
  shower.context.fill_profile = false;
  // Telescopes of both kinds: hit wherever light arrives in the footprint, or only where it passes through a
  // sphere.
  plain.footprints_only = staged.footprints_only = random.turn() < 0.5;
  const double x = random.turn() < 0.3 ? random.uniform(-1e4, 1e4) : 0.,
               y = random.turn() < 0.3 ? random.uniform(-1e4, 1e4) : 0.;
  for (Package* package : {&plain, &staged})
    package->new_event(shower.telescopes, shower.zenith, shower.azimuth, x, y);
  for (int i = 0; i < 400 && totals.bunches < o.bunches; ++i) {
    const ParticleStep particle = random_particle(random, shower, plain);
    corsika::ObservationContext context = shower.surroundings();
    const auto n = static_cast<std::uint64_t>(particle.step.bunches);
    plain_step(particle.step, context, plain);
    if (!stage.emit(particle.step, context)) {
      plain_step(particle.step, context, staged, &stage);
      totals.left += n;
      continue;
    }
    totals.bunches += n;
  }
  compare(plain.hits, staged.hits, totals);
  (plain.footprints_only ? totals.footprints : totals.spheres) += plain.hits.size();
  if (plain.drawn != staged.drawn || plain.photons != staged.photons || plain.bunches != staged.bunches)
    throw std::runtime_error("the sums of light or the numbers drawn differ");
  plain.hits.clear();
  staged.hits.clear();
}

}  // namespace

void run_flat(const Options& o, Random& random, Totals& totals, Progress& progress) {
  const double observed = random.uniform(0., 2.5e5);
  const int azimuths = static_cast<int>(1. + 8e8 * random.turn());
  Package plain(observed, azimuths), staged(observed, azimuths);
  staged.footprints_cut = o.weaken;
  staged.spheres_cut = o.weaken_spheres;
  staged.measured_refraction = o.weaken_refraction;
  corsika::Stage stage(staged.routines());
  for (int event = 0; event < 50 && totals.bunches < o.bunches; ++event) {
    run_event(o, random, plain, staged, stage, totals);
    progress.show(totals);
  }
  totals.traced += stage.counts().traced;
  if (!stage.disabled_reason().empty())
    throw std::runtime_error("the stage refused: " + stage.disabled_reason());
}

}  // namespace cherenkov::test
