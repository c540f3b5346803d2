#include "arrival_shift.hpp"

#include <algorithm>
#include <cmath>

#include "cherenkov/bunches.hpp"

namespace cherenkov::corsika {
namespace {

constexpr double kMostTilt = 1e-6;  // of slopes, for what is rounded
constexpr double kUlp = 0x1p-53;    // of one operation, relative

}  // namespace

Refraction::Refraction(const Bend* bend, const Cone& cone, double airmass, double most_sin)
    : bend_(bend),
      spread_(0.75 * std::max(0., cone.short_of_unit) * (airmass * airmass)),
      factor_(1. - spread_),
      // |(u, v)| / w^3, and the formula's error, are largest where w is least
      most_slope_(most_sin * (airmass * airmass * airmass)),
      formula_error_(Bend::relative_error(airmass)),
      short_of_unit_(std::fabs(cone.short_of_unit)) {}

double Refraction::tilt() const {
  return most_slope_ * ((bend_ == nullptr ? 0. : Bend::kMostTurn) + short_of_unit_) + kMostTilt;
}

Refraction::Aim Refraction::between(double from, double to) const {
  if (bend_ == nullptr) return {0., 0.};
  const Bend::Strength strength = bend_->between(from, to);
  const double size = std::fabs(strength.k);
  const double relative = spread_ + formula_error_;
  return {strength.k * factor_, most_slope_ * (size * relative + strength.error * (1. + relative))};
}

Refraction::Aim Refraction::of_chunk(const Step& step, int done) const {
  const double from = step.before.z + done * step.between.z;
  return between(from, from + kMostBunches * step.between.z);
}

double rounding(const Step& step, const Plane& plane, double airmass) {
  const double n = step.bunches;
  const auto reach = [n](double before, double between) {
    return std::fabs(before) + n * std::fabs(between);
  };
  const double size = reach(step.before.x, step.between.x) + reach(step.before.y, step.between.y) +
                      reach(step.before.z, step.between.z) + std::fabs(plane.x0) + std::fabs(plane.y0) +
                      std::fabs(plane.height) + std::fabs(plane.x_impact) + std::fabs(plane.y_impact);
  return (2. * n + 64.) * kUlp * size * (airmass * airmass);
}

}  // namespace cherenkov::corsika
