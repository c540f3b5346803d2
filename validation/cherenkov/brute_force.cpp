// Brute force against the bound by which bunches are skipped: random steps of random showers, every bunch of
// them followed to the ground as CORSIKA does, and the hits compared with those of the stage.
//
// The plain loop is CERENK's loop without the stage: it follows every bunch. In half of the random showers
// footprints count: a bunch that arrives in a footprint is a hit. In the others spheres count: a hit must
// also pass the telescope's sphere. With --grid, a hit is a bunch that CERENK's
// own test puts on a detector.
#include <cstdio>
#include <exception>

#include "corsika_runtime/cherenkov/emitter.hpp"
#include "curved_steps.hpp"
#include "support/command_line.hpp"

namespace cherenkov::test {
namespace {

const corsika::CurvedLight kLight{RayTable::kEarth_cm, RayTable::distance, RayTable::time};
using Count = std::uint64_t;

struct Options {
  Count bunches = 1000000, seed = 1;
  /// Faults that are planted in what the stage is told: half-widths of footprints and radii of spheres that
  /// are too small by so many cm, and refraction times this factor.
  double weaken = 0., weaken_spheres = 0., weaken_refraction = 1.;
  bool curved = false, grid = false, expect_misses = false;
};

struct Totals {
  Count bunches = 0, left = 0;  ///< of steps that the stage took, and of those that it left to CORSIKA
  /// Bunches that the stage followed; hits of the plain loop; those of these that the stage lacks; hits that
  /// only the stage has, or that it has with other bits.
  Count traced = 0, hits = 0, missed = 0, altered = 0;
  Count footprints = 0, spheres = 0;  ///< hits of showers where these count
  /// Steps of the curved geometry that the stage took, and that the test of the whole step skipped.
  Count steps = 0, skipped = 0;
  /// Of those skipped that have `aimed` and `unit`, where spheres count: least CurvedStep::outside, cm; below
  /// 0: inside of a sphere.
  double nearest = HUGE_VAL;
};

/// Adds the hits of one event to `totals`. The stage's hits are those of the plain loop in their order, less
/// what it missed.
void compare(const std::vector<Hit>& plain, const std::vector<Hit>& staged, Totals& totals) {
  std::size_t next = 0;
  for (const Hit& hit : plain)
    (next < staged.size() && same_bits(hit, staged[next]) ? next : totals.missed) += 1;
  totals.hits += plain.size();
  totals.altered += staged.size() - next;  // hits that there should not be, or with other bits
}

/// Some showers at one observatory: the package twice, as CORSIKA runs it and with the stage. Throws
/// std::runtime_error where sums or draws differ, and where the stage refuses.
class Observatory {
 public:
  Observatory(const Options& options, Random& random, Totals& totals)
      : options_(options),
        random_(random),
        totals_(totals),
        height_(random.uniform(0., 2.5e5)),
        azimuths_(static_cast<int>(1. + 8e8 * random.turn())) {
    staged_.footprints_cut = options.weaken;
    staged_.spheres_cut = options.weaken_spheres;
    if (!options.curved) {
      staged_.measured_refraction = options.weaken_refraction;
      return;
    }
    // Every third table is as rough as if its corners had been computed badly.
    table_ = std::make_unique<RayTable>(height_, random.turn() < 0.33 ? 0.02 : 0., random);
    RayTable::played() = table_.get();
  }

  bool more() const { return totals_.bunches < options_.bunches; }

  void run_event() {
    const double zenith = (options_.curved ? 85. : 60.) / 180. * std::numbers::pi;
    shower_ = options_.curved ? random_curved_shower(random_, height_, zenith)
                              : random_shower(random_, height_, zenith);
    if (options_.curved)
      shower_.context.curved = kLight;
    else
      shower_.context.fill_profile = false;
    if (options_.grid) shower_.context.grid = random_grid(random_, cores_);
    shower_.context.by_electron = true;
    staged_shower_ = shower_;
    if (options_.grid)
      staged_shower_.context.grid->x.half -= options_.weaken * shower_.context.grid->x.per_cm;
    // Hit wherever light arrives in the footprint, or only where it passes through a sphere.
    plain_.footprints_only = staged_.footprints_only = random_.turn() < 0.5;
    const double x = random_.turn() < 0.3 ? random_.uniform(-1e4, 1e4) : 0.,
                 y = random_.turn() < 0.3 ? random_.uniform(-1e4, 1e4) : 0.;
    for (Package* package : {&plain_, &staged_})
      package->new_event(shower_.telescopes, shower_.zenith, shower_.azimuth, x, y);
    if (!emitter_) start_stage();
    std::optional<CurvedSteps> steps;
    if (options_.curved) steps.emplace(random_, shower_, plain_);
    for (int i = 0; i < 400 && more(); ++i) {
      if (!steps)
        run(random_particle(random_, shower_, plain_));
      else if (const auto step = steps->next())
        run(*step);
    }
    if (plain_.drawn != staged_.drawn || plain_.photons != staged_.photons ||
        plain_.bunches != staged_.bunches)
      throw std::runtime_error("the sums of light or the numbers drawn differ");
    if (shower_.profile != staged_shower_.profile)
      throw std::runtime_error("the longitudinal distributions differ");
    compare(plain_.hits, staged_.hits, totals_);
    (plain_.footprints_only ? totals_.footprints : totals_.spheres) += plain_.hits.size();
    plain_.hits.clear();
    staged_.hits.clear();
  }

  void finish() {
    totals_.traced += emitter_->counts().traced;
    if (!emitter_->event().why_not().empty()) refused();
  }

