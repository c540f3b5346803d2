// Charged steps, recorded one by one and planned many at a time: what CERENK makes of each before its loop,
// and the bounds that the stage goes by, in SIMD lanes across steps.
#pragma once

#include <cmath>

#include "cherenkov/plane.hpp"
#include "cherenkov/step.hpp"
#include "corsika_runtime/cherenkov/charged_step.hpp"

namespace cherenkov::corsika {

inline constexpr int kBatchSteps = 64;

/// Steps as CERENK was called with them: a row for each argument, in CERENK's order. The layout is that of
/// CHRREC in cherenkov_steps.inc.
struct RecordedSteps {
  double length[kBatchSteps], u[kBatchSteps], v[kBatchSteps], w[kBatchSteps];
  double begin_energy[kBatchSteps], end_energy[kBatchSteps];
  double x_begin[kBatchSteps], y_begin[kBatchSteps], z_begin[kBatchSteps];
  double x_end[kBatchSteps], y_end[kBatchSteps], z_end[kBatchSteps];
  double begin_time[kBatchSteps], end_time[kBatchSteps], mass[kBatchSteps], charge[kBatchSteps];
  double weight[kBatchSteps], cos_earth[kBatchSteps];  ///< WTTHIN, CTEA: for CORSIKA alone

  /// Step i without what is for CORSIKA alone.
  [[nodiscard]] ChargedStep step(int i) const;
  /// Puts `charged` in the place of step i, but for what is for CORSIKA alone.
  void set(int i, const ChargedStep& charged);
};

/// The refractive index of air along each step.
struct StepIndices {
  alignas(64) double begin[kBatchSteps], middle[kBatchSteps], end[kBatchSteps];
};

/// Finds the indices of one step after the other.
class IndexFinder {
 public:
  /// Of the first `count` steps.
  void find(const RecordedSteps& steps, int count, const Emission& emission, StepIndices& indices);

 private:
  double last_height_ = -HUGE_VAL, last_index_ = 0.;  // of a step's end, where the next one often begins
};

/// The plans of recorded steps. Rows are of kBatchSteps; beyond `count` steps they hold anything.
struct StepPlans {
  /// The Light of each step, as a double, for SIMD lanes.
  alignas(64) double kind[kBatchSteps];
  /// Not 0 where a step of kind kLinear is one whose light all goes well downwards, above threshold and
  /// inside of the air, so that the bounds below hold.
  alignas(64) double bounded[kBatchSteps];
  alignas(64) double bunches[kBatchSteps];
  alignas(64) double path[kBatchSteps], x[kBatchSteps], y[kBatchSteps], z[kBatchSteps], time[kBatchSteps];
  alignas(64) double path_before[kBatchSteps], x_before[kBatchSteps], y_before[kBatchSteps],
      z_before[kBatchSteps], time_before[kBatchSteps];
  alignas(64) double beta_n[kBatchSteps], beta_n_slope[kBatchSteps], photons_per_sin2[kBatchSteps];
  alignas(64) double cu[kBatchSteps], su[kBatchSteps], cv[kBatchSteps], sv[kBatchSteps], sine[kBatchSteps];
  // sine: of the particle's zenith angle. Bounds: of ConeBounds (min_w: of the step's light; secant:
  // max_secant), airmass 1/min_w, max_slope the largest |(u, v)|/w^3; of Ring without its slack by
  // refraction.
  alignas(64) double airmass[kBatchSteps], max_slope[kBatchSteps], short_of_unit[kBatchSteps];
  alignas(64) double ring_x[kBatchSteps], ring_y[kBatchSteps], ring_height[kBatchSteps];
  alignas(64) double ring_u[kBatchSteps], ring_v[kBatchSteps];
  alignas(64) double ring_w[kBatchSteps], tan_theta[kBatchSteps], secant[kBatchSteps], slack[kBatchSteps],
      slack_per_cm[kBatchSteps], min_w[kBatchSteps];
  alignas(64) double top[kBatchSteps], bottom[kBatchSteps];  ///< heights, above sea level, cm
  alignas(64) double begin_distance[kBatchSteps], end_distance[kBatchSteps];  ///< along the shower axis, cm

  /// Step i as bunches_of() makes it.
  [[nodiscard]] Step step(const RecordedSteps& recorded, int i) const;
};

/// Settings that all steps of a batch share.
struct PlanSettings {
  double min_w, yield, bunch_size;  ///< as in Emission; min_w: C(29)
  Plane plane;
  double along_x, along_y, along_z, start;  ///< of DepthProfile
};

/// Plans the first `count` of the recorded steps, 1 to kBatchSteps. What is in CORSIKA's numbers has
/// CORSIKA's bits. Rows must be aligned to 64 bytes.
void plan_steps(const RecordedSteps& recorded, int count, const StepIndices& indices,
                const PlanSettings& settings, StepPlans& plans);

}  // namespace cherenkov::corsika
