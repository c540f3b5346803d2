// No step is skipped whose light passes through a sphere, and most of those that miss by far are; the same of
// lines.
#include "cherenkov/spheres.hpp"

#include <optional>

#include "cherenkov/spheres_view.hpp"
#include "targets.hpp"

namespace cherenkov::test {

// The light of random steps, and spheres that it touches or that are anywhere.

inline Step::Point point_of(const Step& step, int bunch) {
  Step::Point at = step.before;
  for (int i = 0; i <= bunch; ++i) at = next_point(at, step.between);
  return at;
}

// A sphere of that radius that the line touches, somewhere around where it is at height z.
inline Sphere touched_by(const Line& line, double z, double radius, Random& random) {
  const double length2 = 1. + line.slope_x * line.slope_x + line.slope_y * line.slope_y;
  // any direction, less what of it goes along the line
  double a[3] = {random.uniform(-1., 1.), random.uniform(-1., 1.), random.uniform(-1., 1.)};
  const double along = (-a[0] * line.slope_x - a[1] * line.slope_y + a[2]) / length2;
  a[0] += along * line.slope_x, a[1] += along * line.slope_y, a[2] -= along;
  const double scale = radius / std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  return {line.x - z * line.slope_x + scale * a[0], line.y - z * line.slope_y + scale * a[1],
          z + scale * a[2], radius};
}

inline Line random_line(Random& random, double max_slope) {
  const double slope = random.uniform(0., max_slope), to = random.radians();
  return {random.uniform(-1e4, 1e4), random.uniform(-1e4, 1e4), slope * std::cos(to), slope * std::sin(to)};
}

// A step's light, and spheres. is_aimed: light of one bunch, at `azimuth` (over 2 pi), touches the last one.
struct RandomRing {
  Ring ring;
  std::vector<Sphere> spheres;
  double lowest;  // of the step's points of emission, above the detection plane
  bool is_aimed;
  double azimuth;
};

// Every second one is aimed. Empty where light may be too far from the vertical.
inline std::optional<RandomRing> random_ring(Random& random, const Atmosphere& air, int round) {
  const double zenith = random.uniform(0.01, 1.), azimuth = random.radians();
  Direction to = direction(zenith, azimuth);
  if (round % 3 == 0) to = mean(to, direction(zenith + random.uniform(-0.3, 0.3), azimuth + 0.1));
  const double height = air.observed() + random.logarithmic(1e3, 2e6);
  const double length = std::min(random.logarithmic(1., 3e5), 0.9 * (height - air.observed()) / to.w);
  const int n = 1 + static_cast<int>(random.logarithmic(1., 300.));
  const Plane plane = random_plane(random, air.observed());
  Step step = aimed_step(air, to, height, random.uniform(-1e4, 1e4), random.uniform(-1e4, 1e4), length, n,
                         random.uniform(0.01, 1.), 40.);
  // Whatever CORSIKA may make of it: beta n that changes much, and a way that is not along the direction.
  if (round % 4 == 0 && n > 1)
    step.beta_n_slope = random.uniform(-0.9, 0.9) * (step.beta_n - 1.) / ((n + 1) * step.between.path);
  if (round % 5 == 0) step.between.x += random.uniform(-0.1, 0.1) * step.between.path;
  const ConeBounds cone = cone_of(step, 0.2);

  // Light of one bunch touches one sphere exactly; the others are anywhere.
  const double k = random.turn() < 0.5 ? 0. : random.uniform(0., 200.);
  const int bunch = static_cast<int>(random.turn() * n);
  const Step::Point at = point_of(step, bunch);
  const double cosine = 1. / (step.beta_n + step.beta_n_slope * at.path);
  const double around = random.turn();
  const Landing there = landing(step, at, cosine, (1. - cosine) * (1. + cosine), around, plane, k);
  const double lowest =
      std::min(step.before.z + 0.5 * step.between.z, step.before.z + (n + 0.5) * step.between.z) -
      air.observed();
  const double min_height = std::min(step.before.z, point_of(step, n - 1).z) - air.observed();
  const double radius = round % 4 < 2 ? 0. : random.uniform(0., std::min(1e3, 0.3 * min_height));
  const double z = random.turn() < 0.5 ? 0. : random.uniform(0., std::min(3e3, 0.5 * min_height));
  const double tilt = round % 3 == 0 ? 0. : random.uniform(0., 0.05);
  const bool aimed = round % 2 == 0;
  std::vector<Sphere> spheres;
  // Copies of an array, whose spheres are grouped; or anywhere.
  const bool arrays = round % 5 < 3;
  const int count = arrays ? 12 : 1 + round % 9;
  double x = 0., y = 0.;
  for (int f = 0; f < count; ++f) {
    if (!arrays || f % 4 == 0) x = random.uniform(-1e5, 1e5), y = random.uniform(-1e5, 1e5);
    const double spread = arrays ? 1e4 : 0.;
    spheres.push_back({x + random.uniform(-spread, spread), y + random.uniform(-spread, spread), z, radius});
  }
  if (aimed) {
    // The line of that light, turned a little.
    const double q = random.radians();
    spheres.back() = touched_by({static_cast<double>(there.x), static_cast<double>(there.y),
                                 static_cast<double>(there.slope_x) + tilt * std::cos(q),
                                 static_cast<double>(there.slope_y) + tilt * std::sin(q)},
                                z, radius, random);
  }
  // |(u, v)| / w^3 of all light, at most
  const double max_sin = std::min(1., std::hypot(step.u0, step.v0) + cone.max_tan);
  const double min_w = step.w0 * (2. - cone.max_secant) + step.sw * cone.max_tan;
  if (min_w < 0.2) return std::nullopt;
  const double slack = k * max_sin / (min_w * min_w * min_w);
  if (arrays && aimed)  // its neighbours are those of the sphere that is touched
    for (int f = 8; f < 11; ++f)
      spheres[static_cast<std::size_t>(f)] = {spheres.back().x + random.uniform(-1e4, 1e4),
                                              spheres.back().y + random.uniform(-1e4, 1e4), z, radius};
  return RandomRing{ring_of(step, plane, cone, slack, tilt), std::move(spheres), lowest, aimed, around};
}

}  // namespace cherenkov::test

