// Many steps at a time. Compiled with -ffp-contract=off, as stage.cpp.
#include <algorithm>
#include <cmath>

#include "arrival_shift.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "kept_floating_point_state.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {

void Stage::emit(const RecordedSteps& steps, int count, const Emission& emission, ObservationContext around,
                 const std::function<void(int)>& corsika, std::uint64_t left_out) {
  static_assert(kBatchSteps <= 64, "left_out has a bit for each");
  find_indices(steps, count, emission);
  detect_new_event();
  const bool prepared = prepare_event(around.plane.height, false) && check_depth_bins(around);
  plane_ = around.plane;
  plane_.x_impact = impact_[0];
  plane_.y_impact = impact_[1];
  {
    // Lanes compute for steps what CORSIKA does not, such as bounds of light below threshold.
    const KeptFloatingPointState kept;
    const DepthProfile& profile = around.profile;
    plan_steps(steps, count, indices_,
               {emission.min_w, emission.yield, emission.bunch_size, plane_, profile.along_x, profile.along_y,
                profile.along_z, profile.start},
               plans_);
  }
  // Of large arrays a device looks at rings, too; else it gets the steps that some telescope may see.
  const bool on_device = (start_device_ || deferred_ != nullptr) && spheres_.size() > kMaxTelescopesOnHost;
  for (int i = 0; i < count; ++i) {
    const bool is_corsikas = (left_out >> i & 1U) != 0;
    const auto light = static_cast<Light>(static_cast<int>(plans_.kind[i]));
    if (light == Light::kNone && !is_corsikas) continue;
    if (light == Light::kLinear && !is_corsikas) {
      if (prepared && !on_device && plans_.bounded[i] != 0. && try_unseen(i, around)) continue;
      around.sin_particle = plans_.sine[i];
      if (emit(plans_.step(steps, i), around)) continue;
    } else {
      left_to_corsika();
    }
    corsika(i);
    detect_new_event();
  }
}

void Stage::find_indices(const RecordedSteps& steps, int count, const Emission& emission) {
  for (int i = 0; i < count; ++i) {
    const double begin = steps.z_begin[i];
    const double end = steps.z_end[i];
    indices_.begin[i] = begin == last_height_ ? last_index_ : refractive_index(emission, begin);
    indices_.end[i] = refractive_index(emission, end);
    indices_.middle[i] = refractive_index(emission, 0.5 * (begin + end));
    last_height_ = end;
    last_index_ = indices_.end[i];
  }
}

bool Stage::try_unseen(int i, const ObservationContext& around) {
  const StepPlans& p = plans_;
  if (routines_.step_over == nullptr || around.profile.kind != DepthProfile::Kind::kSlant) return false;
  const double bottom = std::min(p.top[i], p.bottom[i]);
  if (!(bottom > plane_.height + spheres_.top())) return false;

  // As StepRefraction: how far refraction moves and turns the light.
  const double airmass2 = p.airmass[i] * p.airmass[i];
  const double spread = 0.75 * std::max(0., p.short_of_unit[i]) * airmass2;
  const double relative = spread + RefractionModel::relative_error(p.airmass[i]);
  const RefractionModel::RefractionRange range = refraction_model_->between(p.top[i], p.bottom[i]);
  const double error = p.max_slope[i] * (std::fabs(range.k) * relative + range.error * (1. + relative)) +
                       kChooseRounding_cm + kMaxStepRounding_cm;
  if (!(error <= kFootprintMargin_cm)) return false;
  const double tilt =
      p.max_slope[i] * (RefractionModel::kMaxSlopeChange + std::fabs(p.short_of_unit[i])) + kSlopeRounding;
  const Ring ring{p.ring_x[i],
                  p.ring_y[i],
                  p.ring_height[i],
                  p.ring_u[i],
                  p.ring_v[i],
                  p.ring_w[i],
                  p.tan_theta[i],
                  p.secant[i],
                  p.slack[i] + error + std::fabs(range.k * (1. - spread)) * p.max_slope[i],
                  p.slack_per_cm[i],
                  tilt,
                  1. + tilt * p.airmass[i]};
  if (spheres_.touched_by(ring, bottom - plane_.height)) return false;

  double total = *photons_;
  double in_bin = total;
  if (around.fill_profile) {
    const int bin = around.profile.only_bin(p.begin_distance[i], p.end_distance[i], likely_bin_);
    if (bin == 0) return false;
    likely_bin_ = bin;
    in_bin = around.profile.photons[bin];
  }
  const int n = static_cast<int>(p.bunches[i]);
  const EmissionLine line{p.beta_n[i], p.beta_n_slope[i], p.photons_per_sin2[i], p.path_before[i], p.path[i]};
  if (!try_add_photons(line, 0, n, total, in_bin)) return false;

  irrevocably([&] {
    const int drawn_at_once = std::min(n, kMaxBunches);
    const int all = (n + kMaxBunches - 1) / kMaxBunches * drawn_at_once;
    routines_.step_over(&all, &kCherenkovSequence);
  });
  if (around.fill_profile) around.profile.photons[likely_bin_] = in_bin;
  *photons_ = total;
  *bunches_ += n;
  bunches_seen_ = *bunches_;
  ++counts_.steps;
  counts_.bunches += static_cast<std::uint64_t>(n);
  return true;
}

}  // namespace cherenkov::corsika
