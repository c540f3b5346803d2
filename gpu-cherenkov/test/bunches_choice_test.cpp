// The choice among bunches, for every instruction set that this machine can run: none is missed.
#include "cherenkov/bunch_light.hpp"
#include "targets.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

class ChoiceLanes : public OneTarget {
 protected:
  // Chooses among the bunches of a step from number `first` on, of any refraction; returns among how many.
  int choose_from(const Step& step, int first, const Plane& plane, const FootprintMap& ground,
                  const SphereFilter& filter = {}) {
    const int n = std::min(step.bunches - first, kMaxBunches);
    set_up(random, step, first, n, b);
    k = random.uniform(0., 250.);
    count = choose(step, first, n, b.light, b.azimuth, plane, k, ground, chosen, filter);
    return n;
  }
  [[nodiscard]] bool is_chosen(int bunch) const {
    return std::find(chosen, chosen + count, bunch) != chosen + count;
  }
  [[nodiscard]] Landing exact(int bunch, const Plane& plane) const {
    return landing(b.step, b.at[static_cast<std::size_t>(bunch)], b.light.cos_theta[bunch],
                   b.light.sin2_theta[bunch], b.azimuth[bunch], plane, k);
  }

  Random random{22};
  Bundle b;
  double k = 0.;  // of refraction
  int chosen[kPaddedBunches], count = 0;
};

// A map around the origin of the telescopes' frame, finely chequered, so that a position that is off shows.
FootprintMap chequered(Random& random, double extent) {
  std::vector<Footprint> footprints;
  const double tile = extent / 40.;
  for (int row = 0; row < 40; ++row)
    for (int column = 0; column < 40; ++column)
      if ((row + column) % 2 == 0 || random.turn() < 0.1)
        footprints.push_back({(column - 19.5) * tile, (row - 19.5) * tile, 0.45 * tile});
  return FootprintMap(footprints, 0.);
}

// A step whose light lands around the origin of the telescopes' frame, up to `scatter` off.
Step random_step(Random& random, const Atmosphere& air, const Plane& plane, double scatter) {
  const double x = plane.x_impact + random.uniform(-scatter, scatter);
  const double y = plane.y_impact + random.uniform(-scatter, scatter);
  const Direction to = any_direction(random, 1.3);
  const double height = air.observed() + random.logarithmic(1e3, 1e7);
  const double length = std::min(random.logarithmic(0.1, 3e5), 0.9 * (height - air.observed()) / to.w);
  return aimed_step(air, to, height, plane.x0 + x * plane.cos_turn - y * plane.sin_turn,
                    plane.y0 + y * plane.cos_turn + x * plane.sin_turn, length,
                    1 + static_cast<int>(random.logarithmic(1., 1000.)), random.turn(), 40.);
}

bool cone_goes_down(const Step& step) {
  double most = 0.;
  for (const double path : {step.before.path, step.before.path + (step.bunches + 1) * step.between.path}) {
    const double cosine = 1. / (step.beta_n + step.beta_n_slope * path);
    most = std::max(most, std::sqrt((1. - cosine) * (1. + cosine)));
  }
  return step.w0 * std::sqrt(1. - most * most) + step.sw * most > 0.2;
}

