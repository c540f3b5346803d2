// The preamble of CERENK, and the stage's bounds, in lanes across steps: one source for every instruction
// set, by Highway. Compiled with -ffp-contract=off.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cherenkov/step_plan.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <cmath>

#include "cherenkov/bunch_light.hpp"
#include "cherenkov/flat_step.hpp"
#include "corsika_runtime/cherenkov/curved_step.hpp"
#include "corsika_runtime/cherenkov/step_plan.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov::corsika {
namespace HWY_NAMESPACE {
using namespace cherenkov::HWY_NAMESPACE;

static_assert(static_cast<int>(LightKind::kNone) == 0 && static_cast<int>(LightKind::kLinear) == 1 &&
              static_cast<int>(LightKind::kOther) == 2);

void PlanSteps(const RecordedSteps& in, int count, const StepIndices& indices, const PlanSettings& settings,
               StepPlans& out) {
  for (int i = 0; i < count; i += Reals::count()) {
    const auto at = [i](const double* row) { return Reals::load(row + i); };
    const StepInput<Reals> step{at(in.length),       at(in.u),          at(in.v),          at(in.w),
                                at(in.begin_energy), at(in.end_energy), at(in.x_begin),    at(in.y_begin),
                                at(in.z_begin),      at(in.x_end),      at(in.y_end),      at(in.z_end),
                                at(in.mass),         at(in.charge),     at(indices.begin), at(indices.middle),
                                at(indices.end)};
    const auto keep = [i](double* row, Reals value) { value.store(row + i); };
    FlatStep<Reals> plan;
    plan.find_ends(step, settings.cut_w);
    plan.find_light(step, settings);
    keep(out.kind, plan.kind);
    keep(out.bunches, plan.n);
    keep(out.beta_n, plan.beta_n);
    keep(out.beta_n_slope, plan.slope);
    plan.find_spacing(step);
    keep(out.photons_per_sin2, plan.photons_per_sin2);
    keep(out.path, plan.between.path);
    keep(out.x, plan.between.x);
    keep(out.y, plan.between.y);
    keep(out.z, plan.between.z);
    keep(out.path_before, plan.before.path);
    keep(out.x_before, plan.before.x);
    keep(out.y_before, plan.before.y);
    keep(out.z_before, plan.before.z);
    Reals time, time_before;
    space(at(in.begin_time), at(in.end_time), 1. / plan.n, time, time_before);
    keep(out.time, time);
    keep(out.time_before, time_before);
    plan.find_bounds(step, settings);
    keep(out.cu, plan.frame.cu);
    keep(out.su, plan.frame.su);
    keep(out.cv, plan.frame.cv);
    keep(out.sv, plan.frame.sv);
    keep(out.sine, plan.frame.sine);
    keep(out.bounded, select(plan.bounded, 1., 0.));
    keep(out.airmass, plan.airmass);
    keep(out.max_shift_per_k, plan.max_shift_per_k);
    keep(out.short_of_unit, plan.cone.short_of_unit);
    keep(out.begin_height, plan.top);
    keep(out.end_height, plan.bottom);
    const RingOf<Reals> ring = plan.ring(step, settings.plane);
    keep(out.ring_x, ring.x);
    keep(out.ring_y, ring.y);
    keep(out.ring_height, ring.height);
    keep(out.ring_u, ring.u);
    keep(out.ring_v, ring.v);
    keep(out.ring_w, ring.w);
    keep(out.tan_theta, ring.tan_theta);
    keep(out.secant, ring.secant);
    keep(out.slack, ring.slack);
    keep(out.slack_per_cm, ring.slack_per_cm);
    keep(out.begin_distance, plan.distance(0.5, settings));
    keep(out.end_distance, plan.distance(plan.n + 0.5, settings));
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

void plan_steps(const RecordedSteps& recorded, int count, const StepIndices& indices,
                const PlanSettings& settings, StepPlans& plans) {
  HWY_DYNAMIC_DISPATCH(PlanSteps)(recorded, count, indices, settings, plans);
}

void find_ends(const RecordedSteps& steps, int count, double earth_radius, ElectronEnds& ends) {
  HWY_DYNAMIC_DISPATCH(FindEnds)(steps, count, earth_radius, ends);
}

ChargedStep RecordedSteps::step(int i) const {
  return {length[i],  u[i],     v[i],     w[i],     begin_energy[i], end_energy[i], x_begin[i], y_begin[i],
          z_begin[i], x_end[i], y_end[i], z_end[i], begin_time[i],   end_time[i],   mass[i],    charge[i]};
}

void RecordedSteps::set(int i, const ChargedStep& c) {
  length[i] = c.length;
  u[i] = c.u, v[i] = c.v, w[i] = c.w;
  begin_energy[i] = c.begin_energy, end_energy[i] = c.end_energy;
  x_begin[i] = c.x_begin, y_begin[i] = c.y_begin, z_begin[i] = c.z_begin;
  x_end[i] = c.x_end, y_end[i] = c.y_end, z_end[i] = c.z_end;
  begin_time[i] = c.begin_time, end_time[i] = c.end_time;
  mass[i] = c.mass, charge[i] = c.charge;
}

Step StepPlans::step(const RecordedSteps& recorded, int i) const {
  return {static_cast<int>(bunches[i]),
          {path_before[i], x_before[i], y_before[i], z_before[i], time_before[i]},
          {path[i], x[i], y[i], z[i], time[i]},
          beta_n[i],
          beta_n_slope[i],
          photons_per_sin2[i],
          cu[i],
          su[i],
          recorded.u[i],
          cv[i],
          sv[i],
          recorded.v[i],
          -sine[i],
          recorded.w[i]};
}

}  // namespace cherenkov::corsika
#endif
