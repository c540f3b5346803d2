// Charged steps, recorded one by one and planned many at a time: what CERENK makes of each before its loop,
// and the bounds that the stage goes by, in SIMD lanes across steps.
#pragma once

#include <array>
#include <bit>

#include "corsika_runtime/cherenkov/charged_step.hpp"

namespace cherenkov::corsika {

inline constexpr int kChunkSteps = 64;  ///< recorded steps that are planned at once: a chunk

/// A chunk of steps as CERENK was called with them: a row for each argument, in CERENK's order; and their
/// refractive indices. CORSIKA's thread and the helper leave them here, and a device reads them.
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
  [[gnu::always_inline]] void set(int i, const ChargedStep& charged) {
    const auto* const values = reinterpret_cast<const double*>(&charged);
    for (std::size_t row = 0; row < sizeof(ChargedStep) / sizeof(double); ++row)
      reinterpret_cast<double*>(this)[row * kChunkSteps + static_cast<std::size_t>(i)] = values[row];
  }
};

/// The plans of recorded steps: a row for each member of StepPlan. Beyond the steps that were planned they
/// hold anything.
struct StepPlans {
  static constexpr std::size_t kRows = 44;
  // 8 unused columns: rows 512 bytes apart would compete for the cache's sets.
  alignas(64) double row[kRows][kChunkSteps + 8];

  [[nodiscard]] LightKind kind(int i) const { return static_cast<LightKind>(static_cast<int>(row[0][i])); }
};
#ifndef HWY_TARGET_INCLUDE  // formulas are for doubles
/// Of step i, by the offset of a member of StepPlan<double>.
inline double member(const StepPlans& plans, int i, std::size_t offset) {
  return plans.row[offset / sizeof(double)][i];
}
// Members of a plan are stored one by one where they are read next: copies of a whole plan would wait until
// these stores have reached the cache.
template <std::size_t kCount>
[[gnu::always_inline]] inline void gather(const StepPlans& plans, int i, std::size_t offset, void* to) {
  for (std::size_t r = 0; r < kCount; ++r)
    static_cast<double*>(to)[r] = plans.row[offset / sizeof(double) + r][i];
}
[[gnu::always_inline]] inline Step step_of(const StepPlans& plans, int i) {
  using Plan = StepPlan<double>;
  Step step;
  step.bunches = static_cast<int>(member(plans, i, offsetof(Plan, bunches)));
  gather<(offsetof(Plan, airmass) - offsetof(Plan, before)) / sizeof(double)>(
      plans, i, offsetof(Plan, before), reinterpret_cast<char*>(&step) + offsetof(Step, before));
  return step;
}
/// Where Plan::bounded is not 0.
[[gnu::always_inline]] inline StepBound bound_of(const StepPlans& plans, int i,
                                                 const RefractionModel& refraction) {
  using Plan = StepPlan<double>;
  const double top = member(plans, i, offsetof(Plan, top)), bottom = member(plans, i, offsetof(Plan, bottom));
  const auto range = refraction.between(top, bottom);
  Ring ring;
  gather<sizeof(Ring) / sizeof(double)>(plans, i, offsetof(Plan, ring), &ring);
  RefractionBound bound;
  gather<3>(plans, i, offsetof(Plan, airmass), &bound);
  return StepBound(bound, top, bottom, ring, range);
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