// Against positions in long double: chosen exactly where the map says so, but within the documented error of
// a cell's edge. That is: nothing within a cell that is set is missed, and nothing far from one is chosen.
TEST_P(ChoiceLanes, ChooseAgreesWithExactPositions) {
  const Atmosphere air(1.27e5);
  long bunches = 0, reached = 0, at_edges = 0, steps = 0;
  for (int map = 0; map < 40 / kShare; ++map) {
    const double extent = map % 2 == 0 ? random.logarithmic(2e4, 2e5) : random.logarithmic(1e3, 2e4);
    const FootprintMap ground = chequered(random, extent);
    const Plane plane = random_plane(random, air.observed());
    for (int i = 0; i < 600; ++i) {
      const Step step = random_step(random, air, plane, 0.6 * extent);
      if (!cone_goes_down(step)) continue;
      ++steps;
      for (int first = 0; first < step.bunches; first += 3 * kMaxBunches) {  // also far into long steps
        const int n = choose_from(step, first, plane, ground);
        ASSERT_LE(count, n);
        int next = 0;
        for (int bunch = 0; bunch < n; ++bunch) {
          const bool is_chosen = next < count && chosen[next] == bunch;
          if (is_chosen) ++next;
          const Landing there = exact(bunch, plane);
          const double error = static_cast<double>(0.1L + 1e-8L * there.way);
          const auto x = static_cast<double>(there.x), y = static_cast<double>(there.y);
          int corners = 0;
          for (const double dx : {-error, error})
            for (const double dy : {-error, error}) corners += ground.reachable(x + dx, y + dy) ? 1 : 0;
          ++bunches;
          reached += corners == 4 ? 1 : 0;
          if (corners == 4) {
            ASSERT_TRUE(is_chosen) << "missed at " << x << ", " << y;
          } else if (corners == 0) {
            ASSERT_FALSE(is_chosen) << "far off at " << x << ", " << y;
          } else {
            ++at_edges;
          }
        }
        ASSERT_EQ(next, count) << "indices are not ascending, or not of bunches";
      }
    }
  }
  EXPECT_GT(bunches, 1000000 / kShare);
  EXPECT_GT(reached, bunches / 20);
  EXPECT_LT(at_edges, bunches / 20);
  EXPECT_GT(steps, 16000 / kShare);
}

// On a grid of detectors photons are kept of what is counted or in doubt, and whatever may hit is chosen, up
// to the error told.
TEST_P(ChoiceLanes, ChooseOnAGridOfDetectors) {
  const Atmosphere air(1.27e5);
  long kept = 0, gone = 0, hits = 0, doubtful = 0, needless = 0;
  double cores[8];
  const auto axis = [&](const double* its_cores, bool single) {
    const double distance = single ? 1e-3 : random.logarithmic(200., 3000.);
    return DetectorGrid::Axis{
        random.logarithmic(5e3, 5e4), single ? 800. : 9.7 * distance,           1. / distance,
        single ? 0. : -0.5,           single ? 8e5 : random.uniform(0.02, 0.4), its_cores};
  };
  for (int i = 0; i < 20000 / kShare; ++i) {
    for (double& core : cores) core = random.uniform(-1e4, 1e4);
    const DetectorGrid grid{axis(cores, false), axis(cores + 4, i % 4 == 0), 4};
    const Plane plane = random_plane(random, air.observed());
    const Step step = random_step(random, air, plane, 2e4);
    if (!cone_goes_down(step)) continue;
    const double error = random.logarithmic(5., 30.);
    const int n = choose_from(step, 0, plane, {}, {nullptr, {error, 0.}, &grid});
    for (int bunch = 0; bunch < n; ++bunch) {
      const Landing there = exact(bunch, plane);
      const double near = error - static_cast<double>(0.1L + 1e-8L * there.way);
      int counts = 0, may_hit = 0;  // of nine places
      for (const double dx : {-near, 0., near})
        for (const double dy : {-near, 0., near}) {
          const double x = static_cast<double>(there.x) + dx, y = static_cast<double>(there.y) + dy;
          if (!is_counted(grid, x, y)) continue;
          ++counts;
          may_hit += is_hit(grid, x, y) ? 1 : 0;
        }
      const bool is_kept = b.light.photons[bunch] != 0., is_certain = may_hit == 0 && counts % 9 == 0;
      ASSERT_TRUE(is_kept || counts == 0);
      ASSERT_TRUE(is_chosen(bunch) || (is_certain && is_kept == (counts == 9)));
      ++(is_kept ? kept : gone);
      hits += may_hit != 0 ? 1 : 0;
      doubtful += counts % 9 != 0 ? 1 : 0;
      needless += is_chosen(bunch) && is_certain ? 1 : 0;
    }
  }
  EXPECT_GT(std::min({kept / 50, gone / 50, hits / 10, 2 * doubtful}), 300 / kShare);
  EXPECT_LT(needless, hits / 4);
}

