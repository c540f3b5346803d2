// How far refraction moves the light of a step, and how well that is known; how far rounding may move it.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "cherenkov/bunches.hpp"
#include "cherenkov/flat_step.hpp"
#include "cherenkov/refraction_model.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {

inline constexpr double kSlopeRounding = 1e-6;  // of a slope, at most

// The shift of light by refraction, as choose() takes it off where a straight line arrives: refraction_k, in
// cm (see RefractionModel). error: how far light may then arrive from there, at most, in cm.
struct ArrivalShift {
  double refraction_k, error;
};

// Refraction of the light of one step, as a bound:
//   error = s (|k| (relative error + spread) + error of k (1 + relative error + spread)),
// with s >= |(u, v)|/w^3 of all its light. docs/cherenkov-bound.md derives it.
// CORSIKA's direction of a step is the mean of those at its ends, so shorter than 1 where the magnetic
// field turned the particle. Its straight lines go by w as it is; refraction goes by u and v alone, that is
// by
//   c^2 = 1 - u^2 - v^2 = w^2 + short (1 - sin^2(theta) cos^2(phi)),  short = 1 - |direction|^2
//   (short_of_unit),
// and the shift k (u, v) / c^3 is (w/c)^3 of the one that choose() computes, which is least where w is.
// (1 + short/w^2)^(-3/2) is between 1 - 3/2 short/w^2 and 1: factor and spread are the middle and half of
// that.
class RefractionBound {
 public:
  // airmass: 1/w, for the minimum w in the cone; max_shift_per_k: the maximum of |(u, v)|/w^3 of all light.
  CHERENKOV_HOST_DEVICE RefractionBound(double airmass, double short_of_unit, double max_shift_per_k)
      : max_shift_per_k_(max_shift_per_k),
        spread_(0.75 * higher(0., short_of_unit) * (airmass * airmass)),
        relative_(spread_ + RefractionModel::relative_error(airmass)),
        short_of_unit_(fabs(short_of_unit)) {}

  [[nodiscard]] CHERENKOV_HOST_DEVICE double max_shift_per_k() const { return max_shift_per_k_; }

  // How far slopes may be from those at emission: refraction, and directions shorter than 1, whose light is
  // recorded by u and v alone.
  [[nodiscard]] CHERENKOV_HOST_DEVICE double tilt() const {
    return max_shift_per_k_ * (RefractionModel::kMaxSlopeChange + short_of_unit_) + kSlopeRounding;
  }

  [[nodiscard]] CHERENKOV_HOST_DEVICE ArrivalShift of(const RefractionModel::RefractionRange& range) const {
    return {range.k * (1. - spread_),
            max_shift_per_k_ * (fabs(range.k) * relative_ + range.error * (1. + relative_))};
  }

 private:
  double max_shift_per_k_, spread_, relative_, short_of_unit_;
};

// The same with the refraction of an event.
class StepRefraction : public RefractionBound {
 public:
  // max_sin: maximum of |(u, v)| of the light. `model` must outlive this.
  StepRefraction(const RefractionModel& model, const ConeBounds& cone, double airmass, double max_sin)
      // |(u, v)| / w^3, and the formula's error, are largest where w is least
      : RefractionBound(airmass, cone.short_of_unit, max_sin * (airmass * airmass * airmass)),
        model_(model) {}

  // The shift of light that leaves between two heights, cm above sea level.
  [[nodiscard]] ArrivalShift between(double from, double to) const { return of(model_.between(from, to)); }

  // The shift of the segment of kMaxBunches bunches that follows the first `done` of a step.
  [[nodiscard]] ArrivalShift of_segment(const Step& step, int done) const {
    const double from = step.before.z + done * step.between.z;
    return between(from, from + kMaxBunches * step.between.z);
  }

 private:
  const RefractionModel& model_;
};

// What is known of a step's light before anything is drawn.
struct StepBound {
  ConeBounds cone;
  StepRefraction refraction;
  double top, bottom;  // heights where the light begins and ends, cm above sea level
  ArrivalShift whole;  // of all bunches

  [[nodiscard]] double lowest() const { return std::min(top, bottom); }
  // Whether footprints are wide enough for a shift.
  static bool is_known(const ArrivalShift& shift) {
    return shift.error + kChooseRounding_cm + kMaxStepRounding_cm <= kFootprintMargin_cm;
  }
  // Of all light where it arrives.
  [[nodiscard]] Ring ring(const Step& step, const Plane& plane) const {
    return ring_of(step, plane, cone,
                   whole.error + std::fabs(whole.refraction_k) * refraction.max_shift_per_k() +
                       kChooseRounding_cm + kMaxStepRounding_cm,
                   refraction.tilt());
  }
};

// Of a step whose bunches have a beta n from `least` to `most`; sine: of the particle's zenith angle; plane:
// with the event's impact_offset; cut_w: as in Emission. None where the bounds do not hold
// (docs/cherenkov-bound.md): bunches near or below threshold, flat light, a direction longer than 1, light
// from below the plane or above the air.
inline std::optional<StepBound> step_bound_of(const Step& step, double least, double most, double sine,
                                              const Plane& plane, double cut_w,
                                              const RefractionModel& model) {
  if (!(least > 1. + kThresholdMargin)) return std::nullopt;
  const ConeBounds cone = cone_of(least, most, step.u0, step.v0, step.w0, sine);
  if (!(cone.min_w > RefractionModel::kMinW && cone.min_w > cut_w + 1e-6 &&
        cone.short_of_unit > -kMaxLengthExcess))
    return std::nullopt;
  const double airmass = 1. / cone.min_w;
  const double top = step.before.z + 0.5 * step.between.z, bottom = top + step.bunches * step.between.z;
  if (!(rounding(step, plane, airmass) < kMaxStepRounding_cm && std::min(top, bottom) >= plane.height &&
        std::max(top, bottom) <= kTopOfAtmosphere_cm))
    return std::nullopt;
  const StepRefraction refraction(model, cone, airmass, std::min(1., sine + cone.max_tan));
  return StepBound{cone, refraction, top, bottom, refraction.between(top, bottom)};
}

}  // namespace cherenkov::corsika
