// Steps of the curved geometry: the stage against CERENK's loop, written plainly; and what CERENK makes of a
// step before it.
#include <gtest/gtest.h>

#include <cmath>

#include "corsika_runtime/cherenkov/stage.hpp"
#include "played_curved.hpp"
#include "two_runs.hpp"

namespace {

using namespace cherenkov;
using namespace cherenkov::test;
using corsika::CurvedLoop;
using corsika::LightKind;

constexpr double kEarth_cm = 6.371315e8;

double index_of(double* height) { return 1. + Atmosphere::refractivity(*height); }

corsika::Emission emission() { return {0., 400., 5., 0., true, index_of, nullptr}; }

const corsika::CurvedLight kLight{kEarth_cm, CurvedTable::distance, CurvedTable::time};

// CERLDE of option CURVED, for light from half a spacing before a bunch to half a spacing behind.
void plain_curved_add(const corsika::DepthProfile& profile, const Step::Point& at, const Step::Point& half,
                      double light) {
  const auto along = [&](double x, double y, double z) {
    const double cosine = std::cos(std::sqrt(x * x + y * y) / kEarth_cm);
    const double apparent = (kEarth_cm + z) * cosine - kEarth_cm;
    if (cosine != 1.) {
      const double azimuth = x != 0. || y != 0. ? std::atan2(y, x) : 0.;
      const double away = std::sqrt((1. - cosine) * (1. + cosine)) * (kEarth_cm + apparent) / cosine;
      x = away * std::cos(azimuth);
      y = away * std::sin(azimuth);
    }
    return x * profile.along_x + y * profile.along_y - apparent * profile.along_z + profile.start;
  };
  const double begin = along(at.x - half.x, at.y - half.y, at.z - half.z);
  if (!(profile.edge[profile.bins] > begin)) return;
  const double end = along(at.x + half.x, at.y + half.y, at.z + half.z);
  const double from = Package::thickness(begin) * profile.bins_per_depth;
  const double to = Package::thickness(end) * profile.bins_per_depth;
  const int first = std::min(static_cast<int>(from + 1.), profile.bins + 1);
  const int last = std::min(static_cast<int>(to), profile.bins);
  if (first == last + 1 && first <= profile.bins) {
    profile.photons[first] += light;
    return;
  }
  const double bins = (Package::thickness(end) - Package::thickness(begin)) * profile.bins_per_depth;
  const double each = bins > 0. ? light / bins : 0.;
  const double in_first = each * (static_cast<double>(first) - from);
  const double in_last = each * (to - static_cast<double>(std::max(first, last)));
  profile.photons[first] += in_first;
  if (last < profile.bins) profile.photons[last + 1] += in_last;
  for (int bin = first; bin < last; ++bin) profile.photons[bin + 1] += each;
}

// CERENK's loop.
void plain_curved_step(const CurvedLoop& loop, const corsika::ObservationContext& context, Package& package) {
  constexpr int kChunk = 100;
  const Step& step = loop.step;
  const Plane& plane = context.plane;
  double numbers[kChunk];
  int left = step.bunches, used = 0;
  package.draw(numbers, std::min(left, kChunk));
  Step::Point at = step.before;
  double apparent = loop.apparent_before;
  for (int i = 0; i < step.bunches; ++i) {
    at = next_point(at, step.between);
    apparent += loop.apparent_between;
    if (loop.stops_at_plane && apparent <= plane.height) return;
    const double ratio = loop.mass / (loop.energy + loop.energy_slope * at.path);
    const double cos_theta = 1. / (std::sqrt((1. - ratio) * (1. + ratio)) * index_of(&at.z));
    const double sin2_theta = (1. - cos_theta) * (1. + cos_theta);
    if (cos_theta > 1. || sin2_theta <= 0.) {
      --left;
      continue;
    }
    if (++used > kChunk) {
      const int count = left > kChunk ? kChunk : left;
      package.draw(numbers, count);
      left = left > kChunk ? left - kChunk : 0;
      used = 1;
    }
    const double phi = numbers[used - 1] * context.two_pi, sin_theta = std::sqrt(sin2_theta);
    const double a = sin_theta * std::cos(phi), b = sin_theta * std::sin(phi);
    const double u = step.cu * a + step.su * b + step.u0 * cos_theta;
    const double v = step.cv * a + step.sv * b + step.v0 * cos_theta;
    double w = step.sw * b + step.w0 * cos_theta;
    if (w < context.cut_w) continue;
    w = std::min(1., w);
    double height = loop.stops_at_plane ? apparent : at.z;
    const double across = std::sqrt(u * u + v * v), away = CurvedTable::distance(&w, &height);
    const double x = across > 0. ? at.x + away / across * u : at.x;
    const double y = across > 0. ? at.y + away / across * v : at.y;
    const double photons = step.photons_per_sin2 * sin2_theta;
    if (context.fill_profile)
      plain_curved_add(context.profile, {0., at.x, at.y, height, 0.},
                       {0., 0.5 * step.between.x, 0.5 * step.between.y, loop.half_z, 0.}, photons);
    package.collect({photons, 1., x * plane.cos_turn + y * plane.sin_turn,
                     y * plane.cos_turn - x * plane.sin_turn, u * plane.cos_turn + v * plane.sin_turn,
                     v * plane.cos_turn - u * plane.sin_turn, at.time * 1e9 + CurvedTable::time(&w, &height),
                     height, 0.});
  }
}

class CurvedRuns : public TwoRuns {
 protected:
  CurvedRuns() : TwoRuns(97) {}

