// Brute force against the bound by which bunches are skipped: random steps of random showers, every bunch of
// them followed to the ground as CORSIKA does, and the hits compared with those of the stage.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <numbers>
#include <stdexcept>

#include "corsika_runtime/cherenkov/stage.hpp"
#include "plain_step.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

struct Totals {
  std::uint64_t bunches = 0, left = 0;  // of steps that the stage took, and of those that it left to CORSIKA
  std::uint64_t traced = 0, hits = 0, missed = 0, altered = 0;
  std::uint64_t footprints = 0, spheres = 0;  // hits where these count
};

// The stage's hits are those of the plain loop in their order, less what it missed.
void compare(const std::vector<Hit>& plain, const std::vector<Hit>& staged, Totals& totals) {
  std::size_t next = 0;
  for (const Hit& hit : plain) {
    if (next < staged.size() && same_bits(hit, staged[next]))
      ++next;
    else
      ++totals.missed;
  }
  totals.hits += plain.size();
  totals.altered += staged.size() - next;  // hits that there should not be, or with other bits
}

class Progress {
 public:
  Progress(std::uint64_t all, bool quiet) : all_(all), quiet_(quiet) {}
  void show(const Totals& totals) {
    const auto now = std::chrono::steady_clock::now();
    if (quiet_ || now - last_ < std::chrono::seconds(1)) return;
    last_ = now;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const auto done = static_cast<double>(totals.bunches), all = static_cast<double>(all_);
    std::fprintf(stderr, "\r%5.1f%%  %.0f s to go  hits %llu  missed %llu ", 100. * done / all,
                 seconds * (all - done) / done, static_cast<unsigned long long>(totals.hits),
                 static_cast<unsigned long long>(totals.missed));
  }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::uint64_t all_;
  bool quiet_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), last_ = begin_;
};

struct Options {
  std::uint64_t bunches = 1000000, seed = 1;
  double weaken = 0., weaken_spheres = 0., weaken_refraction = 1., zenith = 60.;
  bool quiet = false, expect_misses = false;
};

void declare(CLI::App& app, Options& o) {
  app.add_option("--bunches", o.bunches, "how many, of steps that the stage takes")->capture_default_str();
  app.add_option("--seed", o.seed, "of the showers and steps")->capture_default_str();
  app.add_option("--zenith", o.zenith, "largest zenith angle of a shower, degrees")
      ->check(CLI::Range(0., 80.))
      ->capture_default_str();
  app.add_option("--weaken", o.weaken,
                 "tell the stage of footprints that are X cm too narrow to either side");
  app.add_option("--weaken-spheres", o.weaken_spheres, "tell the stage of spheres that are X cm too small");
  app.add_option("--weaken-refraction", o.weaken_refraction,
                 "tell the stage of X times the refraction that there is");
  app.add_flag("--expect-misses", o.expect_misses, "succeed only where some are missed");
  app.add_flag("--quiet", o.quiet, "no progress line");
}

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
    context.sin_particle = particle.sin_particle;
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

// Some showers at one observatory. Throws where sums or draws differ, and where the stage refuses.
void run_observatory(const Options& o, Random& random, Totals& totals, Progress& progress) {
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

int main_or_throw(int argc, char** argv) {
  Options o;
  CLI::App app(
      "Counts bunches that hit a telescope and that the Cherenkov stage skipped: there must be none.");
  declare(app, o);
  CLI11_PARSE(app, argc, argv);

  Random random(o.seed);
  Totals totals;
  Progress progress(o.bunches, o.quiet);
  while (totals.bunches < o.bunches) run_observatory(o, random, totals, progress);
  std::printf(
      "%sbunches %llu  left to CORSIKA %llu  traced %llu  hits %llu (%llu of them of spheres)  missed %llu  "
      "altered %llu  in %.1f s\n",
      o.quiet ? "" : "\n", static_cast<unsigned long long>(totals.bunches),
      static_cast<unsigned long long>(totals.left), static_cast<unsigned long long>(totals.traced),
      static_cast<unsigned long long>(totals.hits), static_cast<unsigned long long>(totals.spheres),
      static_cast<unsigned long long>(totals.missed), static_cast<unsigned long long>(totals.altered),
      progress.seconds());
  if (totals.footprints == 0 || totals.spheres == 0) {
    throw std::runtime_error("too few bunches: no hits of footprints, or of spheres");
  }
  if (totals.altered != 0) return 1;
  return (totals.missed != 0) == o.expect_misses ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return main_or_throw(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "\nbrute_force: error: %s\n", e.what());
    return 1;
  }
}