 private:
  void refused() const { throw std::runtime_error("the stage refused: " + emitter_->event().why_not()); }

  // The stage measures the table of distances at its first step. That one is of one bunch below threshold, so
  // that the table can tell then what is not so.
  void start_stage() {
    emitter_ =
        std::make_unique<corsika::Emitter>(options_.grid ? grid_routines(staged_) : staged_.routines());
    if (!options_.curved) return;
    CurvedLoop dark;
    dark.step.bunches = 1;
    dark.step.before = {-50., 0., 0., height_ + 1e6 + 50., 0.};
    dark.step.between = {100., 0., 0., -100., 1e-9};
    dark.step.cu = dark.step.sv = dark.step.w0 = 1.;
    dark.apparent_before = dark.step.before.z;
    dark.apparent_between = dark.step.between.z;
    dark.half_z = 0.5 * dark.step.between.z;
    dark.mass = 1.;
    dark.energy = 1.1;
    const corsika::Emission emission{0., 1., 1., 0., true, [](double*) { return 1.0003; }, nullptr};
    table_->tell_part(options_.weaken_refraction);
    table_->tells(true);
    plain_curved_step(dark, kLight, emission, shower_.surroundings(), plain_);
    if (!emitter_->emit(dark, emission, staged_shower_.surroundings())) refused();
    table_->tells(false);
  }

  void run(const Step& step) {
    const corsika::ObservationContext context = shower_.surroundings();
    plain_step(step, context, plain_);
    const bool taken = emitter_->emit(step, staged_shower_.surroundings());
    if (!taken) plain_step(step, context, staged_, options_.grid ? nullptr : emitter_.get());
    (taken ? totals_.bunches : totals_.left) += static_cast<Count>(step.bunches);
  }

  void run(const CurvedStep& step) {
    plain_curved_step(step.loop, kLight, step.emission, shower_.surroundings(), plain_);
    const corsika::ObservationContext around = staged_shower_.surroundings();
    const std::uint64_t looked_at = emitter_->counts().near_telescopes;
    const bool taken = emitter_->emit(step.loop, step.emission, around);
    (taken ? totals_.bunches : totals_.left) += static_cast<Count>(step.loop.step.bunches);
    if (!taken) return plain_curved_step(step.loop, kLight, step.emission, around, staged_);
    ++totals_.steps;
    if (emitter_->counts().near_telescopes != looked_at) return;
    ++totals_.skipped;
    if (step.aimed && step.unit && !plain_.footprints_only)
      totals_.nearest = std::min(totals_.nearest, step.outside);
  }

  const Options& options_;
  Random& random_;
  Totals& totals_;
  double height_;  // of the detection plane, cm
  int azimuths_;   // seed
  std::unique_ptr<RayTable> table_;
  Package plain_{height_, azimuths_}, staged_{height_, azimuths_};
  GridCores cores_{};
  Shower shower_{}, staged_shower_{};
  std::unique_ptr<corsika::Emitter> emitter_;
};

}  // namespace
}  // namespace cherenkov::test

int main(int argc, char** argv) try {
  using namespace cherenkov::test;
  Options o;
  support::read_options(
      argc, argv,
      "Counts bunches that hit a telescope and that the Cherenkov stage skipped: there must be none.",
      {{"--bunches", &o.bunches, "how many, of steps that the stage takes"},
       {"--seed", &o.seed, "of the showers and steps"},
       {"--curved", &o.curved, "steps of builds with option CURVED"},
       {"--grid", &o.grid, "light for a grid of detectors, without IACT"},
       {"--weaken", &o.weaken,
        "tell the stage of footprints, or detectors, that are X cm too narrow to either side"},
       {"--weaken-spheres", &o.weaken_spheres, "tell the stage of spheres that are X cm too small"},
       {"--weaken-refraction", &o.weaken_refraction,
        "tell the stage of X times the refraction that there is"},
       {"--expect-misses", &o.expect_misses, "succeed only where some are missed"}});

  if (o.grid && o.curved) throw std::runtime_error("--grid is for flat air; leave out --curved");
  Random random(o.seed);
  Totals totals;
  while (totals.bunches < o.bunches) {
    Observatory observatory(o, random, totals);
    for (int event = 0; event < 50 && observatory.more(); ++event) observatory.run_event();
    observatory.finish();
  }
  std::printf("bunches %lu  left to CORSIKA %lu  traced %lu  hits %lu (%lu of them of spheres)",
              totals.bunches, totals.left, totals.traced, totals.hits, totals.spheres);
  std::printf("  missed %lu  altered %lu\n", totals.missed, totals.altered);
  if (totals.footprints == 0 || totals.spheres == 0)
    throw std::runtime_error("too few bunches: no hits of footprints, or of spheres");
  if (o.curved)
    std::printf("steps %lu  skipped as a whole %lu, with light at least %.1f cm outside of a sphere\n",
                totals.steps, totals.skipped, totals.nearest);
  if (o.curved && (totals.skipped < totals.steps / 10 || totals.skipped > totals.steps - totals.steps / 10))
    throw std::runtime_error("the test of the whole step skips nearly all steps, or nearly none");
  // Whether a bunch has this light or not. 0.1 cm: how exactly it is aimed.
  if (o.curved && totals.nearest < -0.1 && !o.expect_misses)
    throw std::runtime_error("a step was skipped of which light may pass a sphere");
  return totals.altered == 0 && (totals.missed != 0) == o.expect_misses ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "brute_force: error: %s\n", e.what());
  return 1;
}
