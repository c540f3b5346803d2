// Many steps at a time. Compiled with -ffp-contract=off, as stage.cpp.
#include <algorithm>
#include <array>
#include <cmath>

#include "arrival_shift.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "kept_floating_point_state.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {

void Stage::emit(const RecordedSteps& steps, const StepIndices& indices, int count, const Emission& emission,
                 const ObservationContext& context, const std::function<void(int)>& corsika) {
  plan(steps, indices, count, emission, context);
  for (int i = 0; (i = emit_planned(steps, i, count, context)) < count; ++i) corsika(i);
}

bool Stage::prepare(const ObservationContext& context) {
  detect_new_event();
  return prepare_event(context.plane.height, !context.straight) && check_depth_bins(context);
}

Stage::Prepared Stage::prepared(const ObservationContext& context) const {
  Plane plane = context.plane;
  plane.x_impact = impact_[0];
  plane.y_impact = impact_[1];
  return {&spheres_, &*refraction_model_, plane};
}

void Stage::plan(const RecordedSteps& steps, const StepIndices& indices, int count, const Emission& emission,
                 const ObservationContext& context) {
  planned_for_event_ = prepare(context);
  plane_ = context.plane;
  plane_.x_impact = impact_[0];
  plane_.y_impact = impact_[1];
  indices_ = &indices;
  emission_ = emission;
  // Lanes compute for steps what CORSIKA does not, such as bounds of light below threshold.
  const KeptFloatingPointState kept;
  const DepthProfile& profile = context.profile;
  plan_steps(steps, count, indices,
             {emission.cut_w, emission.yield, emission.bunch_size, plane_, profile.along_x, profile.along_y,
              profile.along_z, profile.start},
             plans_);
}

int Stage::emit_planned(const RecordedSteps& steps, int first, int count, ObservationContext context) {
  if (first > 0) detect_new_event();
  for (int i = first; i < count; ++i) {
    const auto light = static_cast<LightKind>(static_cast<int>(plans_.kind[i]));
    if (light == LightKind::kNone) continue;
    if (light == LightKind::kLinear && planned_for_event_ && plans_.bounded[i] != 0. &&
        try_unseen(i, context))
      continue;
    set_step(steps, i, context);
    if (light == LightKind::kLinear) {
      detect_new_event();
      if (try_step(plans_.step(steps, i), context)) {
        bunches_seen_ = *bunches_;
        continue;
      }
    }
    if (try_each_bunch(steps, i, context)) continue;
    left_to_corsika();
    return i;
  }
  return count;
}

// What of `context` is the step's own.
void Stage::set_step(const RecordedSteps& steps, int i, ObservationContext& context) const {
  context.sin_particle = plans_.sine[i];
  set_straight(steps, i, context);
}

void Stage::set_straight(const RecordedSteps& steps, int i, ObservationContext& context) {
  if (!context.straight) return;
  context.straight->begin = steps.z_begin[i];
  context.straight->end = steps.z_end[i];
  context.straight->length = steps.length[i];
}

void IndexFinder::find(const RecordedSteps& steps, int count, const Emission& emission,
                       StepIndices& indices) {
  for (int i = 0; i < count; ++i) {
    const double begin = steps.z_begin[i];
    const double end = steps.z_end[i];
    indices.begin[i] = begin == last_height_ ? last_index_ : refractive_index(emission, begin);
    indices.end[i] = refractive_index(emission, end);
    indices.middle[i] = refractive_index(emission, 0.5 * (begin + end));
    last_height_ = end;
    last_index_ = indices.end[i];
  }
}

bool Stage::try_each_bunch(const RecordedSteps& steps, int i, const ObservationContext& context) {
  if (!planned_for_event_ || !(steps.w[i] > 0.)) return false;
  const auto loop = bunch_loop_of(steps.step(i), {indices_->begin[i], indices_->middle[i], indices_->end[i]},
                                  emission_, kMaxBunches);
  if (!loop) return false;
  // Nothing is drawn before all is known to be a number.
  const Step& step = loop->step;
  struct Lit {
    Step::Point at;
    BunchYield light;
  };
  std::array<Lit, kMaxBunches> lit;
  int count = 0;
  Step::Point at = step.before;
  for (int k = 0; k < step.bunches; ++k) {
    at = next_point(at, step.between);
    const double cosine = 1. / loop->beta_n(at, emission_);
    const double sine2 = (1. - cosine) * (1. + cosine);
    if (cosine > 1. || sine2 <= 0.) continue;  // below threshold
    if (!std::isfinite(sine2 + at.x + at.y + at.z)) return false;
    lit[static_cast<std::size_t>(count++)] = {at, {cosine, sine2, step.photons_per_sin2 * sine2}};
  }
  irrevocably([&] {
    int drawn = step.bunches, sequence = kCherenkovSequence;
    routines_.draw(azimuth_, &drawn, &sequence);
    double total = *photons_, bunches = *bunches_;
    const Step::Point half{0.5 * step.between.path, 0.5 * step.between.x, 0.5 * step.between.y,
                           0.5 * step.between.z, 0.};
    for (int k = 0; k < count; ++k) {
      const auto& [from, light] = lit[static_cast<std::size_t>(k)];
      double away = 0.;
      const Bunch bunch = bunch_of(step, from, light, azimuth_[k], context, away);
      if (bunch.w < context.cut_w) continue;
      if (context.fill_profile) context.profile.add(from, half, light.photons, routines_.thickness);
      total += light.photons;
      bunches += 1.;
      if (cannot_hit(bunch))
        ++counts_.skipped;
      else
        follow_emitted(bunch, step, from, away, context);
    }
    *photons_ = total;
    *bunches_ = bunches;
    bunches_seen_ = bunches;
    ++counts_.steps;
    ++counts_.each_bunch;
    counts_.bunches += static_cast<std::uint64_t>(count);
  });
  return true;
}

