// The preamble of CERENK, and the stage's bounds, in lanes across steps: one source for every instruction
// set, by Highway. Compiled with -ffp-contract=off.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cherenkov/step_plan.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include "cherenkov/bunch_light.hpp"
#include "cherenkov/flat_step.hpp"
#include "corsika_runtime/cherenkov/step_plan.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov::corsika {
namespace HWY_NAMESPACE {
using namespace cherenkov::HWY_NAMESPACE;

static_assert(sizeof(StepPlan<double>) == StepPlans::kRows * sizeof(double));
static_assert(static_cast<int>(LightKind::kNone) == 0 && static_cast<int>(LightKind::kWhole) == 1 &&
              static_cast<int>(LightKind::kOther) == 2);

void PlanSteps(const RecordedSteps& in, int count, const PlanSettings& settings, StepPlans& out) {
  for (int i = 0; i < count; i += Reals::count()) {
    const auto at = [i](const double* row) { return Reals::load(row + i); };
    const StepInput<Reals> step{at(in.length),       at(in.u),          at(in.v),       at(in.w),
                                at(in.begin_energy), at(in.end_energy), at(in.x_begin), at(in.y_begin),
                                at(in.z_begin),      at(in.x_end),      at(in.y_end),   at(in.z_end),
                                at(in.mass),         at(in.charge),     at(in.weight),  at(in.index_begin),
                                at(in.index_middle), at(in.index_end)};
    FlatStep<Reals> flat;
    flat.find_ends(step, settings.cut_w);
    flat.find_light(step, settings);
    flat.find_spacing(step);
    space(at(in.begin_time), at(in.end_time), 1. / flat.n, flat.between.time, flat.before.time);
    flat.find_bounds(step, settings);
    const StepPlan<Reals> plan = flat.plan(step, settings);
#pragma GCC unroll 64  // so that the plan stays in registers
    for (std::size_t row = 0; row < StepPlans::kRows; ++row)
      reinterpret_cast<const Reals*>(&plan)[row].store(out.row[row] + i);
  }
}

// The compiler makes vectors of the first and the last loop.
void FindEnds(const RecordedSteps& s, int count, double earth_radius, ElectronEnds& ends) {
  alignas(64) double radius[kChunkSteps], sine[kChunkSteps], arc[kChunkSteps];
  for (int i = 0; i < kChunkSteps; ++i) {
    const Chord<double> chord = chord_of(s.x_end[i], s.u[i], s.v[i], earth_radius + s.z_end[i]);
    radius[i] = chord.radius;
    sine[i] = chord.sine;
    ends.angle[i] = std::sqrt(s.x_begin[i] * s.x_begin[i] + s.y_begin[i] * s.y_begin[i]) / earth_radius;
  }
  for (int i = 0; i < kChunkSteps; ++i)
    arc[i] = i < count && s.cos_earth[i] == kWithoutEnd ? std::asin(sine[i]) : 0.;
  for (int i = 0; i < kChunkSteps; ++i) {
    const double ratio = Chord<double>{radius[i], sine[i]}.ratio(arc[i], earth_radius);
    ends.x[i] = s.x_begin[i] + s.u[i] * s.x_end[i] * ratio;
    ends.y[i] = s.y_begin[i] + s.v[i] * s.x_end[i] * ratio;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov::corsika
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov::corsika {

HWY_EXPORT(PlanSteps);
HWY_EXPORT(FindEnds);

void plan_steps(const RecordedSteps& recorded, int count, const PlanSettings& settings, StepPlans& plans) {
  HWY_DYNAMIC_DISPATCH(PlanSteps)(recorded, count, settings, plans);
}

void find_ends(const RecordedSteps& steps, int count, double earth_radius, ElectronEnds& ends) {
  HWY_DYNAMIC_DISPATCH(FindEnds)(steps, count, earth_radius, ends);
}

ChargedStep RecordedSteps::step(int i) const {
  std::array<double, sizeof(ChargedStep) / sizeof(double)> values;
  for (std::size_t row = 0; row < values.size(); ++row)
    values[row] = reinterpret_cast<const double*>(this)[row * kChunkSteps + static_cast<std::size_t>(i)];
  return std::bit_cast<ChargedStep>(values);
}

}  // namespace cherenkov::corsika
#endif
