// Steps of builds with option CURVED. Compiled with -ffp-contract=off, as stage.cpp.
#include <algorithm>
#include <cmath>

#include "cherenkov/bunch_lanes.hpp"
#include "cherenkov/running_sum.hpp"
#include "corsika_runtime/cherenkov/exponential_air.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "curved_bound.hpp"
#include "kept_floating_point_state.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {
namespace {

constexpr int kMostCurvedBunches = 16384;  // of a step; longer ones are left to CORSIKA
constexpr std::size_t kPadding = 8;        // behind the bunches, for lanes
static_assert(kPadding >= kMostLanes);

// Half of the way from one bunch to the next, as CERLDE has it.
Step::Point half_of(const CurvedLoop& loop) {
  return {0., 0.5 * loop.step.between.x, 0.5 * loop.step.between.y, loop.half_z, 0.};
}

}  // namespace

bool Stage::find_curved_arrival(const ObservationContext& context) {
  if (curved_arrival_ && curved_arrival_->plane_height() == context.plane.height) return true;
  const KeptFloatingPointState kept;
  try {
    curved_arrival_ = CurvedArrival::measured(context.plane.height, context.curved->distance);
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
  // The step begins above the plane (curved_loop_of()), and heights rise or fall. So all bunches are above if
  // the last one is.
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

int Stage::only_curved_bin(const CurvedLoop& loop, const ObservationContext& context, int first, int count) {
  const auto at = [&](int bunch) {
    return BunchPlace{curved_.number_of(bunch), curved_.apparent[static_cast<std::size_t>(bunch)]};
  };
  const LightEnds ends = light_ends(loop, at(first), at(first + count - 1), context.curved->earth_radius);
  return context.profile.only_curved_bin(ends.from, ends.to, ends.slack, context.curved->earth_radius,
                                         routines_.thickness, curved_bins_);
}

void Stage::fill_curved(const CurvedLoop& loop, const ObservationContext& context, int first, int count) {
  const double* photons = curved_.photons.data() + first;
  if (const int bin = only_curved_bin(loop, context, first, count); bin != 0) {
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
                                      context.curved->earth_radius, routines_.thickness);
  fill_curved(loop, context, first, count / 2);
  fill_curved(loop, context, first + count / 2, count - count / 2);
}

CurvedBound Stage::bound_of(const CurvedLoop& loop, const ObservationContext& context) const {
  if (curved_.count == 0) return {};
  return curved_bound_of(loop, {curved_.least, curved_.most, curved_.lowest(), curved_.highest()},
                         plane_of(context), context.cut_w, spheres_.top(), curved_arrival_->view());
}

void Stage::add_curved_sums(const CurvedLoop& loop, const ObservationContext& context) {
  if (context.fill_profile && curved_.count > 0) fill_curved(loop, context, 0, curved_.count);
  *photons_ = running_sum(*photons_, curved_.photons.data(), curved_.count);
  *bunches_ += curved_.count;
}

void Stage::emit_unseen(const CurvedLoop& loop, const ObservationContext& context) {
  step_over_azimuths(loop.step.bunches);
  add_curved_sums(loop, context);
}

Bunch Stage::curved_bunch(const Step& step, std::size_t k, double azimuth, double two_pi) const {
  const double phi = azimuth * two_pi;
  const double sin_theta = std::sqrt(curved_.sine2[k]), cos_theta = curved_.cosine[k];
  const double x_turn = sin_theta * std::cos(phi), y_turn = sin_theta * std::sin(phi);
  const Step::Point& at = curved_.at[k];
  return {curved_.photons[k],
          at.x,
          at.y,
          step.cu * x_turn + step.su * y_turn + step.u0 * cos_theta,
          step.cv * x_turn + step.sv * y_turn + step.v0 * cos_theta,
          step.sw * y_turn + step.w0 * cos_theta,
          at.z,
          at.time};
}

bool Stage::arrive_curved(Bunch& b, const ObservationContext& context) const {
  const CurvedLight& light = *context.curved;
  const Plane& plane = context.plane;
  const double u2 = b.u, v2 = b.v;
  b.w = std::min(1., b.w);
  const double across = std::sqrt(u2 * u2 + v2 * v2);
  const double away = light.distance(&b.w, &b.height);
  const double x2 = across > 0. ? b.x + away / across * u2 : b.x;
  const double y2 = across > 0. ? b.y + away / across * v2 : b.y;
  b.x = x2 * plane.cos_turn + y2 * plane.sin_turn;
  b.y = y2 * plane.cos_turn - x2 * plane.sin_turn;
  // Written so that a value that is not a number is followed.
  const double from_x = b.x - impact_[0], from_y = b.y - impact_[1];
  if (std::isfinite(from_x + from_y) && !ground_.reachable(from_x, from_y)) return false;
  b.u = u2 * plane.cos_turn + v2 * plane.sin_turn;
  b.v = v2 * plane.cos_turn - u2 * plane.sin_turn;
  b.time = b.time * 1e9 + light.time(&b.w, &b.height);
  return true;
}

void Stage::emit_chosen(const CurvedLoop& loop, const ObservationContext& context, const CurvedBound& bound) {
  if (!wide_ground_is_known_) {
    wide_ground_ = FootprintMap(footprints_, kCurvedMargin_cm);
    wide_ground_is_known_ = true;
  }
  // Straight lines, at apparent heights, in a plane that is shifted the other way.
  Step apparent = loop.step;
  apparent.before.z = loop.apparent_before;
  apparent.between.z = loop.apparent_between;
  Plane plane = plane_of(context);
  plane.x_impact -= bound.shift_x;
  plane.y_impact -= bound.shift_y;
  const SphereFilter filter{spheres_.size() > kMaxFilteredSpheres ? nullptr : &spheres_,
                            {kSqrt2 * bound.error, bound.tilt}};
  const int drawn_at_once = std::min(loop.step.bunches, kMaxBunches);
  const auto copied = [](const std::vector<double>& from, int first, double* to) {
    const std::size_t last = std::min(from.size() - static_cast<std::size_t>(first),
                                      static_cast<std::size_t>(kMaxBunches) + kPadding);
    std::copy_n(from.data() + first, last, to);
  };
  const double photons = *photons_, bunches = *bunches_;
  for (int done = 0; done < curved_.count; done += kMaxBunches) {
    numbers_->draw(azimuth_, drawn_at_once);
    const int here = std::min(curved_.count - done, kMaxBunches);
    copied(curved_.cosine, done, light_.cos_theta);
    copied(curved_.sine2, done, light_.sin2_theta);
    const int chosen =
        choose(apparent, done, here, light_, azimuth_, plane, 0., wide_ground_, candidates_, filter);
    if (chosen > 0) curved_.find_points(loop.step);
    for (int c = 0; c < chosen; ++c) {
      const int i = candidates_[c];
      follow(curved_bunch(loop.step, static_cast<std::size_t>(done) + static_cast<std::size_t>(i),
                          azimuth_[i], context.two_pi),
             context);
    }
  }
  *photons_ = photons;
  *bunches_ = bunches;
  add_curved_sums(loop, context);
}

void Stage::emit_each(const CurvedLoop& loop, const ObservationContext& context) {
  const Step& step = loop.step;
  curved_.find_points(step);
  const Step::Point half = half_of(loop);
  const bool fills = context.fill_profile && curved_.count > 0;
  const int only_bin = fills ? only_curved_bin(loop, context, 0, curved_.count) : 0;
  const int drawn_at_once = std::min(step.bunches, kMaxBunches);
  double total = *photons_, bunches = *bunches_;
  numbers_->draw(azimuth_, drawn_at_once);  // though no bunch is lit
  int azimuths = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(curved_.count); ++k) {
    if (azimuths == kMaxBunches) {
      numbers_->draw(azimuth_, drawn_at_once);
      azimuths = 0;
    }
    const Bunch emitted = curved_bunch(step, k, azimuth_[azimuths++], context.two_pi);
    if (emitted.w < context.cut_w) continue;
    if (only_bin != 0)
      context.profile.photons[only_bin] += emitted.photons;
    else if (fills)
      context.profile.add_curved(curved_.at[k], half, emitted.photons, context.curved->earth_radius,
                                 routines_.thickness);
    total += emitted.photons;
    bunches += 1.;
    follow(emitted, context);
  }
  *photons_ = total;
  *bunches_ = bunches;
}

bool Stage::emit(const CurvedLoop& loop, const Emission& emission, const ObservationContext& context) {
  if (loop.step.bunches == 0) return true;
  detect_new_event();
  const bool possible =
      loop.step.bunches > 0 && loop.step.bunches <= kMostCurvedBunches && prepare(context) &&
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
  const CurvedBound bound = bound_of(loop, context);
  const bool touches =
      !bound.is_bounded || spheres_.touched_by(bound.ring, curved_.lowest() - context.plane.height);
  ++counts_.steps;
  counts_.bunches += static_cast<std::uint64_t>(curved_.count);
  counts_.rings += touches ? 1U : 0U;
  irrevocably([&] {
    if (!touches)
      emit_unseen(loop, context);
    else if (bound.is_bounded && bound.error <= kCurvedMargin_cm && !curved_.some_unlit)
      emit_chosen(loop, context, bound);
    else
      emit_each(loop, context);
  });
  bunches_seen_ = *bunches_;
  return true;
}

}  // namespace cherenkov::corsika
