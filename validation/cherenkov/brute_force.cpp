// Brute force against the bound by which bunches are skipped: random steps of random showers, every bunch of
// them followed to the ground as CORSIKA does, and the hits compared with those of the stage.
#include "brute_force.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace cherenkov::test {

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

void Progress::show(const Totals& totals) {
  const auto now = std::chrono::steady_clock::now();
  if (quiet_ || now - last_ < std::chrono::seconds(1)) return;
  last_ = now;
  const auto done = static_cast<double>(totals.bunches), all = static_cast<double>(all_);
  std::fprintf(stderr, "\r%5.1f%%  %.0f s to go  hits %llu  missed %llu ", 100. * done / all,
               seconds() * (all - done) / done, static_cast<unsigned long long>(totals.hits),
               static_cast<unsigned long long>(totals.missed));
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

namespace {

void declare(CLI::App& app, Options& o) {
  app.add_option("--bunches", o.bunches, "how many, of steps that the stage takes")->capture_default_str();
  app.add_option("--seed", o.seed, "of the showers and steps")->capture_default_str();
  app.add_flag("--curved", o.curved, "steps of builds with option CURVED");
  app.add_option(
         "--zenith", o.zenith,
         "largest zenith angle of a shower, degrees: 60, with --curved 85, if it is not given; at most "
         "80, with --curved 87")
      ->check(CLI::Range(0., 87.));
  app.add_option("--weaken", o.weaken,
                 "tell the stage of footprints that are X cm too narrow to either side");
  app.add_option("--weaken-spheres", o.weaken_spheres, "tell the stage of spheres that are X cm too small");
  app.add_option("--weaken-refraction", o.weaken_refraction,
                 "tell the stage of X times the refraction that there is");
  app.add_flag("--expect-misses", o.expect_misses, "succeed only where some are missed");
  app.add_flag("--quiet", o.quiet, "no progress line");
}

void print(const Options& o, const Totals& totals, double seconds) {
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf(
      "%sbunches %llu  left to CORSIKA %llu  traced %llu  hits %llu (%llu of them of spheres)  missed %llu  "
      "altered %llu  in %.1f s\n",
      o.quiet ? "" : "\n", number(totals.bunches), number(totals.left), number(totals.traced),
      number(totals.hits), number(totals.spheres), number(totals.missed), number(totals.altered), seconds);
  if (!o.curved) return;
  const auto print_steps = [&](const char* of, const WholeSteps& steps) {
    std::printf(
        "steps%s %llu  skipped as a whole %llu  (%llu of them with light within 1 m outside of a sphere, at "
        "least %.1f cm outside)\n",
        of, number(steps.steps), number(steps.skipped), number(steps.near), steps.nearest);
  };
  print_steps("", totals.whole);
  print_steps(" of showers beyond 60 degrees", totals.beyond_60);
}

// That the test of the whole step was tried.
void check_steps(const Options& o, const WholeSteps& steps) {
  if (steps.skipped < steps.steps / 10 || steps.skipped > steps.steps - steps.steps / 10)
    throw std::runtime_error("the test of the whole step skips nearly all steps, or nearly none");
  // Whether a bunch has this light or not. 0.1 cm: how exactly it is aimed.
  if (steps.nearest < -0.1 && !o.expect_misses)
    throw std::runtime_error("a step was skipped of which light may pass a sphere");
}

int main_or_throw(int argc, char** argv) {
  Options o;
  CLI::App app(
      "Counts bunches that hit a telescope and that the Cherenkov stage skipped: there must be none.");
  declare(app, o);
  CLI11_PARSE(app, argc, argv);
  if (o.zenith < 0.) o.zenith = o.curved ? 85. : 60.;
  if (!o.curved && o.zenith > 80.) throw std::runtime_error("--zenith: at most 80 without --curved");

  Random random(o.seed);
  Totals totals;
  Progress progress(o.bunches, o.quiet);
  while (totals.bunches < o.bunches) (o.curved ? run_curved : run_flat)(o, random, totals, progress);
  print(o, totals, progress.seconds());
  if (totals.footprints == 0 || totals.spheres == 0)
    throw std::runtime_error("too few bunches: no hits of footprints, or of spheres");
  if (o.curved) check_steps(o, totals.whole);
  if (totals.altered != 0) return 1;
  return (totals.missed != 0) == o.expect_misses ? 0 : 1;
}

}  // namespace
}  // namespace cherenkov::test

int main(int argc, char** argv) {
  try {
    return cherenkov::test::main_or_throw(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "\nbrute_force: error: %s\n", e.what());
    return 1;
  }
}
