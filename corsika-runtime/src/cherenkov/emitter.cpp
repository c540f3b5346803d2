// The loop over the bunches of a step. Compiled with -ffp-contract=off, and each operation in
// CERENK's order: every bunch that is not skipped, and every sum, must come out with the same bits.
#include "corsika_runtime/cherenkov/emitter.hpp"

#include "cherenkov/bunch_light.hpp"

namespace cherenkov::corsika {

void Emitter::left_to_corsika() {
  event_.look();
  ++counts_.left_to_corsika;
}

bool Emitter::leave(const char* why) {
  why_left_ = why;
  left_to_corsika();
  return false;
}

void Emitter::skip(double photons) {
  ++counts_.skipped;
  *target_.photons += photons;
  *target_.bunches += 1.;
  event_.look();
}

void Emitter::draw_azimuths(int bunches) {
  for (int done = 0; done < bunches; done += kMaxBunches)
    target_.numbers->draw(lit_.azimuth.data() + done, std::min(bunches, kMaxBunches));
}

Bunch Emitter::bunch_of(const LitStep& here, const Step::Point& at, const BunchLight& light) const {
  const auto& [step, context, half] = here;
  const LightDirection to = light_direction(step, light.cosine, light.sine2, light.azimuth * context.two_pi);
  if (context.curved) return {light.photons, at.x, at.y, to.u, to.v, to.w, at.z, at.time, light.wavelength};
  const Plane& plane = context.plane;
  const double w = std::min(1., to.w);
  const double away = (at.z - plane.height) / w;
  const double x2 = at.x + away * to.u - plane.x0;
  const double y2 = at.y + away * to.v - plane.y0;
  Bunch bunch{light.photons,
              x2 * plane.cos_turn + y2 * plane.sin_turn,
              y2 * plane.cos_turn - x2 * plane.sin_turn,
              to.u * plane.cos_turn + to.v * plane.sin_turn,
              to.v * plane.cos_turn - to.u * plane.sin_turn,
              w,
              at.z,
              at.time * 1e9,
              light.wavelength};
  bunch.way.away = away;
  if (const auto& straight = context.straight)
    bunch.way = {straight->begin, straight->end, straight->length, step.bunches, at.path, at.time, away};
  return bunch;
}

double UnrefractedTiming::arrival(const Way& way, double height, double w) const {
  double depth = 0.;
  if (way.bunches > 3) {
    double from_height = way.begin;
    double to_height = way.end;
    const double from = std::max(1e-3, depth_of(&from_height));
    depth = from * std::exp(std::log(depth_of(&to_height) / from) / way.length * way.path);
  } else {
    depth = depth_of(&height);
  }
  return (way.time + (index_per_density * (depth_at_plane - depth) / w + way.away) / light_speed) * 1e9;
}

void Emitter::arrive(const Bunch& emitted, const ObservationContext& context) {
  Bunch b = emitted;
  if (context.curved) {
    if (!arrive_curved(b, context)) return;
  } else if (context.straight) {
    b.time = context.straight->arrival(b.way, b.height, b.w);
  } else {
    routines_.refract(&b.height, &b.u, &b.v, &b.w, &b.x, &b.y, &b.time);
  }
  ++counts_.traced;
  Arrival arrival{
      b.photons, 1., b.x, b.y, b.u, b.v, b.time, b.height, context.grid ? b.way.away : b.wavelength};
  target_.collect(arrival);
}

int Emitter::only_bin(const LitStep& here, int first_place, int last_place) {
  const auto& [step, context, half] = here;
  const LightEnds ends = light_ends(step, half, first_place, last_place);
  if (context.curved) {
    const double radius = context.curved->earth_radius;
    return context.profile.only_curved_bin(ends.from, ends.to, ends.slack(radius), radius,
                                           event_.curved_bins());
  }
  const int bin = context.profile.only_bin(ends.from, ends.to, likely_bin_);
  if (bin != 0) likely_bin_ = bin;
  return bin;
}

void Emitter::add_to_bins(const LitStep& here, const Step::Point& at, double photons) const {
  const auto& [step, context, half] = here;
  if (context.curved)
    context.profile.add_curved(at, half, photons, context.curved->earth_radius, routines_.thickness);
  else
    context.profile.add(at, half, photons, routines_.thickness);
}

void Emitter::fill_bins(const LitStep& here, BunchPlaces& places, std::size_t first, std::size_t count) {
  const double* photons = lit_.photons.data() + first;
  if (const int bin = only_bin(here, lit_.number[first], lit_.number[first + count - 1]); bin != 0) {
    double& sum = here.context.profile.photons[bin];
    sum = running_sum(sum, photons, static_cast<int>(count));
  } else if (count == 1) {
    add_to_bins(here, places.go_to(lit_.number[first]), *photons);
  } else {
    fill_bins(here, places, first, count / 2);
    fill_bins(here, places, first + count / 2, count - count / 2);
  }
}

void Emitter::add_sums(const LitStep& here) {
  BunchPlaces places(here.step.before, here.step.between);
  if (here.context.fill_profile && lit_.count > 0) fill_bins(here, places, 0, lit_.count);
  if (here.context.grid) return;
  *target_.photons = running_sum(*target_.photons, lit_.photons.data(), static_cast<int>(lit_.count));
  *target_.bunches += static_cast<double>(lit_.count);
}

void Emitter::add_one_by_one(const LitStep& here) {
  const ObservationContext& context = here.context;
  BunchPlaces places(here.step.before, here.step.between);
  const bool fills = context.fill_profile && lit_.count > 0;
  const int bin = fills ? only_bin(here, lit_.number[0], lit_.number[lit_.count - 1]) : 0;
  for (std::size_t k = 0; k < lit_.count; ++k) {
    const Step::Point& at = places.go_to(lit_.number[k]);
    const Bunch bunch = bunch_of(here, at, lit_[k]);
    if (bunch.w < context.cut_w) continue;
    if (bin != 0)
      context.profile.photons[bin] += bunch.photons;
    else if (fills)
      add_to_bins(here, at, bunch.photons);
    const auto& grid = context.grid;
    if (grid && !is_counted(*grid, bunch.x, bunch.y)) continue;
    counted(context) += bunch.photons;
    if (!grid) *target_.bunches += 1.;
    if (grid ? !is_hit(*grid, bunch.x, bunch.y) : !context.curved && event_.cannot_hit(bunch))
      ++counts_.skipped;
    else
      bunches_to_follow().push_back(bunch);
  }
}

void Emitter::choose(const LitStep& here, int first, int n, std::size_t row, const Plane& plane,
                     double refraction_k, const FootprintMap& ground, const LineUncertainty& uncertainty,
                     BunchPlaces& places) {
  int chosen[kMaxBunches];
  const Spheres& spheres = event_.spheres();
  const auto& grid = here.context.grid;
  const SphereFilter filter{grid || spheres.size() > kMaxFilteredSpheres ? nullptr : &spheres, uncertainty,
                            grid ? &*grid : nullptr};
  const int count = cherenkov::choose(here.step, first, n, lit_.yields(row), lit_.azimuth.data() + row, plane,
                                      refraction_k, ground, chosen, filter);
  for (int c = 0; c < count; ++c) {
    const auto k = row + static_cast<std::size_t>(chosen[c]);
    const Bunch bunch = bunch_of(here, places.go_to(first + chosen[c]), lit_[k]);
    if (grid && !is_counted(*grid, bunch.x, bunch.y))
      lit_.photons[k] = 0.;
    else if (!grid || is_hit(*grid, bunch.x, bunch.y))
      bunches_to_follow().push_back(bunch);
  }
  if (!grid) return;
  double& sum = counted(here.context);
  sum = running_sum(sum, lit_.photons.data() + row, n);
}

bool Emitter::emit(const LightOption& option, const Emission& emission, const ObservationContext& context) {
  if (const char* why = option.why_left(emission, context, lit_); why != nullptr) return leave(why);
  if (!event_.prepare(context)) return leave(kUnbounded);
  const auto& curved = option.curved();
  const Step step = curved ? curved->apparent() : option.loop().step;
  const LitStep here{step, context, curved ? curved->half() : half_of(step.between)};
  irrevocably(context, [&] {
    option.draw(emission, context, *target_.numbers, lit_);
    count_step(lit_.count);
    lit_.end();
    const BetaRange range = lit_.range();
    bool is_bounded = false, is_near = lit_.count != 0;
    if (is_near && curved) {
      constexpr double kRounding_cm = 1.;  // of CERENK's running sums
      const auto [low, high] = std::minmax({step.before.z + step.between.z - kRounding_cm,
                                            step.before.z + step.bunches * step.between.z - kRounding_cm});
      CurvedBound bound{};
      is_near =
          event_.may_see(step, {range.least, range.most, low, high + 2. * kRounding_cm}, context, bound);
      is_bounded = bound.is_bounded;
    } else if (is_near && step.sw < 0.) {
      const auto bound = step_bound_of(step, range.least, range.most, event_.plane_of(context), context.cut_w,
                                       event_.refraction());
      is_bounded = bound.has_value();
      is_near = !is_bounded || event_.may_see(*bound);
    }
    // A bound holds only where no light is below C(29), so add_sums() need not look.
    if (!is_near) return add_sums(here);
    counts_.each_bunch += is_bounded ? 0U : 1U;
    ++counts_.near_telescopes;
    option.set_wavelengths(lit_);
    add_one_by_one(here);
  });
  return true;
}

}  // namespace cherenkov::corsika