  void new_curved_event(double max_zenith) {
    new_event(max_zenith, random.turn() < 0.8, 0., 0.);
    for (Shower* one : {&shower, &staged_shower}) one->context.plane.x0 = one->context.plane.y0 = 0.;
  }

  // In the detector's frame or not; some below threshold, in part or in all.
  CurvedLoop loop_of(const ParticleStep& particle) {
    CurvedLoop loop{};
    loop.step = particle.step;
    loop.stops_at_plane = random.turn() < 0.7;
    const double drop = loop.stops_at_plane ? random.logarithmic(1., 3e5) : 0.;
    loop.apparent_before = particle.step.before.z - drop;
    loop.apparent_between = particle.step.between.z * (loop.stops_at_plane ? random.uniform(0.99, 1.01) : 1.);
    loop.half_z = 0.5 * particle.step.between.z;
    loop.mass = 5.11e-4;
    double height = particle.step.before.z;
    const double threshold = loop.mass / std::sqrt(1. - 1. / std::pow(index_of(&height), 2));
    loop.energy =
        threshold * (random.turn() < 0.2 ? random.uniform(0.98, 1.05) : random.logarithmic(1.02, 1e3));
    loop.energy_slope =
        -random.logarithmic(1e-9, 0.01) * loop.energy / (particle.step.bunches * particle.step.between.path);
    return loop;
  }

  bool run_curved(const CurvedLoop& loop) {
    corsika::ObservationContext context = shower.surroundings(),
                                staged_context = staged_shower.surroundings();
    plain_curved_step(loop, context, plain);
    const bool taken = stage.emit(loop, kLight, emission(), staged_context);
    if (!taken) plain_curved_step(loop, staged_context, staged);
    return taken;
  }

