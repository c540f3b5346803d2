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
  return prepare_event(context.plane.height, !context.straight && !context.curved) &&
         (context.curved ? find_curved_arrival(context) : check_depth_bins(context));
}

Plane Stage::plane_of(const ObservationContext& context) const {
  Plane plane = context.plane;
  if (context.curved) plane.x0 = plane.y0 = 0.;
  plane.x_impact = impact_[0];
  plane.y_impact = impact_[1];
  return plane;
}

void Stage::plan(const RecordedSteps& steps, const StepIndices& indices, int count, const Emission& emission,
                 const ObservationContext& context) {
  planned_for_event_ = prepare(context);
  plane_ = plane_of(context);
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
  std::array<LitBunch, kMaxBunches> lit;
  std::size_t count = 0;
  Step::Point at = step.before;
  for (int k = 0; k < step.bunches; ++k) {
    at = next_point(at, step.between);
    const double cosine = 1. / loop->beta_n(at, emission_);
    const double sine2 = (1. - cosine) * (1. + cosine);
    if (cosine > 1. || sine2 <= 0.) continue;  // below threshold
    if (!std::isfinite(sine2 + at.x + at.y + at.z)) return false;
    lit[count++] = {at, {cosine, sine2, step.photons_per_sin2 * sine2}, 0.};
  }
  irrevocably([&] {
    numbers_->draw(azimuth_, step.bunches);
    for (std::size_t k = 0; k < count; ++k) lit[k].azimuth = azimuth_[k];
    emit_one_by_one(step, count, context, [&](std::size_t k) { return lit[k]; });
    bunches_seen_ = *bunches_;
    ++counts_.steps;
    ++counts_.each_bunch;
    counts_.bunches += count;
  });
  return true;
}

void Stage::add_unseen(int n, double total, int bin, double in_bin, const ObservationContext& context) {
  irrevocably([&] { step_over_azimuths(n); });
  if (bin != 0) context.profile.photons[bin] = in_bin;
  *photons_ = total;
  *bunches_ += n;
  bunches_seen_ = *bunches_;
  ++counts_.steps;
  counts_.bunches += static_cast<std::uint64_t>(n);
}

bool Stage::try_unseen(int i, const ObservationContext& context) {
  const StepPlans& p = plans_;
  if (context.profile.kind != DepthProfile::Kind::kSlant) return false;
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