// With a second look at spheres none is missed whose line, by long double, touches one from outside, and
// what is chosen is within the uncertainty and what is kept for rounding. The uncertainty is what choose()
// says of its positions, and no more.
TEST_P(ChoiceLanes, ChooseNeverMissesASphere) {
  const Atmosphere air(0.);
  long bunches = 0, hits = 0, ruled_out = 0;
  for (int map = 0; map < 40 / kShare; ++map) {
    const Plane plane = random_plane(random, air.observed());
    std::vector<Sphere> all(25);
    std::vector<Footprint> footprints;
    for (Sphere& sphere : all) {
      sphere = {random.uniform(-4e4, 4e4), random.uniform(-4e4, 4e4), random.uniform(-500., 3000.),
                random.uniform(100., 1500.)};
      footprints.push_back({sphere.x, sphere.y, 5. * (sphere.radius + std::fabs(sphere.z))});
    }
    const FootprintMap ground(footprints, 0.7);
    const Spheres spheres(all);
    for (int i = 0; i < 500; ++i) {
      const Step step = random_step(random, air, plane, 5e4);
      if (!cone_goes_down(step)) continue;
      const int n = choose_from(step, 0, plane, ground, {&spheres, {1., 1e-6}});
      bunches += n;
      hits += count;
      for (int bunch = 0; bunch < n; ++bunch) {
        const Landing there = exact(bunch, plane);
        if (!ground.reachable(static_cast<double>(there.x), static_cast<double>(there.y))) continue;
        long double nearest = HUGE_VALL;  // of the distances from the spheres
        for (const Sphere& s : all) {
          const long double sx = there.slope_x, sy = there.slope_y;
          const long double ax = there.x - s.z * sx - s.x, ay = there.y - s.z * sy - s.y;
          const long double turned = ax * sy - ay * sx;
          nearest =
              std::min(nearest, std::sqrt((ax * ax + ay * ay + turned * turned) / (1.L + sx * sx + sy * sy)) -
                                    s.radius);
        }
        if (is_chosen(bunch)) {
          ASSERT_LT(nearest, 2.3L + 1e-8L * there.way) << "bunch " << bunch;
        } else {
          ASSERT_GT(nearest, 0.L) << "bunch " << bunch;
          ++ruled_out;
        }
      }
    }
  }
  EXPECT_GT(bunches, 300000 / kShare);
  EXPECT_GT(hits, bunches / 200);
  EXPECT_GT(ruled_out, hits);
}

// Lengths 1 to 100: what stands behind the last bunch does not matter, even where it would hit.
TEST_P(ChoiceLanes, ChooseIgnoresPaddedLanes) {
  const Atmosphere air(1.27e5);
  const Plane plane{1.27e5, 0., 0., 1., 0., 0., 0.};
  const Footprint everywhere{0., 0., 1e6};
  const FootprintMap all({&everywhere, 1}, 0.);
  const FootprintMap ground = chequered(random, 1e5);
  int again[kPaddedBunches];
  for (int n = 1; n <= kMaxBunches; ++n) {
    const Step step = aimed_step(air, direction(0.35, 1.), 9e5, 0., 0., 2000., n, 0.9, 40.);
    set_up(random, step, 0, n, b);
    ASSERT_EQ(choose(step, 0, n, b.light, b.azimuth, plane, 100., all, chosen), n);
    for (int i = 0; i < n; ++i) ASSERT_EQ(chosen[i], i);

    count = choose(step, 0, n, b.light, b.azimuth, plane, 100., ground, chosen);
    for (const double stale : {0., 0.123, 1.}) {
      for (int i = n; i < kPaddedBunches; ++i) {
        b.azimuth[i] = stale;
        b.light.sin2_theta[i] = 0.;
        b.light.cos_theta[i] = stale == 0. ? 1. : 1. / 3.;
      }
      ASSERT_EQ(choose(step, 0, n, b.light, b.azimuth, plane, 100., ground, again), count);
      ASSERT_TRUE(std::equal(chosen, chosen + count, again));
    }
  }
}

// Far beyond the map, and where float would have lost the place: skipped, and nothing is read out of bounds.
TEST_P(ChoiceLanes, ChooseClampsWhatIsFarAway) {
  const Step step = aimed_step(Atmosphere(0.), direction(0.3, 2.), 1e6, 0., 0., 1000., 40, 0.5, 40.);
  const FootprintMap ground = chequered(random, 1e4);
  for (const double far : {1e5, 1e8, 1e12, 1e20, 1e300})
    for (const double side : {-1., 1.})
      for (const double other : {0., 1., -1.}) {
        choose_from(step, 0, {0., far * side, other * far, 1., 0., 0., 0.}, ground);
        EXPECT_EQ(count, 0);
      }
}

INSTANTIATE_TEST_SUITE_P(Compiled, ChoiceLanes, testing::ValuesIn(targets_here()), target_name);

}  // namespace