  corsika::Stage stage{staged.routines()};
};

TEST_F(CurvedRuns, TheSameBitsAsThePlainLoop) {
  int taken = 0, steps = 0;
  for (int event = 0; event < 80; ++event) {
    new_curved_event(1.4);
    for (int i = 0; i < 300; ++i, ++steps) {
      taken += run_curved(loop_of(particle())) ? 1 : 0;
      if (i % 50 == 0) expect_equal();
      if (HasFatalFailure()) FAIL() << "event " << event << ", step " << i;
    }
    expect_equal();
    if (HasFatalFailure()) FAIL() << "event " << event;
  }
  EXPECT_EQ(stage.disabled_reason(), "");
  EXPECT_GT(taken, steps * 9 / 10);
  EXPECT_GT(plain.hits.size(), 1000U);
  EXPECT_LT(stage.counts().rings, stage.counts().steps) << "steps that no telescope sees are only counted";
  EXPECT_LT(stage.counts().traced, stage.counts().bunches / 2);
}

TEST_F(CurvedRuns, MissesHitsWhereItIsToldWrong) {
  staged.spheres_cut = 150.;
  staged.footprints_cut = 150.;
  for (int event = 0; event < 40; ++event) {
    new_curved_event(1.2);
    for (int i = 0; i < 300; ++i) run_curved(loop_of(particle()));
  }
  EXPECT_LT(staged.hits.size(), plain.hits.size());
}

TEST(CurvedLoop, InTheDetectorsFrameItIsTheFlatLoopOfFullDetail) {
  corsika::ChargedStep step{3e4,   0.3,   0.2,   std::sqrt(1. - 0.13), 1.,   0.9,  1e4,     2e4,
                            1.2e6, 1.9e4, 2.6e4, 1.2e6 - 2.8e4,        1e-6, 2e-6, 5.11e-4, -1.};
  const corsika::ChargedStep before = step;
  CurvedLoop loop{};
  corsika::LastIndex last;
  const corsika::CurvedFrame frame{kEarth_cm, CurvedTable::kPlane_cm, 1., true};
  ASSERT_EQ(corsika::curved_loop_of(step, frame, emission(), last, loop), LightKind::kLinear);
  EXPECT_EQ(step.x_begin, before.x_begin);
  EXPECT_EQ(step.z_end, before.z_end);
  const auto flat = corsika::bunch_loop_of(
      before, {index_of(&step.z_begin), 1. + 2e-4, index_of(&step.z_end)}, emission(), 100000);
  ASSERT_TRUE(flat);
  EXPECT_EQ(loop.step.bunches, flat->step.bunches);
  EXPECT_EQ(loop.step.before.z, flat->step.before.z);
  EXPECT_EQ(loop.step.between.x, flat->step.between.x);
  EXPECT_EQ(loop.step.su, flat->step.su);
  EXPECT_EQ(loop.apparent_before, loop.step.before.z);
  EXPECT_FALSE(loop.stops_at_plane);
  // beta n, which the check's counts use, is that of the ends.
  const double begin = std::sqrt(1. - std::pow(before.mass / before.begin_energy, 2)) *
                       (1. + Atmosphere::refractivity(before.z_begin)),
               end = std::sqrt(1. - std::pow(before.mass / before.end_energy, 2)) *
                     (1. + Atmosphere::refractivity(before.z_end));
  EXPECT_NEAR(loop.step.beta_n, begin, 1e-9);
  EXPECT_NEAR(loop.step.beta_n + loop.step.beta_n_slope * before.length, end, 1e-9);
}

TEST(CurvedLoop, EndsOfTheStepAreChangedAsCerenkChangesThem) {
  const corsika::ChargedStep given{3e4,   0.8,     0.1,    0.59,          1.,   0.9,  -6e6,    3e5,
                                   1.2e6, -5.97e6, 3.03e5, 1.2e6 - 1.7e4, 1e-6, 2e-6, 5.11e-4, -1.};
  const double earth = std::cos(std::hypot(given.x_begin, given.y_begin) / kEarth_cm);
  CurvedLoop loop{};
  corsika::LastIndex last;
  auto step = given;
  ASSERT_EQ(corsika::curved_loop_of(step, {kEarth_cm, CurvedTable::kPlane_cm, earth, false}, emission(), last,
                                    loop),
            LightKind::kLinear);
  // Apparent heights are lower, by the Earth's curvature; arcs become lengths on the plane.
  EXPECT_NEAR(loop.apparent_before, given.z_begin - 6e6 * 6e6 / (2. * kEarth_cm), 3e3);
  EXPECT_NEAR(step.x_begin, given.x_begin, 3e4);
  EXPECT_NE(step.x_begin, given.x_begin);
  // Where CERENK returns before, nothing is changed.
  step = given;
  EXPECT_EQ(
      corsika::curved_loop_of(step, {kEarth_cm, CurvedTable::kPlane_cm, 0.5, false}, emission(), last, loop),
      LightKind::kNone);
  EXPECT_EQ(step.x_begin, given.x_begin);
  step.w = -0.1;
  EXPECT_EQ(corsika::curved_loop_of(step, {kEarth_cm, CurvedTable::kPlane_cm, earth, false}, emission(), last,
                                    loop),
            LightKind::kNone);
}

}  // namespace
