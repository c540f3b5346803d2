// The choice among bunches that arrive at a grid of detectors, for every instruction set that this machine
// can run, against positions in long double.
#include "targets.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

class GridLanes : public OneTarget {};

// One of some: a grid around each of its cores.
DetectorGrid random_grid(Random& random, std::vector<double>& cores) {
  cores.resize(2 * static_cast<std::size_t>(random.uniform(1., 21.)));
  for (double& core : cores) core = random.uniform(-2e4, 2e4);
  const auto axis = [&](const double* its_cores) {
    const int n = static_cast<int>(random.logarithmic(1., 40.));
    const double distance = n > 1 ? random.logarithmic(100., 5000.) : 1e-3;
    const double size = n > 1 ? distance * random.uniform(0.02, 0.8) : random.logarithmic(100., 1e4);
    return DetectorGrid::Axis{random.turn() < 0.1 ? 0. : random.logarithmic(5e3, 1e5),
                              0.5 * (size + (n - 1) * distance),
                              1. / distance,
                              n % 2 == 0 ? -0.5 : 0.,
                              0.5 * size / distance,
                              its_cores};
  };
  const std::size_t half = cores.size() / 2;
  return {axis(cores.data()), axis(cores.data() + half), static_cast<int>(half)};
}

// Photons are kept of what is counted and in doubt, and whatever may hit is chosen, up to the error told.
TEST_P(GridLanes, NoneIsMissedNorCountedWrongly) {
  const Atmosphere air(1.27e5);
  Random random(23);
  Bundle b;
  std::vector<double> cores;
  long kept = 0, gone = 0, hits = 0, doubtful = 0, needless = 0;
  for (int i = 0; i < 20000 / kShare; ++i) {
    const DetectorGrid grid = random_grid(random, cores);
    Plane plane = random_plane(random, air.observed());
    plane.x_impact = plane.y_impact = 0.;
    const Direction to = any_direction(random, 1.);
    const double height = air.observed() + random.logarithmic(1e4, 3e6);
    const int n = 1 + static_cast<int>(random.turn() * kMaxBunches);
    set_up(random,
           aimed_step(air, to, height, plane.x0 + random.uniform(-3e4, 3e4),
                      plane.y0 + random.uniform(-3e4, 3e4),
                      std::min(random.logarithmic(1., 1e5), 0.9 * (height - air.observed()) / to.w), n,
                      random.turn(), 40.),
           0, n, b);
    const double error = random.logarithmic(1., 30.);
    int chosen[kPaddedBunches];
    const int count = choose(b.step, 0, n, b.light, b.azimuth, plane, grid, error, chosen);
    for (int k = 0, next = 0; k < n; ++k) {
      const bool is_chosen = next < count && chosen[next] == k, is_kept = b.light.photons[k] != 0.;
      next += is_chosen ? 1 : 0;
      const auto at = static_cast<std::size_t>(k);
      const Landing there =
          landing(b.step, b.at[at], b.light.cos_theta[k], b.light.sin2_theta[k], b.azimuth[k], plane, 0.);
      const auto x = static_cast<double>(there.x), y = static_cast<double>(there.y);
      const double near = error - static_cast<double>(0.1L + 1e-8L * there.way);
      int counts = 0;
      bool may_hit = false;
      for (const double dx : {-near, 0., near})
        for (const double dy : {-near, 0., near}) {
          counts += grid.counts(x + dx, y + dy) ? 1 : 0;
          may_hit = may_hit || (grid.counts(x + dx, y + dy) && grid.hits(x + dx, y + dy));
        }
      ASSERT_TRUE(is_kept || counts == 0) << x << " " << y;
      ASSERT_TRUE(is_chosen || (!may_hit && counts == (is_kept ? 9 : 0))) << x << " " << y;
      kept += is_kept ? 1 : 0, gone += is_kept ? 0 : 1, hits += may_hit ? 1 : 0;
      doubtful += counts % 9 != 0 ? 1 : 0, needless += is_chosen && !may_hit && counts % 9 == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(std::min({kept / 50, gone / 50, hits / 10, 2 * doubtful}), 500 / kShare);
  EXPECT_LT(needless, hits / 4);
}

INSTANTIATE_TEST_SUITE_P(Compiled, GridLanes, testing::ValuesIn(targets_here()), target_name);

}  // namespace
