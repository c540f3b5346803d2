// Charged steps, recorded one by one and planned many at a time: what CERENK makes of each before its loop,
// and the bounds that the stage goes by, in SIMD lanes across steps.
#pragma once

#include <cmath>

#include "cherenkov/plan.hpp"
#include "cherenkov/step.hpp"
#include "corsika_runtime/cherenkov/charged_step.hpp"

namespace cherenkov::corsika {

inline constexpr int kChunkSteps = 64;  ///< recorded steps that are planned at once: a chunk

/// Steps as CERENK was called with them: a row for each argument, in CERENK's order. The layout is that of
/// the first 18 rows of CHRREC in cherenkov_common.inc.
struct RecordedSteps {
  double length[kChunkSteps], u[kChunkSteps], v[kChunkSteps], w[kChunkSteps];
  double begin_energy[kChunkSteps], end_energy[kChunkSteps];
  double x_begin[kChunkSteps], y_begin[kChunkSteps], z_begin[kChunkSteps];
  double x_end[kChunkSteps], y_end[kChunkSteps], z_end[kChunkSteps];
  double begin_time[kChunkSteps], end_time[kChunkSteps], mass[kChunkSteps], charge[kChunkSteps];
  double weight[kChunkSteps],
      cos_earth[kChunkSteps];  ///< WTTHIN, for CORSIKA alone; CTEA, or see curved_step.hpp

  /// Step i without what is for CORSIKA alone.
  [[nodiscard]] ChargedStep step(int i) const;
  /// Puts `charged` in the place of step i, but for what is for CORSIKA alone.
  void set(int i, const ChargedStep& charged);
};

/// The refractive index of air along each step of a chunk. (IndicesOfStep in charged_step.hpp: of one step.)
struct StepIndices {
  alignas(64) double begin[kChunkSteps], middle[kChunkSteps], end[kChunkSteps];
};

/// Finds the indices of one step after the other.
class IndexFinder {
 public:
  /// Of the first `count` steps.
  void find(const RecordedSteps& steps, int count, const Emission& emission, StepIndices& indices);

 private:
  double last_height_ = -HUGE_VAL, last_index_ = 0.;  // of a step's end, where the next one often begins
};

/// The plans of recorded steps. Rows are of kChunkSteps; beyond `count` steps they hold anything.
struct StepPlans {
  /// The LightKind of each step, as a double, for SIMD lanes.
  alignas(64) double kind[kChunkSteps];
  /// Not 0 where a step of kind kLinear is one whose light all goes well downwards, above threshold and
  /// inside of the air, so that the bounds below hold.
  alignas(64) double bounded[kChunkSteps];
  alignas(64) double bunches[kChunkSteps];
  /// From one bunch to the next: Step::between. The next five rows: Step::before.
  alignas(64) double path[kChunkSteps], x[kChunkSteps], y[kChunkSteps], z[kChunkSteps], time[kChunkSteps];
  alignas(64) double path_before[kChunkSteps], x_before[kChunkSteps], y_before[kChunkSteps],
      z_before[kChunkSteps], time_before[kChunkSteps];
  alignas(64) double beta_n[kChunkSteps], beta_n_slope[kChunkSteps], photons_per_sin2[kChunkSteps];
  /// Of Step's frame; sine: of the particle's zenith angle.
  alignas(64) double cu[kChunkSteps], su[kChunkSteps], cv[kChunkSteps], sv[kChunkSteps], sine[kChunkSteps];
  // Bounds of the step's light: short_of_unit and secant (max_secant) as in ConeBounds; airmass is 1/min_w;
  // max_shift_per_k the largest |(u, v)|/w^3, by which RefractionModel's k is multiplied for the shift by
  // refraction. The other rows are members of Ring; slack is without ground_slack.
  alignas(64) double airmass[kChunkSteps], max_shift_per_k[kChunkSteps], short_of_unit[kChunkSteps];
  alignas(64) double ring_x[kChunkSteps], ring_y[kChunkSteps], ring_height[kChunkSteps];
  alignas(64) double ring_u[kChunkSteps], ring_v[kChunkSteps];
  alignas(64) double ring_w[kChunkSteps], tan_theta[kChunkSteps], secant[kChunkSteps], slack[kChunkSteps],
      slack_per_cm[kChunkSteps];
  alignas(64) double begin_height[kChunkSteps], end_height[kChunkSteps];      ///< above sea level, cm
  alignas(64) double begin_distance[kChunkSteps], end_distance[kChunkSteps];  ///< along the shower axis, cm

  /// Step i as bunches_of() makes it.
  [[nodiscard]] Step step(const RecordedSteps& recorded, int i) const;
};

/// Plans the first `count` of the recorded steps, 1 to kChunkSteps. What goes into CORSIKA's results
/// has CORSIKA's bits. Rows must be aligned to 64 bytes.
void plan_steps(const RecordedSteps& recorded, int count, const StepIndices& indices,
                const PlanSettings& settings, StepPlans& plans);

}  // namespace cherenkov::corsika
