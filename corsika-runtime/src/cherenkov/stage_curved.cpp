// Steps of builds with option CURVED. Compiled with -ffp-contract=off, as stage.cpp.
#include <algorithm>
#include <cmath>

#include "arrival_shift.hpp"
#include "cherenkov/running_sum.hpp"
#include "corsika_runtime/cherenkov/exponential_air.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "curved_lanes.hpp"
#include "kept_floating_point_state.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {
namespace {

constexpr int kMostCurvedBunches = 16384;  // of a step; longer ones are left to CORSIKA
constexpr std::size_t kPadding = 8;        // behind the bunches, for lanes
static_assert(kPadding >= kCurvedLanes);

// How far the distance along the shower's axis may be outside of those at both ends of a straight line, cm.
// The map from the line to the axis's frame has second derivatives of at most 3/R, so between its ends, L
// apart, a coordinate is within L^2/8 of that times the straight line.
double sag(const Step::Point& from, const Step::Point& to, double earth_radius) {
  const double x = to.x - from.x, y = to.y - from.y, z = to.z - from.z;
  return 3. / (8. * earth_radius) * (x * x + y * y + z * z);
}

// Half of the way from one bunch to the next, as CERLDE has it.
Step::Point half_of(const CurvedLoop& loop) {
  return {0., 0.5 * loop.step.between.x, 0.5 * loop.step.between.y, loop.half_z, 0.};
}

// The cosine of the light's zenith angle at least and at most, and the cone's other bounds.
struct CurvedCone {
  ConeBounds bounds;
  double max_w;
  double sine;  // of the particle's zenith angle
};

CurvedCone curved_cone_of(const Step& step, double least_beta_n, double most_beta_n) {
  const double min_tan = std::sqrt((least_beta_n - 1.) * (least_beta_n + 1.));
  const double max_tan = std::sqrt((most_beta_n - 1.) * (most_beta_n + 1.));
  const double sine = -step.sw;
  return {{step.w0 * (2. - most_beta_n) - sine * max_tan, min_tan, max_tan, most_beta_n,
           1. - (step.u0 * step.u0 + step.v0 * step.v0 + step.w0 * step.w0)},
          std::min(1., step.w0 + sine * max_tan),
          sine};
}

}  // namespace

bool Stage::prepare_curved(const CurvedLight& light, const ObservationContext& context) {
  if (!prepare_event(context.plane.height, true)) return false;
  if (curved_arrival_ && curved_arrival_->plane_height() == context.plane.height) return true;
  const KeptFloatingPointState kept;
  try {
    curved_arrival_ = CurvedArrival::measured(context.plane.height, light.distance);
  } catch (const std::exception& e) {
    disable(e.what());
  }
  return disabled_reason_.empty();
}

void Stage::CurvedBunches::make_room(std::size_t n) {
  if (path.size() >= n + kPadding) return;
  for (auto* one : {&path, &height, &apparent, &index, &beta_n, &cosine, &sine2, &photons})
    one->resize(n + kPadding);
  at.resize(n);
  number.resize(n);
}

bool Stage::CurvedBunches::keep_lit(std::size_t n) {
  std::size_t lit = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (cosine[k] > 1. || sine2[k] <= 0.) continue;
    if (!std::isfinite(sine2[k])) return false;
    number[lit] = static_cast<int>(k);
    apparent[lit] = apparent[k];
    beta_n[lit] = beta_n[k];
    cosine[lit] = cosine[k];
    sine2[lit] = sine2[k];
    photons[lit] = photons[k];
    ++lit;
  }
  some_unlit = lit != n;
  all_lit = all_lit && lit == n;
  count = static_cast<int>(lit);
  least = HUGE_VAL;
  most = 0.;
  for (std::size_t k = 0; k < lit; ++k) {
    least = std::min(least, beta_n[k]);
    most = std::max(most, beta_n[k]);
  }
  return true;
}

void Stage::CurvedBunches::find_points(const Step& step) {
  if (points_known) return;
  points_known = true;
  Step::Point point = step.before;
  int sums = 0;
  for (int k = 0; k < count; ++k) {
    for (; sums <= number_of(k); ++sums) point = next_point(point, step.between);
    const auto i = static_cast<std::size_t>(k);
    at[i] = {point.path, point.x, point.y, apparent[i], point.time};
  }
}

