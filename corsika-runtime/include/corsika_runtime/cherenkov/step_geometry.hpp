// What CERENK computes before its loop in every kind of build. Each operation in CERENK's order, for sources
// compiled with -ffp-contract=off.
#pragma once

#include <algorithm>
#include <cmath>

#include "cherenkov/flat_step.hpp"
#include "corsika_runtime/cherenkov/charged_step.hpp"

namespace cherenkov::corsika {

inline double square(double x) { return x * x; }

// Of a step of n bunches with so many photons per cm and sin^2.
inline void set_spacing(const ChargedStep& c, int n, double per_cm, Step& step) {
  const double part = 1. / static_cast<double>(n);
  step.bunches = n;
  Step::Point &between = step.between, &before = step.before;
  between.path = c.length * part;
  before.path = -0.5 * between.path;
  space(c.x_begin, c.x_end, part, between.x, before.x);
  space(c.y_begin, c.y_end, part, between.y, before.y);
  space(c.z_begin, c.z_end, part, between.z, before.z);
  space(c.begin_time, c.end_time, part, between.time, before.time);
  step.photons_per_sin2 = per_cm * between.path;
  step.weight = c.weight;
}

// A particle's direction, w downwards.
struct Direction {
  double u, v, w;
};

inline void set_frame(const Direction& d, double sin2, Step& step) {
  const Frame<double> frame = frame_of(d.u, d.v, d.w, sin2);
  step.cu = frame.cu, step.su = frame.su, step.u0 = d.u;
  step.cv = frame.cv, step.sv = frame.sv, step.v0 = d.v;
  step.sw = -frame.sine, step.w0 = d.w;
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
