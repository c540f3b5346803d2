// For every instruction set that this machine can run: the same bits as the scalar formulas, and no bunch
// missed.
#include "cherenkov/bunches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <vector>

#include "random_step.hpp"
#include "targets.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

class Lanes : public OneTarget {};

// A step and the light of its first bunches, up to 100, as a stage hands them over.
struct Bundle {
  Step step;
  int n = 0;
  std::vector<Step::Point> at;
  alignas(64) double path[kPaddedBunches] = {};
  alignas(64) double azimuth[kPaddedBunches] = {};
  Light light{};
};

// Azimuths of the bunches, and stale ones behind them.
void draw(Random& random, double* azimuth, int n) {
  for (int i = 0; i < kPaddedBunches; ++i) azimuth[i] = random.turn();
  azimuth[0] = 0.;
  if (n > 4) azimuth[1] = 0.25, azimuth[2] = 0.5, azimuth[3] = 0.75, azimuth[4] = 1. - 0x1p-48;
}

void set_up(Random& random, const Step& step, int first, int n, Bundle& b) {
  b.step = step;
  b.n = n;
  b.at.clear();
  Step::Point at = step.before;
  for (int i = 0; i < first; ++i) at = next_point(at, step.between);
  for (int i = 0; i < kPaddedBunches; ++i) {
    if (i < n) {
      at = next_point(at, step.between);
      b.at.push_back(at);
    }
    b.path[i] = at.path;
  }
  draw(random, b.azimuth, n);
  for (int i = 0; i < kPaddedBunches; ++i) {
    const double cosine = 1. / (step.beta_n + step.beta_n_slope * b.path[i]);
    b.light.cos_theta[i] = cosine;
    b.light.sin2_theta[i] = (1. - cosine) * (1. + cosine);
    b.light.photons[i] = step.photons_per_sin2 * b.light.sin2_theta[i];
  }
}

Direction any_direction(Random& random, double most_zenith) {
  const Direction one = direction(random.uniform(0., most_zenith), random.uniform(0., 2. * std::numbers::pi));
  if (random.turn() < 0.5) return one;
  Direction other = direction(random.uniform(0., most_zenith), random.uniform(0., 2. * std::numbers::pi));
  const double part = 0.2 * random.turn();
  other = {one.u + part * (other.u - one.u), one.v + part * (other.v - one.v),
           one.w + part * (other.w - one.w)};
  const double length = std::sqrt(other.u * other.u + other.v * other.v + other.w * other.w);
  return mean(one, {other.u / length, other.v / length, other.w / length});
}

// --- emit ---

TEST_P(Lanes, EmitHasTheBitsOfTheScalarFormulas) {
  Random random(21);
  const Atmosphere air(1.27e5);
  Light light;
  alignas(64) double path[kPaddedBunches];
  for (int round = 0; round < 20000; ++round) {
    const int n = round < 200 ? 1 + round % kMostBunches : 1 + static_cast<int>(random.uniform(0., 100.));
    const double height = random.uniform(1.5e5, 4e6), length = random.logarithmic(1., 1e5);
    Step step = aimed_step(air, any_direction(random, 1.3), height, 0., 0., length, n, random.turn(),
                           random.logarithmic(0.1, 1e6));
    if (round % 5 == 0) step.beta_n_slope = 0.;
    // as in water; and of a size where a fused multiply-add would round otherwise
    if (round % 7 == 0) step.beta_n = 1.33, step.beta_n_slope = random.uniform(-1e-9, 1e-9);
    if (round % 7 == 1) step.beta_n = 1.5, step.beta_n_slope = random.uniform(-0.4, 0.4) / length;
    double at = step.before.path;
    for (int i = 0; i < kPaddedBunches; ++i) path[i] = i < n ? at += step.between.path : at;
    emit(step, path, n, light);
    for (int i = 0; i < n; ++i) {
      const double beta_n = step.beta_n + step.beta_n_slope * path[i];
      const double cosine = 1. / beta_n;
      const double sine2 = (1. - cosine) * (1. + cosine);
      const double photons = step.photons_per_sin2 * sine2;
      ASSERT_EQ(bits(cosine), bits(light.cos_theta[i])) << "bunch " << i << " of " << n;
      ASSERT_EQ(bits(sine2), bits(light.sin2_theta[i])) << "bunch " << i << " of " << n;
      ASSERT_EQ(bits(photons), bits(light.photons[i])) << "bunch " << i << " of " << n;
    }
  }
}

