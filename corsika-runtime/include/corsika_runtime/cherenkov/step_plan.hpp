// Charged steps, recorded one by one and planned many at a time: what CERENK makes of each before its loop,
// and the bounds that the stage goes by, in SIMD lanes across steps.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include "cherenkov/flat_step.hpp"
#include "corsika_runtime/cherenkov/charged_step.hpp"

namespace cherenkov::corsika {

inline constexpr int kChunkSteps = 64;  ///< recorded steps that are planned at once: a chunk

/// A chunk of steps as CERENK was called with them: a row for each argument, in CERENK's order; and their
/// refractive indices. CORSIKA's thread and the helper leave them here, and a device reads them. The layout
/// is that of CHRREC in cherenkov_common.inc.
struct RecordedSteps {
  alignas(64) double length[kChunkSteps], u[kChunkSteps], v[kChunkSteps], w[kChunkSteps];
  double begin_energy[kChunkSteps], end_energy[kChunkSteps];
  double x_begin[kChunkSteps], y_begin[kChunkSteps], z_begin[kChunkSteps];
  double x_end[kChunkSteps], y_end[kChunkSteps], z_end[kChunkSteps];
  double begin_time[kChunkSteps], end_time[kChunkSteps], mass[kChunkSteps], charge[kChunkSteps];
  double weight[kChunkSteps];     ///< WTTHIN with option THIN; else 1
  double cos_earth[kChunkSteps];  ///< CTEA, or see curved_step.hpp
  /// The refractive index of air along each step, as IndicesOfStep (charged_step.hpp).
  double index_begin[kChunkSteps], index_middle[kChunkSteps], index_end[kChunkSteps];

  /// Step i without cos_earth.
  [[nodiscard]] ChargedStep step(int i) const;
  [[nodiscard]] IndicesOfStep indices(int i) const { return {index_begin[i], index_middle[i], index_end[i]}; }
  /// Puts `charged` in the place of step i, but for cos_earth.
  void set(int i, const ChargedStep& charged);
};

/// Finds the indices of one step after the other.
class IndexFinder {
 public:
  /// Sets those of the first `count` steps.
  void find(RecordedSteps& steps, int count, const Emission& emission);

 private:
  double last_height_ = -HUGE_VAL, last_index_ = 0.;  // of a step's end, where the next one often begins
};

/// The plans of recorded steps: a row for each member of StepPlan. Beyond the steps that were planned they
/// hold anything.
struct StepPlans {
  static constexpr std::size_t kRows = 44;
  alignas(64) double row[kRows][kChunkSteps];

  [[nodiscard]] LightKind kind(int i) const { return static_cast<LightKind>(static_cast<int>(row[0][i])); }
};
#ifndef HWY_TARGET_INCLUDE  // formulas are for doubles
inline StepPlan<double> plan_of(const StepPlans& plans, int i) {
  std::array<double, StepPlans::kRows> values;
  for (std::size_t r = 0; r < values.size(); ++r) values[r] = plans.row[r][i];
  return std::bit_cast<StepPlan<double>>(values);
}
#endif

/// RecordedSteps::cos_earth of a step outside of the detector's frame whose end find_end() must still
/// compute.
inline constexpr double kWithoutEnd = 3.;

/// What find_end() makes of steps, and the angle at the Earth's centre from the detector to their beginnings.
struct ElectronEnds {
  alignas(64) double x[kChunkSteps], y[kChunkSteps], angle[kChunkSteps];
};

/// Of the first `count` steps, of those that are kWithoutEnd, in SIMD lanes; other rows of `steps` must be
/// finite.
void find_ends(const RecordedSteps& steps, int count, double earth_radius, ElectronEnds& ends);

/// Plans the first `count` of the recorded steps, 1 to kChunkSteps. What goes into CORSIKA's results
/// has CORSIKA's bits.
void plan_steps(const RecordedSteps& recorded, int count, const PlanSettings& settings, StepPlans& plans);

}  // namespace cherenkov::corsika