void Stage::follow(const Bunch& bunch, double wavelength) {
  ++counts_.traced;
  Bunch b = bunch;
  routines_.refract(&b.height, &b.u, &b.v, &b.w, &b.x, &b.y, &b.time);
  collect(b.photons, b.x, b.y, b.u, b.v, b.time, b.height, wavelength);
}

void Stage::add_unseen(int n, double total, int bin, double in_bin, const ObservationContext& context) {
  irrevocably([&] {
    const int all = azimuths_drawn(n);
    routines_.step_over(&all, &kCherenkovSequence);
  });
  if (bin != 0) context.profile.photons[bin] = in_bin;
  *photons_ = total;
  count_unseen(1, static_cast<std::uint64_t>(n));
}

void Stage::count_unseen(std::uint64_t steps, std::uint64_t bunches) {
  *bunches_ += static_cast<double>(bunches);
  bunches_seen_ = *bunches_;
  counts_.steps += steps;
  counts_.bunches += bunches;
}

bool Stage::try_unseen(int i, const ObservationContext& context) {
  const StepPlans& p = plans_;
  if (routines_.step_over == nullptr || context.profile.kind != DepthProfile::Kind::kSlant) return false;
  const double bottom = std::min(p.begin_height[i], p.end_height[i]);
  if (!(bottom > plane_.height + spheres_.top())) return false;

  // As StepRefraction: how far refraction moves and turns the light.
  const double airmass2 = p.airmass[i] * p.airmass[i];
  const double spread = 0.75 * std::max(0., p.short_of_unit[i]) * airmass2;
  const double relative = spread + RefractionModel::relative_error(p.airmass[i]);
  const RefractionModel::RefractionRange range =
      refraction_model_->between(p.begin_height[i], p.end_height[i]);
  const double error =
      p.max_shift_per_k[i] * (std::fabs(range.k) * relative + range.error * (1. + relative)) +
      kChooseRounding_cm + kMaxStepRounding_cm;
  if (!(error <= kFootprintMargin_cm)) return false;
  const double tilt =
      p.max_shift_per_k[i] * (RefractionModel::kMaxSlopeChange + std::fabs(p.short_of_unit[i])) +
      kSlopeRounding;
  const Ring ring{p.ring_x[i],
                  p.ring_y[i],
                  p.ring_height[i],
                  p.ring_u[i],
                  p.ring_v[i],
                  p.ring_w[i],
                  p.tan_theta[i],
                  p.secant[i],
                  p.slack[i] + error + std::fabs(range.k * (1. - spread)) * p.max_shift_per_k[i],
                  p.slack_per_cm[i],
                  tilt,
                  1. + tilt * p.airmass[i]};
  if (spheres_.touched_by(ring, bottom - plane_.height)) return false;

  double total = *photons_;
  double in_bin = 0.;
  if (context.fill_profile) {
    const int bin = context.profile.only_bin(p.begin_distance[i], p.end_distance[i], likely_bin_);
    if (bin == 0) return false;
    likely_bin_ = bin;
    in_bin = context.profile.photons[bin];
  }
  const int n = static_cast<int>(p.bunches[i]);
  const YieldAlongStep line{p.beta_n[i], p.beta_n_slope[i], p.photons_per_sin2[i], p.path_before[i],
                            p.path[i]};
  if (!try_add_photons(line, 0, n, total, context.fill_profile ? &in_bin : nullptr)) return false;

  add_unseen(n, total, context.fill_profile ? likely_bin_ : 0, in_bin, context);
  return true;
}

}  // namespace cherenkov::corsika