TEST_P(Lanes, EmitWritesNoFurtherThanAVector) {
  Light light;
  alignas(64) double path[kPaddedBunches] = {};
  Step step{};
  step.beta_n = 1.0001;
  step.photons_per_sin2 = 1.;
  for (int n = 1; n <= kMostBunches; ++n) {
    std::fill_n(light.photons, kPaddedBunches, -1.);
    std::fill_n(light.cos_theta, kPaddedBunches, -1.);
    std::fill_n(light.sin2_theta, kPaddedBunches, -1.);
    emit(step, path, n, light);
    for (int i = 0; i < kPaddedBunches; ++i) {
      if (i < n) {
        ASSERT_GT(light.photons[i], 0.);
      } else if (i >= n + 7) {
        ASSERT_EQ(light.photons[i], -1.) << i << " with n " << n;
        ASSERT_EQ(light.cos_theta[i], -1.);
        ASSERT_EQ(light.sin2_theta[i], -1.);
      }
    }
  }
}

// --- try_emit ---

// Where it says that the path does not matter, the bits are those along the running sum; and mostly it says
// so.
TEST_P(Lanes, TryEmitHasTheBitsOfTheRunningSumOrSaysNo) {
  Random random(27);
  const Atmosphere air(1.27e5);
  Light light, exact;
  alignas(64) double path[kPaddedBunches];
  int emitted = 0, refused = 0, different = 0;
  for (int round = 0; round < 20000; ++round) {
    const int n = 1 + static_cast<int>(random.logarithmic(1., 100.));
    const int first = round % 4 == 0 ? kMostBunches * static_cast<int>(random.uniform(0., 30.)) : 0;
    const int all = std::min(n, kMostBunches);
    Step step = aimed_step(air, any_direction(random, 1.3), random.uniform(1.5e5, 4e6), 0., 0.,
                           random.logarithmic(1., 1e5), first + all, random.turn(), 40.);
    if (round % 5 == 0) step.beta_n_slope = 0.;
    // so steep that the path's last bits do show
    const bool steep = round % 3 == 1;
    if (steep) step.beta_n_slope = random.uniform(-0.4, 0.4) / (step.between.path * (first + all));
    if (steep) step.beta_n = 1.5;
    if (round % 7 == 0) step.before.path = random.uniform(-1e4, 1e4);
    double at = step.before.path;
    for (int i = 0; i < first; ++i) at += step.between.path;
    for (int i = 0; i < kPaddedBunches; ++i) path[i] = i < all ? at += step.between.path : at;
    emit(step, path, all, exact);
    const bool done = try_emit(step, first, all, light);
    if (!steep) ++(done ? emitted : refused);
    bool same = true;
    for (int i = 0; i < all && done; ++i) {
      ASSERT_EQ(bits(exact.cos_theta[i]), bits(light.cos_theta[i])) << "bunch " << i << " from " << first;
      ASSERT_EQ(bits(exact.sin2_theta[i]), bits(light.sin2_theta[i]));
      ASSERT_EQ(bits(exact.photons[i]), bits(light.photons[i]));
    }
    // What a product alone would have made of it: the check is needed.
    for (int i = 0; i < all; ++i) {
      const double product = step.before.path + (first + i + 1) * step.between.path;
      same = same && step.beta_n + step.beta_n_slope * product == step.beta_n + step.beta_n_slope * path[i];
    }
    if (!same) {
      ++different;
      ASSERT_FALSE(done);
    }
  }
  EXPECT_GT(emitted, 8 * refused);
  EXPECT_GT(refused, 0);
  EXPECT_GT(different, 1000);
}