namespace {

using namespace cherenkov;
using namespace cherenkov::test;

class SphereLanes : public OneTarget {};

TEST_P(SphereLanes, NoStepIsPassedOverWhoseLightArrives) {
  Random random(41);
  const Atmosphere air(1.27e5);
  long touched = 0, arrived = 0, passed_over = 0;
  long grouped = 0;  // that only the look at groups rules out
  for (int round = 0; round < 100000 / kShare; ++round) {
    const auto its = random_ring(random, air, round);
    if (!its) continue;
    const Spheres array(its->spheres);
    const bool near = array.touched_by(its->ring);
    const bool near_group = array.touched_by(its->ring, its->lowest);
    ASSERT_TRUE(near || !near_group);
    ASSERT_TRUE(near_group || !its->is_aimed) << "round " << round << " in groups";
    grouped += near && !near_group ? 1 : 0;
    if (its->is_aimed) {
      ++arrived;
      ASSERT_TRUE(near) << "round " << round;
    } else {
      ++(near ? touched : passed_over);
    }
  }
  EXPECT_GT(arrived, 40000 / kShare);
  EXPECT_GT(passed_over, 5 * touched);
  EXPECT_LT(grouped, touched + arrived);
}

// Light that is recorded goes along a line within the uncertainty of the one that is asked about.
TEST_P(SphereLanes, NoLineIsRuledOutThatMayPass) {
  Random random(43);
  long passed = 0, ruled_out = 0;
  for (int round = 0; round < 200000 / kShare; ++round) {
    const Line line = random_line(random, round % 5 == 0 ? 4.5 : 1.);
    const LineUncertainty uncertainty{round % 3 == 0 ? 0. : random.uniform(0., 60.),
                                      round % 4 == 0 ? 0. : random.uniform(0., 0.05)};
    std::vector<Sphere> spheres(1 + static_cast<std::size_t>(round % 6));
    for (Sphere& s : spheres)
      s = {random.uniform(-1e4, 1e4), random.uniform(-1e4, 1e4), random.uniform(-1e3, 3e3),
           round % 7 == 0 ? 0. : random.uniform(0., 1e3)};
    if (round % 2 == 0) {
      // The line that light is recorded by, and a sphere that it touches.
      const double p = random.radians(), q = random.radians();
      const Line own{line.x + uncertainty.position * std::cos(p), line.y + uncertainty.position * std::sin(p),
                     line.slope_x + uncertainty.slope * std::cos(q),
                     line.slope_y + uncertainty.slope * std::sin(q)};
      const Sphere s = spheres.back();
      spheres.back() = touched_by(own, s.z, s.radius, random);
      ASSERT_TRUE(Spheres(spheres).passed_by(line, uncertainty)) << "round " << round;
    } else {
      ++(Spheres(spheres).passed_by(line, uncertainty) ? passed : ruled_out);
    }
  }
  EXPECT_GT(ruled_out, 2 * passed);
  EXPECT_GT(passed, 1000 / kShare);
}

TEST_P(SphereLanes, NoSphereIsTouchedByNothingAndNoNumberByAll) {
  Random random(42);
  const Atmosphere air(0.);
  const Step step = aimed_step(air, direction(0.3, 1.), 1e6, 0., 0., 1000., 40, 0.5, 40.);
  const Plane plane{0., 0., 0., 1., 0., 0., 0.};
  const Ring ring = ring_of(step, plane, cone_of(step, 0.2), 1., 0.);
  Ring odd = ring;
  odd.tan_theta = std::nan("");
  const Line line{0., 0., 0.1, 0.2};
  const Sphere sphere{1e8, 0., 0., 100.};
  const Spheres far({&sphere, 1});
  for (const Spheres& none : {Spheres(), far}) {
    EXPECT_FALSE(none.touched_by(ring));
    EXPECT_FALSE(none.passed_by(line, {10., 0.}));
  }
  EXPECT_TRUE(far.touched_by(odd));
  EXPECT_TRUE(far.passed_by({0., 0., std::nan(""), 0.2}, {10., 0.}));
  EXPECT_TRUE(far.passed_by(line, {std::nan(""), 0.}));
}

// A line is ruled out as soon as it misses by more than its uncertainty and what is kept for rounding.
TEST_P(SphereLanes, ALineThatMissesByALittleMoreIsRuledOut) {
  Random random(44);
  for (int round = 0; round < 50000 / kShare; ++round) {
    const Line line = random_line(random, 3.);
    const LineUncertainty uncertainty{round % 3 == 0 ? 0. : random.uniform(0., 60.), 0.};
    const double radius = random.uniform(0., 1e3), missed_by = uncertainty.position + 1.;
    for (const double more : {-0.01, 0.01}) {
      Sphere sphere = touched_by(line, random.uniform(-1e3, 3e3), radius + missed_by + more, random);
      sphere.radius = radius;
      ASSERT_EQ(Spheres({&sphere, 1}).passed_by(line, uncertainty), more < 0.) << "round " << round;
    }
  }
}

TEST(Spheres, TopIsThatOfTheHighest) {
  EXPECT_EQ(Spheres().top(), 0.);
  const Sphere below[] = {{0., 0., -500., 100.}};
  EXPECT_EQ(Spheres(below).top(), 0.);
  const Sphere some[] = {{0., 0., 900., 100.}, {0., 0., 700., 800.}, {0., 0., 1200., 200.}};
  EXPECT_EQ(Spheres(some).top(), 1500.);
}

// The sectors of azimuths whose light may pass a sphere.
TEST(SpheresView, LightThatTouchesASphereIsInItsSectors) {
  Random random(47);
  const Atmosphere air(1.27e5);
  long aimed = 0, sectors_of_aimed = 0, all = 0;  // sectors_of_aimed: where not all are set
  for (int round = 0; round < 200000 / kShare; ++round) {
    const auto its = random_ring(random, air, round);
    if (!its) continue;
    const Spheres array(its->spheres);
    if (!(its->lowest > array.top())) continue;
    const std::uint64_t sectors = view_of(array).sectors_of(its->ring, OneLane{});
    ASSERT_EQ(sectors != 0, array.touched_by(its->ring)) << "round " << round;
    if (!its->is_aimed) continue;
    const auto own = static_cast<unsigned>(its->azimuth * SpheresView::kSectors);
    ASSERT_TRUE((sectors >> own & 1U) != 0) << "round " << round;
    ++aimed;
    if (sectors == ~std::uint64_t{0})
      ++all;
    else
      sectors_of_aimed += std::popcount(sectors);
  }
  const double mean = static_cast<double>(sectors_of_aimed) / static_cast<double>(aimed - all);
  std::printf("%ld aimed, all sectors in %ld, %.1f in the others\n", aimed, all, mean);
  EXPECT_GT(aimed, 50000 / kShare);
  EXPECT_LT(all, aimed / 2);
  EXPECT_LT(mean, 15.);
}

INSTANTIATE_TEST_SUITE_P(Compiled, SphereLanes, testing::ValuesIn(targets_here()), target_name);

}  // namespace
