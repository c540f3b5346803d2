// What CERENK computes before its loop in every kind of build. Each operation in CERENK's order, for sources
// compiled with -ffp-contract=off.
#pragma once

#include <algorithm>
#include <cmath>

#include "corsika_runtime/cherenkov/charged_step.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {

// A step with this many bunches or more, or whose number of them is NaN, is LightKind::kOther: CORSIKA's
// integers may not hold the number.
inline constexpr double kMaxBunchesOfAStep = 2e9;

inline double square(double x) { return x * x; }

inline double beta(double mass, double energy) {
  return std::sqrt((1. - mass / energy) * (1. + mass / energy));
}

// Of a step of n bunches with so many photons per cm and sin^2.
inline void set_spacing(const ChargedStep& c, int n, double per_cm, Step& step) {
  const double part = 1. / static_cast<double>(n);
  step.bunches = n;
  step.between = {c.length * part, (c.x_end - c.x_begin) * part, (c.y_end - c.y_begin) * part,
                  (c.z_end - c.z_begin) * part, (c.end_time - c.begin_time) * part};
  const Step::Point& d = step.between;
  step.before = {-0.5 * d.path, c.x_begin - 0.5 * d.x, c.y_begin - 0.5 * d.y, c.z_begin - 0.5 * d.z,
                 c.begin_time - 0.5 * d.time};
  step.photons_per_sin2 = per_cm * d.path;
}

// A particle's direction, w downwards.
struct Direction {
  double u, v, w;
};

inline void set_frame(const Direction& d, double sin2, Step& step) {
  const double sine = std::sqrt(sin2);
  const double over_sine = 1. / sine;
  step.cu = d.v * over_sine;
  step.su = d.u * d.w * over_sine;
  step.u0 = d.u;
  step.cv = -d.u * over_sine;
  step.sv = d.v * d.w * over_sine;
  step.v0 = d.v;
  step.sw = -sine;
  step.w0 = d.w;
}

inline double sin2_of(const Direction& d) { return std::max(1e-20, d.u * d.u + d.v * d.v); }

// Also of a vertical particle.
inline void set_frame_of_any(const Direction& d, Step& step) {
  const double sin2 = sin2_of(d);
  if (sin2 > kVerticalSin2)
    set_frame(d, sin2, step);
  else
    step.cu = step.sv = step.w0 = 1.;
}

}  // namespace cherenkov::corsika