TEST_P(Lanes, TryEmitRefusesWhatIsNoNumber) {
  Light light;
  Step step{};
  step.between.path = 1.;
  step.beta_n = 1.0003;
  EXPECT_TRUE(try_emit(step, 0, 5, light));
  step.beta_n_slope = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(try_emit(step, 0, 5, light));
}

// --- choose ---

// A map around the origin of the telescopes' frame, finely chequered, so that a position that is off shows.
Ground chequered(Random& random, double extent) {
  std::vector<Footprint> footprints;
  const double tile = extent / 40.;
  for (int row = 0; row < 40; ++row)
    for (int column = 0; column < 40; ++column)
      if ((row + column) % 2 == 0 || random.turn() < 0.1)
        footprints.push_back({(column - 19.5) * tile, (row - 19.5) * tile, 0.45 * tile});
  return Ground(footprints, 0.);
}

Plane random_plane(Random& random, double height) {
  const double turn = random.uniform(-3.2, 3.2);
  return {height,         random.uniform(-1e4, 1e4), random.uniform(-1e4, 1e4), std::cos(turn),
          std::sin(turn), random.uniform(-3e4, 3e4), random.uniform(-3e4, 3e4)};
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
TEST_P(Lanes, ChooseAgreesWithExactPositions) {
  Random random(22);
  const Atmosphere air(1.27e5);
  Bundle b;
  int chosen[kPaddedBunches];
  long bunches = 0, reached = 0, at_edges = 0, steps = 0;
  for (int map = 0; map < 20; ++map) {
    const double extent = map % 2 == 0 ? random.logarithmic(2e4, 2e5) : random.logarithmic(1e3, 2e4);
    const Ground ground = chequered(random, extent);
    const Plane plane = random_plane(random, air.observed());
    for (int i = 0; i < 600; ++i) {
      const Step step = random_step(random, air, plane, 0.6 * extent);
      if (!cone_goes_down(step)) continue;
      ++steps;
      for (int first = 0; first < step.bunches; first += 3 * kMostBunches) {  // also far into long steps
        const int n = std::min(step.bunches - first, kMostBunches);
        set_up(random, step, first, n, b);
        const double k = random.uniform(0., 250.);
        const int count = choose(step, first, n, b.light, b.azimuth, plane, k, ground, chosen);
        ASSERT_LE(count, n);
        int next = 0;
        for (int bunch = 0; bunch < n; ++bunch) {
          const bool is_chosen = next < count && chosen[next] == bunch;
          if (is_chosen) ++next;
          const auto at = static_cast<std::size_t>(bunch);
          const Landing exact = landing(step, b.at[at], b.light.cos_theta[bunch], b.light.sin2_theta[bunch],
                                        b.azimuth[bunch], plane, k);
          const double error = static_cast<double>(0.1L + 1e-8L * exact.way);
          const auto x = static_cast<double>(exact.x), y = static_cast<double>(exact.y);
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
  EXPECT_GT(bunches, 500000);
  EXPECT_GT(reached, bunches / 20);
  EXPECT_LT(at_edges, bunches / 20);
  EXPECT_GT(steps, 8000);
}

// What the stage asks for: with the footprints widened by no more than the documented error, none that would
// be hit is missed; millions of bunches into small footprints.
TEST_P(Lanes, ChooseNeverMissesAFootprint) {
  Random random(23);
  const Atmosphere air(0.);
  Bundle b;
  int chosen[kPaddedBunches];
  long bunches = 0, hits = 0;
  for (int map = 0; map < 40; ++map) {
    const Plane plane = random_plane(random, air.observed());
    std::vector<Footprint> footprints(25);
    for (Footprint& footprint : footprints)
      footprint = {random.uniform(-4e4, 4e4), random.uniform(-4e4, 4e4), random.uniform(100., 2000.)};
    const Ground ground(footprints, 0.7);
    for (int i = 0; i < 500; ++i) {
      const Step step = random_step(random, air, plane, 5e4);
      if (!cone_goes_down(step)) continue;
      const int n = std::min(step.bunches, kMostBunches);
      set_up(random, step, 0, n, b);
      const double k = random.uniform(0., 250.);
      const int count = choose(step, 0, n, b.light, b.azimuth, plane, k, ground, chosen);
      bunches += n;
      for (int bunch = 0; bunch < n; ++bunch) {
        if (std::find(chosen, chosen + count, bunch) != chosen + count) continue;
        const Landing exact = landing(step, b.at[static_cast<std::size_t>(bunch)], b.light.cos_theta[bunch],
                                      b.light.sin2_theta[bunch], b.azimuth[bunch], plane, k);
        for (const Footprint& f : footprints) {
          ASSERT_FALSE(std::fabs(exact.x - f.x) <= f.half_width && std::fabs(exact.y - f.y) <= f.half_width)
              << "missed at " << static_cast<double>(exact.x) << ", " << static_cast<double>(exact.y);
        }
      }
      hits += count;
    }
  }
  EXPECT_GT(bunches, 300000);
  EXPECT_GT(hits, bunches / 100);
}

// And with a second look at spheres: none is missed whose line, by long double, touches one from outside, and
// what is chosen is within the doubt and what is kept for rounding. The doubt is what choose() says of its
// positions, and no more.
TEST_P(Lanes, ChooseNeverMissesASphere) {
  Random random(28);
  const Atmosphere air(0.);
  Bundle b;
  int chosen[kPaddedBunches];
  long bunches = 0, hits = 0, ruled_out = 0;
  for (int map = 0; map < 40; ++map) {
    const Plane plane = random_plane(random, air.observed());
    std::vector<Sphere> all(25);
    std::vector<Footprint> footprints;
    for (Sphere& sphere : all) {
      sphere = {random.uniform(-4e4, 4e4), random.uniform(-4e4, 4e4), random.uniform(-500., 3000.),
                random.uniform(100., 1500.)};
      footprints.push_back({sphere.x, sphere.y, 5. * (sphere.radius + std::fabs(sphere.z))});
    }
    const Ground ground(footprints, 0.7);
    const Spheres spheres(all);
    for (int i = 0; i < 500; ++i) {
      const Step step = random_step(random, air, plane, 5e4);
      if (!cone_goes_down(step)) continue;
      const int n = std::min(step.bunches, kMostBunches);
      set_up(random, step, 0, n, b);
      const double k = random.uniform(0., 250.);
      const int count =
          choose(step, 0, n, b.light, b.azimuth, plane, k, ground, chosen, {&spheres, {1., 1e-6}});
      bunches += n;
      hits += count;
      for (int bunch = 0; bunch < n; ++bunch) {
        const Landing exact = landing(step, b.at[static_cast<std::size_t>(bunch)], b.light.cos_theta[bunch],
                                      b.light.sin2_theta[bunch], b.azimuth[bunch], plane, k);
        if (!ground.reachable(static_cast<double>(exact.x), static_cast<double>(exact.y))) continue;
        long double nearest = HUGE_VALL;  // of the distances from the spheres
        for (const Sphere& s : all) {
          const long double sx = exact.slope_x, sy = exact.slope_y;
          const long double ax = exact.x - s.z * sx - s.x, ay = exact.y - s.z * sy - s.y;
          const long double turned = ax * sy - ay * sx;
          nearest =
              std::min(nearest, std::sqrt((ax * ax + ay * ay + turned * turned) / (1.L + sx * sx + sy * sy)) -
                                    s.radius);
        }
        if (std::find(chosen, chosen + count, bunch) == chosen + count) {
          ASSERT_GT(nearest, 0.L) << "bunch " << bunch;
          ++ruled_out;
        } else {
          ASSERT_LT(nearest, 2.3L + 1e-8L * exact.way) << "bunch " << bunch;
        }
      }
    }
  }
  EXPECT_GT(bunches, 300000);
  EXPECT_GT(hits, bunches / 200);
  EXPECT_GT(ruled_out, hits);
}

// Lengths 1 to 100: each bunch is judged alone, and what stands behind the last one does not matter, even
// where it would hit.
TEST_P(Lanes, ChooseIgnoresPaddedLanes) {
  Random random(24);
  const Atmosphere air(1.27e5);
  const Plane plane{1.27e5, 0., 0., 1., 0., 0., 0.};
  const Footprint everywhere{0., 0., 1e6};
  const Ground all({&everywhere, 1}, 0.);
  const Ground ground = chequered(random, 1e5);
  Bundle b;
  int chosen[kPaddedBunches], again[kPaddedBunches];
  for (int n = 1; n <= kMostBunches; ++n) {
    const Step step = aimed_step(air, direction(0.35, 1.), 9e5, 0., 0., 2000., n, 0.9, 40.);
    set_up(random, step, 0, n, b);
    ASSERT_EQ(choose(step, 0, n, b.light, b.azimuth, plane, 100., all, chosen), n);
    for (int i = 0; i < n; ++i) ASSERT_EQ(chosen[i], i);

    const int count = choose(step, 0, n, b.light, b.azimuth, plane, 100., ground, chosen);
    for (const double stale : {0., 0.123, 1.}) {
      for (int i = n; i < kPaddedBunches; ++i) {
        b.azimuth[i] = stale;
        b.light.sin2_theta[i] = 0.;
        b.light.cos_theta[i] = stale == 0. ? 1. : 1. / 3.;
      }
      ASSERT_EQ(choose(step, 0, n, b.light, b.azimuth, plane, 100., ground, again), count);
      ASSERT_TRUE(std::equal(chosen, chosen + count, again));
    }
    // one at a time, from vectors that hold nothing else of it
    int alone[kMostBunches], count_alone = 0;
    for (int i = 0; i < n; ++i) {
      Bundle one;
      one.azimuth[0] = b.azimuth[i];
      one.light.cos_theta[0] = b.light.cos_theta[i];
      one.light.sin2_theta[0] = b.light.sin2_theta[i];
      for (int pad = 1; pad < kPaddedBunches; ++pad) one.light.cos_theta[pad] = 1.;
      if (choose(step, i, 1, one.light, one.azimuth, plane, 100., ground, again) == 1)
        alone[count_alone++] = i;
    }
    ASSERT_TRUE(std::equal(alone, alone + count_alone, chosen, chosen + count)) << n;
  }
}

// Far beyond the map, and where float would have lost the place: skipped, and nothing is read out of bounds.
TEST_P(Lanes, ChooseClampsWhatIsFarAway) {
  Random random(25);
  const Atmosphere air(0.);
  const Ground ground = chequered(random, 1e4);
  Bundle b;
  int chosen[kPaddedBunches];
  for (const double far : {1e5, 1e8, 1e12, 1e20, 1e300}) {
    for (const double side : {-1., 1.}) {
      for (const double other : {0., 1., -1.}) {
        const Plane plane{0., far * side, other * far, 1., 0., 0., 0.};
        const Step step = aimed_step(air, direction(0.3, 2.), 1e6, 0., 0., 1000., 40, 0.5, 40.);
        set_up(random, step, 0, 40, b);
        EXPECT_EQ(choose(step, 0, 40, b.light, b.azimuth, plane, 0., ground, chosen), 0);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compiled, Lanes, testing::ValuesIn(targets_here()), target_name);

TEST(Targets, TheBestOneIsUsedUnlessToldOtherwise) {
  const auto targets = targets_here();
  ASSERT_FALSE(targets.empty());
  use(0);
  EXPECT_EQ(hwy::SupportedTargets() & HWY_TARGETS & -(hwy::SupportedTargets() & HWY_TARGETS),
            targets.front().bit);
}

}  // namespace
