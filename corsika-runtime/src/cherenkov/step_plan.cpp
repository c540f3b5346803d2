// The preamble of CERENK, and the stage's bounds, in lanes across steps: one source for every instruction
// set, by Highway. Compiled with -ffp-contract=off. What has CORSIKA's bits is computed as bunches_of() does,
// operation by operation; the bounds are those of stage.cpp, arrival_shift.hpp and cherenkov/ring.hpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cherenkov/step_plan.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
// (after foreach_target)
#include <hwy/highway.h>

#include <cmath>

#include "arrival_shift.hpp"
#include "corsika_runtime/cherenkov/step_plan.hpp"
#include "stage_limits.hpp"

HWY_BEFORE_NAMESPACE();
namespace cherenkov::corsika {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, 8>;
using V = hn::Vec<Lanes>;

// Steps from i on. Each part hands the next what it needs.
class Planner {
 public:
  Planner(const RecordedSteps& recorded, const StepIndices& indices, const PlanSettings& settings,
          StepPlans& plans)
      : in_(recorded), indices_(indices), settings_(settings), out_(plans) {}

  void plan(int i) {
    i_ = i;
    kinds();
    bunches();
    frame();
    cone();
    ring();
    ends();
  }

 private:
  [[nodiscard]] V in(const double* row) const { return hn::Load(d_, row + i_); }
  void out(double* row, V value) const { hn::Store(value, d_, row + i_); }
  [[nodiscard]] V set(double value) const { return hn::Set(d_, value); }

  [[nodiscard]] V beta_n(const double* energies, const double* indices) const {
    const V ratio = hn::Div(in(in_.mass), in(energies));
    return hn::Mul(hn::Sqrt(hn::Mul(hn::Sub(one_, ratio), hn::Add(one_, ratio))), in(indices));
  }

  // beta*n, the number of bunches, and which of CERENK's loops.
  void kinds() {
    w_ = in(in_.w);
    const V length = in(in_.length);
    const V begin = beta_n(in_.begin_energy, indices_.begin);
    const V end = beta_n(in_.end_energy, indices_.end);
    const V half = hn::Div(hn::Mul(in(in_.mass), set(2.)), hn::Add(in(in_.begin_energy), in(in_.end_energy)));
    const V middle = hn::Mul(hn::Sqrt(hn::Sub(one_, hn::Mul(half, half))), in(indices_.middle));
    const V charge = in(in_.charge);
    per_cm_ = hn::Mul(set(settings_.yield), hn::Mul(charge, charge));
    const V largest = hn::Max(begin, end);
    const V photons =
        hn::Mul(hn::Mul(per_cm_, length), hn::Sub(one_, hn::Div(one_, hn::Mul(largest, largest))));
    const V bunches = hn::Add(hn::Div(photons, set(settings_.bunch_size)), one_);
    // Before numbers that are not representable are rounded.
    const auto countable = hn::Lt(bunches, set(2e9));
    n_ = hn::Trunc(hn::IfThenElse(countable, bunches, one_));
    sin2_ = hn::Max(set(1e-20), hn::Add(hn::Mul(in(in_.u), in(in_.u)), hn::Mul(in(in_.v), in(in_.v))));

    const auto dark = hn::Or(hn::Or(hn::Lt(w_, set(settings_.cut_w)), hn::Le(length, zero_)),
                             hn::And(hn::Lt(begin, one_), hn::Lt(end, one_)));
    const auto none = hn::Or(dark, hn::And(countable, hn::Lt(n_, one_)));
    const V inverse_begin = hn::Div(one_, hn::Mul(begin, begin));
    const V inverse_end = hn::Div(one_, hn::Mul(end, end));
    const V inverse_middle = hn::Div(one_, hn::Mul(middle, middle));
    const V bend =
        hn::Div(hn::Sub(hn::Sub(set(2.), inverse_begin), inverse_end), hn::Sub(one_, inverse_middle));
    const auto straight = hn::And(
        hn::And(hn::Gt(begin, one_), hn::Gt(end, one_)),
        hn::And(hn::Gt(middle, one_), hn::Lt(hn::Abs(hn::Sub(bend, set(2.))), hn::Mul(set(2e-3), w_))));
    single_ = hn::Eq(n_, one_);
    linear_ = hn::And(hn::And(countable, hn::Gt(sin2_, set(kVerticalSin2))), hn::Or(single_, straight));
    static_assert(static_cast<int>(LightKind::kNone) == 0 && static_cast<int>(LightKind::kLinear) == 1 &&
                  static_cast<int>(LightKind::kOther) == 2);
    out(out_.kind, hn::IfThenElse(none, zero_, hn::IfThenElse(linear_, one_, set(2.))));
    n_ = hn::Max(n_, one_);
    out(out_.bunches, n_);
    beta_n_ = hn::IfThenElse(single_, middle, begin);
    slope_ = hn::IfThenElse(single_, zero_, hn::Div(hn::Sub(end, begin), length));
    out(out_.beta_n, beta_n_);
    out(out_.beta_n_slope, slope_);
  }

