// How far refraction moves the light of a step, and how well that is known; how far rounding may move it.
#pragma once

#include <algorithm>
#include <cmath>

#include "cherenkov/bunches.hpp"
#include "cherenkov/refraction_model.hpp"
#include "cherenkov/ring.hpp"
#include "cherenkov/step.hpp"

namespace cherenkov::corsika {

inline constexpr double kSlopeRounding = 1e-6;    // of a slope, at most
inline constexpr double kUnitRoundoff = 0x1p-53;  // of one operation, relative

// The shift of light by refraction, as choose() takes it off where a straight line arrives: refraction_k, in
// cm (see RefractionModel). error: how far light may then arrive from there, at most, in cm.
struct ArrivalShift {
  double refraction_k, error;
};

// Refraction of the light of one step, as a bound:
//   error = s (|k| (relative error + spread) + error of k (1 + relative error + spread)),
// with s >= |(u, v)|/w^3 of all its light. docs/cherenkov-bound.md derives it.
// In the header, so that the compiler can inline it: it is called for every step.
class StepRefraction {
 public:
  // airmass: 1/w, for the minimum w in the cone; max_sin: maximum of |(u, v)| of its light. `model` must
  // outlive this.
  StepRefraction(const RefractionModel& model, const ConeBounds& cone, double airmass, double max_sin);

  // The maximum of |(u, v)|/w^3 of all light of the step: its shift over k.
  [[nodiscard]] double max_shift_per_k() const { return max_shift_per_k_; }

  // How far slopes may be from those at emission: refraction, and directions shorter than 1, whose light is
  // recorded by u and v alone.
  [[nodiscard]] double tilt() const;

  // The shift of light that leaves between two heights, cm above sea level.
  [[nodiscard]] ArrivalShift between(double from, double to) const;

  // The shift of the segment of kMaxBunches bunches that follows the first `done` of a step.
  [[nodiscard]] ArrivalShift of_segment(const Step& step, int done) const;

 private:
  const RefractionModel& refraction_model_;
  // CORSIKA's direction of a step is the mean of those at its ends, so shorter than 1 where the magnetic
  // field turned the particle. Its straight lines go by w as it is; refraction goes by u and v alone, that is
  // by
  //   c^2 = 1 - u^2 - v^2 = w^2 + short (1 - sin^2(theta) cos^2(phi)),  short = 1 - |direction|^2
  //   (short_of_unit),
  // and the shift k (u, v) / c^3 is (w/c)^3 of the one that choose() computes, which is least where w is.
  // (1 + short/w^2)^(-3/2) is between 1 - 3/2 short/w^2 and 1: factor and spread are the middle and half of
  // that.
  double spread_, factor_;
  double max_shift_per_k_, formula_error_, short_of_unit_;
};

inline StepRefraction::StepRefraction(const RefractionModel& model, const ConeBounds& cone, double airmass,
                                      double max_sin)
    : refraction_model_(model),
      spread_(0.75 * std::max(0., cone.short_of_unit) * (airmass * airmass)),
      factor_(1. - spread_),
      // |(u, v)| / w^3, and the formula's error, are largest where w is least
      max_shift_per_k_(max_sin * (airmass * airmass * airmass)),
      formula_error_(RefractionModel::relative_error(airmass)),
      short_of_unit_(std::fabs(cone.short_of_unit)) {}

inline double StepRefraction::tilt() const {
  return max_shift_per_k_ * (RefractionModel::kMaxSlopeChange + short_of_unit_) + kSlopeRounding;
}

inline ArrivalShift StepRefraction::between(double from, double to) const {
  const RefractionModel::RefractionRange range = refraction_model_.between(from, to);
  const double size = std::fabs(range.k);
  const double relative = spread_ + formula_error_;
  return {range.k * factor_, max_shift_per_k_ * (size * relative + range.error * (1. + relative))};
}

inline ArrivalShift StepRefraction::of_segment(const Step& step, int done) const {
  const double from = step.before.z + done * step.between.z;
  return between(from, from + kMaxBunches * step.between.z);
}

// How far rounding may move a position on the ground (cm), in CORSIKA's sums of n terms and in choose()'s
// products.
CHERENKOV_HOST_DEVICE inline double rounding(const Step& step, const Plane& plane, double airmass) {
  const double n = step.bunches;
  const auto reach = [n](double before, double between) { return fabs(before) + n * fabs(between); };
  const double size = reach(step.before.x, step.between.x) + reach(step.before.y, step.between.y) +
                      reach(step.before.z, step.between.z) + fabs(plane.x0) + fabs(plane.y0) +
                      fabs(plane.height) + fabs(plane.x_impact) + fabs(plane.y_impact);
  return (2. * n + 64.) * kUnitRoundoff * size * (airmass * airmass);
}

}  // namespace cherenkov::corsika
