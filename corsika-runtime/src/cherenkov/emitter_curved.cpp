// Steps of builds with option CURVED. Compiled with -ffp-contract=off, as emitter.cpp.
#include <numeric>

#include "corsika_runtime/cherenkov/emitter.hpp"

namespace cherenkov::corsika {

bool Emitter::find_curved_bunches(const CurvedLoop& loop, const Emission& emission, double plane_height) {
  const Step& step = loop.step;
  auto n = static_cast<std::size_t>(step.bunches);
  lit_.begin(n);
  lit_.find_places(step);
  double apparent = loop.apparent_before;
  for (std::size_t k = 0; k < n; ++k) lit_.apparent[k] = apparent += loop.apparent_between;
  // The step begins above the plane (curved_loop_of()), and heights rise or fall. So all bunches are above if
  // the last one is.
  if (loop.stops_at_plane && !(apparent > plane_height))
    n = static_cast<std::size_t>(std::find_if(lit_.apparent.begin(), lit_.apparent.begin() + step.bunches,
                                              [&](double at) { return at <= plane_height; }) -
                                 lit_.apparent.begin());
  // A coordinate that is not finite stays so from bunch to bunch.
  const double x = step.before.x + step.bunches * step.between.x;
  const double y = step.before.y + step.bunches * step.between.y;
  if (n > 0 && !std::isfinite(x + y + lit_.apparent[n - 1])) return false;
  // So that the padding is as the last bunch.
  const auto pad = [&](std::vector<double>& row) {
    std::fill_n(row.data() + n, kMostLanes, row[n == 0 ? 0 : n - 1]);
  };
  pad(lit_.path);
  pad(lit_.height);
  if (emission.air != nullptr)
    emission.air->find_indices(emission, {loop.index_height, loop.index_excess}, lit_.height.data(), n,
                               lit_.index.data());
  else
    for (std::size_t k = 0; k < n; ++k) lit_.index[k] = refractive_index(emission, lit_.height[k]);
  pad(lit_.index);
  range_ = bunch_light({loop.mass, loop.energy, loop.energy_slope, step.photons_per_sin2, step.weight},
                       lit_.path.data(), lit_.index.data(), n, lit_.beta_n.data(), lit_.cosine.data(),
                       lit_.sine2.data(), lit_.photons.data());
  if (range_.all_lit) {
    lit_.count = n;
    std::iota(lit_.number.begin(), lit_.number.begin() + static_cast<std::ptrdiff_t>(n), 0);
  }
  for (std::size_t k = lit_.count; k < n; ++k) {
    if (lit_.is_dark(k)) continue;
    if (!std::isfinite(lit_.sine2[k])) return false;
    lit_.keep(k, static_cast<int>(k));
  }
  has_gaps_ = lit_.count != n;
  if (has_gaps_) range_ = lit_.range();
  range_.all_lit = lit_.count == static_cast<std::size_t>(step.bunches);
  lit_.end();
  return true;
}

bool Emitter::arrive_curved(Bunch& b, const ObservationContext& context) const {
  const CurvedLight& light = *context.curved;
  const Plane plane = event_.plane_of(context);
  const double u2 = b.u, v2 = b.v;
  b.w = std::min(1., b.w);
  const double across = std::sqrt(u2 * u2 + v2 * v2);
  const double away = light.distance(&b.w, &b.height);
  const double x2 = across > 0. ? b.x + away / across * u2 : b.x;
  const double y2 = across > 0. ? b.y + away / across * v2 : b.y;
  b.x = x2 * plane.cos_turn + y2 * plane.sin_turn;
  b.y = y2 * plane.cos_turn - x2 * plane.sin_turn;
  // Written so that a value that is not a number is followed.
  const double from_x = b.x - plane.x_impact, from_y = b.y - plane.y_impact;
  if (std::isfinite(from_x + from_y) && !event_.ground().reachable(from_x, from_y)) return false;
  b.u = u2 * plane.cos_turn + v2 * plane.sin_turn;
  b.v = v2 * plane.cos_turn - u2 * plane.sin_turn;
  b.time = b.time * 1e9 + light.time(&b.w, &b.height);
  return true;
}

bool Emitter::emit(const CurvedLoop& loop, const Emission& emission, const ObservationContext& context) {
  const int n = loop.step.bunches;
  if (n == 0) return true;
  constexpr int kMost = 16384;
  // CERENK draws by another rule where a step of more bunches has some that emit nothing.
  if (!(n > 0 && n <= kMost && event_.prepare(context) &&
        find_curved_bunches(loop, emission, context.plane.height) && (range_.all_lit || n <= kMaxBunches)))
    return leave(kUnbounded);
  const Step step = loop.apparent();
  const LitStep here{step, context, loop.half()};
  CurvedBound bound{};
  bool is_near = true;
  // What the bound computes is finite, for beta n is above 1 here: it raises nothing that gfortran would
  // report or trap.
  if (lit_.count > 0) {
    const auto [low, high] = std::minmax(lit_.apparent[0], lit_.apparent[lit_.count - 1]);
    is_near = event_.may_see(step, {range_.least, range_.most, low, high}, context, bound);
  }
  irrevocably(context, [&] {
    count_step(lit_.count);
    counts_.near_telescopes += is_near ? 1U : 0U;
    if (!is_near) {
      step_over_azimuths(n);
      return add_sums(here);
    }
    draw_azimuths(n);
    if (!(bound.is_bounded && bound.error <= kCurvedMargin_cm && !has_gaps_)) return add_one_by_one(here);
    add_sums(here);
    // Straight lines, in a plane that is shifted the other way.
    Plane plane = event_.plane_of(context);
    plane.x_impact -= bound.shift_x;
    plane.y_impact -= bound.shift_y;
    BunchPlaces places(step.before, step.between);
    const int count = static_cast<int>(lit_.count);
    for (int done = 0; done < count; done += kMaxBunches)
      choose(here, done, std::min(count - done, kMaxBunches), static_cast<std::size_t>(done), plane, 0.,
             event_.wide_ground(), {kSqrt2 * bound.error, bound.tilt}, places);
  });
  return true;
}

}  // namespace cherenkov::corsika