  // Where they leave.
  void bunches() {
    const V part = hn::Div(one_, n_);
    const auto spaced = [&](const double* begin, const double* end, double* between, double* before, V& d,
                            V& b) {
      d = hn::Mul(hn::Sub(in(end), in(begin)), part);
      b = hn::Sub(in(begin), hn::Mul(set(0.5), d));
      out(between, d);
      out(before, b);
    };
    path_ = hn::Mul(in(in_.length), part);
    path_before_ = hn::Mul(set(-0.5), path_);
    out(out_.path, path_);
    out(out_.path_before, path_before_);
    V time, time_before;
    spaced(in_.x_begin, in_.x_end, out_.x, out_.x_before, dx_, x_);
    spaced(in_.y_begin, in_.y_end, out_.y, out_.y_before, dy_, y_);
    spaced(in_.z_begin, in_.z_end, out_.z, out_.z_before, dz_, z_);
    spaced(in_.begin_time, in_.end_time, out_.time, out_.time_before, time, time_before);
    out(out_.photons_per_sin2, hn::Mul(per_cm_, path_));
  }

  // The particle's frame.
  void frame() {
    const V u = in(in_.u), v = in(in_.v);
    sine_ = hn::Sqrt(sin2_);
    const V over = hn::Div(one_, sine_);
    out(out_.sine, sine_);
    out(out_.cu, hn::Mul(v, over));
    out(out_.su, hn::Mul(hn::Mul(u, w_), over));
    out(out_.cv, hn::Mul(hn::Neg(u), over));
    out(out_.sv, hn::Mul(hn::Mul(v, w_), over));
  }

  // ConeBounds, and what of StepRefraction and of the rounding of CORSIKA's sums can be told.
  void cone() {
    const V first = hn::MulAdd(slope_, hn::Add(path_before_, path_), beta_n_);
    const V last = hn::MulAdd(slope_, hn::MulAdd(n_, path_, path_before_), beta_n_);
    const V least = hn::Min(first, last);
    secant_ = hn::Max(first, last);
    const auto tangent = [&](V b) {
      return hn::Sqrt(hn::Max(zero_, hn::Mul(hn::Sub(b, one_), hn::Add(b, one_))));
    };
    min_tan_ = tangent(least);
    max_tan_ = tangent(secant_);
    const V min_w = hn::NegMulAdd(sine_, max_tan_, hn::Mul(w_, hn::Sub(set(2.), secant_)));
    const V u = in(in_.u), v = in(in_.v);
    const V length2 = hn::MulAdd(u, u, hn::MulAdd(v, v, hn::Mul(w_, w_)));
    short_ = hn::Sub(one_, length2);
    auto bounded = hn::And(hn::Gt(least, set(1. + kThresholdMargin)), hn::Gt(short_, set(-kMaxLengthExcess)));
    bounded = hn::And(bounded, hn::And(hn::Gt(min_w, set(RefractionModel::kMinW)),
                                       hn::Gt(min_w, set(settings_.cut_w + 1e-6))));
    min_w_ = hn::Max(min_w, set(RefractionModel::kMinW));
    const V airmass = hn::Div(one_, min_w_);
    const V max_sin = hn::Min(one_, hn::Add(sine_, max_tan_));
    out(out_.airmass, airmass);
    out(out_.max_shift_per_k, hn::Mul(max_sin, hn::Mul(airmass, hn::Mul(airmass, airmass))));
    out(out_.short_of_unit, short_);
    out(out_.min_w, min_w_);

    const Plane& p = settings_.plane;
    const auto reach = [&](V before, V between) { return hn::MulAdd(n_, hn::Abs(between), hn::Abs(before)); };
    const double plane_size = std::fabs(p.x0) + std::fabs(p.y0) + std::fabs(p.height) +
                              std::fabs(p.x_impact) + std::fabs(p.y_impact);
    const V size = hn::Add(hn::Add(reach(x_, dx_), reach(y_, dy_)), hn::Add(reach(z_, dz_), set(plane_size)));
    const V rounding = hn::Mul(hn::Mul(hn::MulAdd(set(2.), n_, set(64.)), hn::Mul(set(kUnitRoundoff), size)),
                               hn::Mul(airmass, airmass));
    bounded = hn::And(bounded, hn::Lt(rounding, set(kMaxStepRounding_cm)));
    const V begin_height = hn::MulAdd(set(0.5), dz_, z_);
    const V end_height = hn::MulAdd(n_, dz_, begin_height);
    bounded = hn::And(bounded, hn::And(hn::Ge(hn::Min(begin_height, end_height), set(p.height)),
                                       hn::Le(hn::Max(begin_height, end_height), set(kTopOfAtmosphere_cm))));
    out(out_.begin_height, begin_height);
    out(out_.end_height, end_height);
    out(out_.bounded, hn::IfThenElseZero(bounded, one_));
  }