bool Stage::find_curved_bunches(const CurvedLoop& loop, const Emission& emission, double plane_height) {
  const Step& step = loop.step;
  CurvedBunches& lit = curved_;
  auto n = static_cast<std::size_t>(step.bunches);
  lit.make_room(n);
  lit.all_lit = true;
  lit.some_unlit = lit.points_known = false;
  double path = step.before.path, height = step.before.z, apparent = loop.apparent_before;
  for (std::size_t k = 0; k < n; ++k) {
    lit.path[k] = path += step.between.path;
    lit.height[k] = height += step.between.z;
    lit.apparent[k] = apparent += loop.apparent_between;
  }
  // Heights rise or fall, so that all are above the plane if the last one is.
  if (loop.stops_at_plane && !(apparent > plane_height)) {
    n = static_cast<std::size_t>(std::find_if(lit.apparent.begin(), lit.apparent.begin() + step.bunches,
                                              [&](double at) { return at <= plane_height; }) -
                                 lit.apparent.begin());
    lit.all_lit = n == static_cast<std::size_t>(step.bunches);
  }
  // A coordinate that is not finite stays so from bunch to bunch.
  const double x = step.before.x + step.bunches * step.between.x;
  const double y = step.before.y + step.bunches * step.between.y;
  if (n > 0 && !std::isfinite(x + y + lit.apparent[n - 1])) return false;
  const std::size_t last = n == 0 ? 0 : n - 1;
  std::fill_n(lit.path.data() + n, kPadding, lit.path[last]);
  std::fill_n(lit.height.data() + n, kPadding, lit.height[last]);
  if (emission.air != nullptr)
    emission.air->find_indices(emission, {loop.index_height, loop.index_excess}, lit.height.data(), n,
                               lit.index.data());
  else
    for (std::size_t k = 0; k < n; ++k) lit.index[k] = refractive_index(emission, lit.height[k]);
  // So that the padding is as the last bunch.
  std::fill_n(lit.index.data() + n, kPadding, lit.index[last]);
  const BetaRange range = bunch_light({loop.mass, loop.energy, loop.energy_slope, step.photons_per_sin2},
                                      lit.path.data(), lit.index.data(), n, lit.beta_n.data(),
                                      lit.cosine.data(), lit.sine2.data(), lit.photons.data());
  lit.count = static_cast<int>(n);
  lit.least = range.least;
  lit.most = range.most;
  if (!range.all_lit && !lit.keep_lit(n)) return false;
  std::fill_n(lit.photons.data() + lit.count, kPadding, 0.);
  return true;
}

// docs/cherenkov-bound.md derives the test.
bool Stage::surely_unseen(const CurvedLoop& loop, const ObservationContext& context) const {
  const auto count = static_cast<std::size_t>(curved_.count);
  if (count == 0 || !(loop.step.sw < 0.)) return false;
  const CurvedCone cone = curved_cone_of(loop.step, curved_.least, curved_.most);
  const ConeBounds& bounds = cone.bounds;
  if (!(bounds.min_w > 0.03 && bounds.min_w > context.cut_w + 1e-6 &&
        bounds.short_of_unit > -kMaxLengthExcess && bounds.short_of_unit < 0.5))
    return false;
  const double one = curved_.apparent[0], other = curved_.apparent[count - 1];
  const double low = std::min(one, other), high = std::max(one, other);
  Plane plane = context.plane;
  plane.x_impact = impact_[0];
  plane.y_impact = impact_[1];
  plane.x0 = plane.y0 = 0.;
  if (!(low > plane.height + spheres_.top())) return false;
  const double airmass = 1. / bounds.min_w;
  // The apparent heights of bunches, in the place of their heights above sea level.
  Step apparent = loop.step;
  apparent.before.z = loop.apparent_before;
  apparent.between.z = loop.apparent_between;
  if (!(rounding(apparent, plane, airmass) < kMaxStepRounding_cm)) return false;
  const auto shift = curved_arrival_->shift(bounds.min_w, cone.max_w, low - 1., high + 1.);
  if (!shift) return false;

  // The shift points along the light's horizontal direction, which is within `turn` of the particle's.
  const double middle = 0.5 * (shift->low + shift->high), half = 0.5 * (shift->high - shift->low);
  const double turn = std::min(2., 2. * bounds.max_tan / cone.sine);
  // A direction that is shorter than 1: the straight line goes by u, v and w, DISTIP by w alone.
  const double shortness = std::max(0., bounds.short_of_unit);
  const double least_sine = cone.sine * (1. - bounds.max_tan * bounds.max_tan) - bounds.max_tan;
  const double difference =
      least_sine > 0. ? std::min(std::sqrt(shortness), shortness / (2. * least_sine)) : std::sqrt(shortness);
  const double slack = half + std::fabs(middle) * turn + (high - plane.height) * airmass * difference +
                       kChooseRounding_cm + kMaxStepRounding_cm;
  const double tilt =
      std::min(1., cone.sine + bounds.max_tan) * airmass * airmass * airmass * shortness + kSlopeRounding;
  Ring ring = ring_of(apparent, plane, bounds, slack, tilt);
  const double across = std::sqrt(ring.u * ring.u + ring.v * ring.v);
  if (!(across > 0.)) return false;
  ring.x += middle * ring.u / across;
  ring.y += middle * ring.v / across;
  return !spheres_.touched_by(ring, low - plane.height);
}

