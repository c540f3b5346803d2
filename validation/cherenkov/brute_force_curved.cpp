// The run of the curved geometry.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>

#include "brute_force.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "curved_steps.hpp"
#include "plain_curved.hpp"

namespace cherenkov::test {
namespace {

const corsika::CurvedLight kLight{RayTable::kEarth_cm, RayTable::distance, RayTable::time};

// Of one bunch below threshold.
CurvedStep dark_step(double plane_height) {
  CurvedStep dark;
  Step& step = dark.loop.step;
  step.bunches = 1;
  step.before = {-50., 0., 0., plane_height + 1e6 + 50., 0.};
  step.between = {100., 0., 0., -100., 1e-9};
  step.cu = step.sv = step.w0 = 1.;
  dark.loop.apparent_before = step.before.z;
  dark.loop.apparent_between = step.between.z;
  dark.loop.half_z = 0.5 * step.between.z;
  dark.loop.mass = 1.;
  dark.loop.energy = 1.1;
  dark.emission = {0., 1., 1., 0., true, [](double*) { return 1.0003; }, nullptr};
  return dark;
}

// At one observatory: the package twice, as CORSIKA runs it and with the stage.
class Observatory {
 public:
  Observatory(const Options& options, Random& random, Totals& totals)
      : options_(options),
        random_(random),
        totals_(totals),
        height_(random.uniform(0., 2.5e5)),
        azimuths_(static_cast<int>(1. + 8e8 * random.turn())),
        // Every third table is as rough as if its corners had been computed badly.
        table_(height_, random.turn() < 0.33 ? 0.02 : 0., random) {
    staged_.footprints_cut = options.weaken;
    staged_.spheres_cut = options.weaken_spheres;
    RayTable::played() = &table_;
  }

  // One shower. Throws where sums or draws differ.
  void run_event() {
    shower_ = random_curved_shower(random_, height_, options_.zenith / 180. * std::numbers::pi);
    shower_.context.curved = kLight;
    staged_shower_ = shower_;
    // Hit wherever light arrives in the footprint, or only where it passes through a sphere.
    plain_.footprints_only = staged_.footprints_only = random_.turn() < 0.5;
    const double x = random_.turn() < 0.3 ? random_.uniform(-1e4, 1e4) : 0.,
                 y = random_.turn() < 0.3 ? random_.uniform(-1e4, 1e4) : 0.;
    for (Package* package : {&plain_, &staged_})
      package->new_event(shower_.telescopes, shower_.zenith, shower_.azimuth, x, y);
    if (!stage_) start_stage();
    CurvedSteps steps(random_, shower_, plain_);
    for (int i = 0; i < 400 && totals_.bunches < options_.bunches; ++i)
      if (const auto step = steps.next()) run(*step);
    expect_equal_sums();
    compare(plain_.hits, staged_.hits, totals_);
    (plain_.footprints_only ? totals_.footprints : totals_.spheres) += plain_.hits.size();
    plain_.hits.clear();
    staged_.hits.clear();
  }

  // Throws where the stage refused.
  void finish() {
    if (!stage_) return;
    totals_.traced += stage_->counts().traced;
    if (!stage_->disabled_reason().empty())
      throw std::runtime_error("the stage refused: " + stage_->disabled_reason());
  }

 private:
  // The stage measures the table of distances at its first step. This one emits nothing, so that the table
  // can tell then what is not so.
  void start_stage() {
    stage_ = std::make_unique<corsika::Stage>(staged_.routines());
    table_.tell_part(options_.weaken_refraction);
    table_.tells(true);
    const CurvedStep dark = dark_step(height_);
    const corsika::ObservationContext around = shower_.surroundings();
    plain_curved_step(dark.loop, kLight, dark.emission, around, plain_);
    if (!stage_->emit(dark.loop, dark.emission, staged_shower_.surroundings()))
      throw std::runtime_error("the stage refused: " + stage_->disabled_reason());
    table_.tells(false);
  }

  void run(const CurvedStep& step) {
    const auto n = static_cast<std::uint64_t>(step.loop.step.bunches);
    plain_curved_step(step.loop, kLight, step.emission, shower_.surroundings(), plain_);
    const corsika::ObservationContext staged_around = staged_shower_.surroundings();
    const std::uint64_t looked_at = stage_->counts().near_telescopes;
    if (!stage_->emit(step.loop, step.emission, staged_around)) {
      plain_curved_step(step.loop, kLight, step.emission, staged_around, staged_);
      totals_.left += n;
      return;
    }
    totals_.bunches += n;
    const bool skipped = stage_->counts().near_telescopes == looked_at;
    count(step, skipped, totals_.whole);
    if (shower_.zenith > std::numbers::pi / 3.) count(step, skipped, totals_.beyond_60);
  }

  void count(const CurvedStep& step, bool skipped, WholeSteps& steps) const {
    ++steps.steps;
    if (!skipped) return;
    ++steps.skipped;
    if (!step.aimed || !step.unit || plain_.footprints_only) return;
    steps.near += step.outside < 100. ? 1U : 0U;
    steps.nearest = std::min(steps.nearest, step.outside);
  }

  void expect_equal_sums() const {
    if (plain_.drawn != staged_.drawn || plain_.photons != staged_.photons ||
        plain_.bunches != staged_.bunches)
      throw std::runtime_error("the sums of light or the numbers drawn differ");
    if (shower_.profile != staged_shower_.profile)
      throw std::runtime_error("the longitudinal distributions differ");
  }

  const Options& options_;
  Random& random_;
  Totals& totals_;
  double height_;  // of the detection plane, cm
  int azimuths_;   // seed
  RayTable table_;
  Package plain_{height_, azimuths_}, staged_{height_, azimuths_};
  Shower shower_{}, staged_shower_{};
  std::unique_ptr<corsika::Stage> stage_;
};

}  // namespace

void run_curved(const Options& options, Random& random, Totals& totals, Progress& progress) {
  Observatory observatory(options, random, totals);
  for (int event = 0; event < 50 && totals.bunches < options.bunches; ++event) {
    observatory.run_event();
    progress.show(totals);
  }
  observatory.finish();
}

}  // namespace cherenkov::test