  void ring() {
    const Plane& p = settings_.plane;
    const V half = hn::Mul(set(0.5), n_);
    const V middle = hn::Add(half, set(0.5));
    const V x = hn::Sub(hn::MulAdd(middle, dx_, x_), set(p.x0));
    const V y = hn::Sub(hn::MulAdd(middle, dy_, y_), set(p.y0));
    const V per_length = hn::Div(one_, hn::Sqrt(hn::Max(set(1e-3), hn::Sub(one_, short_))));
    const V ax = hn::Mul(in(in_.u), per_length), ay = hn::Mul(in(in_.v), per_length),
            aw = hn::Mul(w_, per_length);
    const V along = hn::NegMulAdd(dz_, aw, hn::MulAdd(dx_, ax, hn::Mul(dy_, ay)));
    const V forward = hn::Mul(half, hn::Abs(along));
    const V aside = hn::Mul(
        half, hn::Add(hn::Abs(hn::NegMulAdd(along, ax, dx_)),
                      hn::Add(hn::Abs(hn::NegMulAdd(along, ay, dy_)), hn::Abs(hn::MulAdd(along, aw, dz_)))));
    const V cos = set(p.cos_turn), sin = set(p.sin_turn);
    out(out_.ring_x, hn::Sub(hn::MulAdd(x, cos, hn::Mul(y, sin)), set(p.x_impact)));
    out(out_.ring_y, hn::Sub(hn::NegMulAdd(x, sin, hn::Mul(y, cos)), set(p.y_impact)));
    out(out_.ring_height, hn::Sub(hn::MulAdd(middle, dz_, z_), set(p.height)));
    out(out_.ring_u, hn::MulAdd(ax, cos, hn::Mul(ay, sin)));
    out(out_.ring_v, hn::NegMulAdd(ax, sin, hn::Mul(ay, cos)));
    out(out_.ring_w, aw);
    out(out_.tan_theta, hn::Mul(set(0.5), hn::Add(max_tan_, min_tan_)));
    out(out_.secant, secant_);
    out(out_.slack, hn::MulAdd(forward, max_tan_, aside));
    out(out_.slack_per_cm, hn::MulAdd(secant_, hn::Sub(per_length, one_),
                                      hn::MulAdd(set(0.5), hn::Sub(max_tan_, min_tan_), set(1e-9))));
  }

  // Of the light, along the shower's axis.
  void ends() {
    const auto distance = [&](V steps) {
      const V x = hn::MulAdd(steps, dx_, x_), y = hn::MulAdd(steps, dy_, y_), z = hn::MulAdd(steps, dz_, z_);
      return hn::MulAdd(x, set(settings_.along_x),
                        hn::MulAdd(y, set(settings_.along_y),
                                   hn::NegMulAdd(z, set(settings_.along_z), set(settings_.start))));
    };
    out(out_.begin_distance, distance(set(0.5)));
    out(out_.end_distance, distance(hn::Add(n_, set(0.5))));
  }

  const Lanes d_;
  const RecordedSteps& in_;
  const StepIndices& indices_;
  const PlanSettings& settings_;
  StepPlans& out_;
  int i_ = 0;
  const V zero_ = hn::Zero(d_), one_ = hn::Set(d_, 1.);
  V w_, per_cm_, n_, sin2_, beta_n_, slope_, path_, path_before_, x_, y_, z_, dx_, dy_, dz_, sine_, min_tan_,
      max_tan_, secant_, short_, min_w_;
  hn::Mask<Lanes> single_, linear_;
};

void PlanSteps(const RecordedSteps& recorded, int count, const StepIndices& indices,
               const PlanSettings& settings, StepPlans& plans) {
  Planner planner(recorded, indices, settings, plans);
  for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(Lanes()))) planner.plan(i);
}

}  // namespace HWY_NAMESPACE
}  // namespace cherenkov::corsika
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cherenkov::corsika {

HWY_EXPORT(PlanSteps);

void plan_steps(const RecordedSteps& recorded, int count, const StepIndices& indices,
                const PlanSettings& settings, StepPlans& plans) {
  HWY_DYNAMIC_DISPATCH(PlanSteps)(recorded, count, indices, settings, plans);
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