int Stage::only_curved_bin(const CurvedLoop& loop, const CurvedLight& light,
                           const ObservationContext& context, int first, int count) {
  const Step& step = loop.step;
  // half: -1 or 1, of the way from one bunch to the next. The product differs from CERENK's running sum by
  // less than kBinRounding_cm allows for.
  const auto end_at = [&](int bunch, double half) -> Step::Point {
    const double steps = curved_.number_of(bunch) + 1 + 0.5 * half;
    return {0., step.before.x + steps * step.between.x, step.before.y + steps * step.between.y,
            curved_.apparent[static_cast<std::size_t>(bunch)] + half * loop.half_z, 0.};
  };
  const Step::Point from = end_at(first, -1.), to = end_at(first + count - 1, 1.);
  // Bunches overlap, or have gaps, where apparent heights are spaced in another way.
  const double slack =
      sag(from, to, light.earth_radius) + std::fabs(loop.step.between.z - loop.apparent_between);
  return context.profile.only_curved_bin(from, to, slack, light.earth_radius, routines_.thickness,
                                         curved_bins_);
}

void Stage::fill_curved(const CurvedLoop& loop, const CurvedLight& light, const ObservationContext& context,
                        int first, int count) {
  const double* photons = curved_.photons.data() + first;
  if (const int bin = only_curved_bin(loop, light, context, first, count); bin != 0) {
    double& sum = context.profile.photons[bin];
    if (first + count == curved_.count) {
      sum = running_sum(sum, photons, count);
    } else {
      for (int k = 0; k < count; ++k) sum += photons[k];
    }
    return;
  }
  curved_.find_points(loop.step);
  if (count == 1)
    return context.profile.add_curved(curved_.at[static_cast<std::size_t>(first)], half_of(loop), photons[0],
                                      light.earth_radius, routines_.thickness);
  fill_curved(loop, light, context, first, count / 2);
  fill_curved(loop, light, context, first + count / 2, count - count / 2);
}

void Stage::emit_unseen(const CurvedLoop& loop, const CurvedLight& light, const ObservationContext& context) {
  const int n = loop.step.bunches;
  const int drawn_at_once = std::min(n, kMaxBunches);
  int all = (n + kMaxBunches - 1) / kMaxBunches * drawn_at_once;
  if (routines_.step_over != nullptr) {
    routines_.step_over(&all, &kCherenkovSequence);
  } else {
    for (int done = 0; done < all; done += drawn_at_once) {
      int count = drawn_at_once, sequence = kCherenkovSequence;
      routines_.draw(azimuth_, &count, &sequence);
    }
  }
  if (context.fill_profile && curved_.count > 0) fill_curved(loop, light, context, 0, curved_.count);
  *photons_ = running_sum(*photons_, curved_.photons.data(), curved_.count);
  *bunches_ += curved_.count;
}

void Stage::emit_each(const CurvedLoop& loop, const CurvedLight& light, const ObservationContext& context) {
  const Step& step = loop.step;
  curved_.find_points(step);
  const Plane& plane = context.plane;
  const Step::Point half = half_of(loop);
  const bool fills = context.fill_profile && curved_.count > 0;
  const int only_bin = fills ? only_curved_bin(loop, light, context, 0, curved_.count) : 0;
  const int drawn_at_once = std::min(step.bunches, kMaxBunches);
  double total = *photons_, bunches = *bunches_;
  // Drawn for though no bunch is lit.
  int azimuths = 0;
  const auto draw = [&] {
    int count = drawn_at_once, sequence = kCherenkovSequence;
    routines_.draw(azimuth_, &count, &sequence);
    azimuths = 0;
  };
  draw();
  for (std::size_t k = 0; k < static_cast<std::size_t>(curved_.count); ++k) {
    if (azimuths == kMaxBunches) draw();
    const double phi = azimuth_[azimuths++] * context.two_pi;
    const double sin_theta = std::sqrt(curved_.sine2[k]), cos_theta = curved_.cosine[k];
    const double x_turn = sin_theta * std::cos(phi), y_turn = sin_theta * std::sin(phi);
    const double u2 = step.cu * x_turn + step.su * y_turn + step.u0 * cos_theta;
    const double v2 = step.cv * x_turn + step.sv * y_turn + step.v0 * cos_theta;
    double w = step.sw * y_turn + step.w0 * cos_theta;
    if (w < context.cut_w) continue;
    w = std::min(1., w);
    const Step::Point& at = curved_.at[k];
    double height = at.z;
    const double across = std::sqrt(u2 * u2 + v2 * v2);
    const double away = light.distance(&w, &height);
    const double x2 = across > 0. ? at.x + away / across * u2 : at.x;
    const double y2 = across > 0. ? at.y + away / across * v2 : at.y;
    if (only_bin != 0)
      context.profile.photons[only_bin] += curved_.photons[k];
    else if (fills)
      context.profile.add_curved(at, half, curved_.photons[k], light.earth_radius, routines_.thickness);
    total += curved_.photons[k];
    bunches += 1.;
    const double x = x2 * plane.cos_turn + y2 * plane.sin_turn;
    const double y = y2 * plane.cos_turn - x2 * plane.sin_turn;
    // Written so that a value that is not a number is followed.
    const double from_x = x - impact_[0], from_y = y - impact_[1];
    if (std::isfinite(from_x + from_y) && !ground_.reachable(from_x, from_y)) continue;
    ++counts_.traced;
    collect(curved_.photons[k], x, y, u2 * plane.cos_turn + v2 * plane.sin_turn,
            v2 * plane.cos_turn - u2 * plane.sin_turn, at.time * 1e9 + light.time(&w, &height), height);
  }
  *photons_ = total;
  *bunches_ = bunches;
}

bool Stage::emit(const CurvedLoop& loop, const CurvedLight& light, const Emission& emission,
                 const ObservationContext& context) {
  detect_new_event();
  const bool possible =
      loop.step.bunches <= kMostCurvedBunches && prepare_curved(light, context) &&
      find_curved_bunches(loop, emission, context.plane.height) &&
      // CERENK draws by another rule where a step of more bunches has some that emit nothing.
      (curved_.all_lit || loop.step.bunches <= kMaxBunches);
  if (!possible) {
    ++counts_.left_to_corsika;
    bunches_seen_ = *bunches_;
    return false;
  }
  // What it computes is finite, for beta n is above 1 here: it raises nothing that gfortran would report or
  // trap.
  const bool unseen = surely_unseen(loop, context);
  ++counts_.steps;
  counts_.bunches += static_cast<std::uint64_t>(curved_.count);
  counts_.rings += unseen ? 0U : 1U;
  irrevocably([&] {
    if (unseen)
      emit_unseen(loop, light, context);
    else
      emit_each(loop, light, context);
  });
  bunches_seen_ = *bunches_;
  return true;
}

}  // namespace cherenkov::corsika
