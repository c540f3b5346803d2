// How far refraction moves the light of a step, and how well that is known; how far rounding may move it.
#pragma once

#include "cherenkov/bend.hpp"
#include "cherenkov/ring.hpp"
#include "cherenkov/step.hpp"

namespace cherenkov::corsika {

// What choose() must know of refraction, and how far (cm) light may then arrive from where it looks. The
// bound is that of docs/cherenkov.md.
class Refraction {
 public:
  // k: see Bend, cm; error: cm, at most.
  struct Aim {
    double k, error;
  };

  // bend: null where light goes straight; airmass: 1/w, of the least w in the cone; most_sin: |(u, v)| of its
  // light, at most.
  Refraction(const Bend* bend, const Cone& cone, double airmass, double most_sin);

  // Of all light of the step: its shift over k, at most.
  [[nodiscard]] double most_slope() const { return most_slope_; }

  // How far slopes may be from those at emission: refraction, and directions shorter than 1, whose light is
  // recorded by u and v alone.
  [[nodiscard]] double tilt() const;

  // Of light that leaves between two heights, cm above sea level.
  [[nodiscard]] Aim between(double from, double to) const;

  // Of the kMostBunches bunches that follow the first `done` of a step.
  [[nodiscard]] Aim of_chunk(const Step& step, int done) const;

 private:
  const Bend* bend_;
  // CORSIKA's direction of a step is the mean of those at its ends, so shorter than 1 where the magnetic
  // field turned the particle. Its straight lines go by w as it is; refraction goes by u and v alone, that is
  // by
  //   c^2 = 1 - u^2 - v^2 = w^2 + s (1 - sin^2(theta) cos^2(phi)),  s = 1 - |direction|^2,
  // and the shift k (u, v) / c^3 is (w/c)^3 of the one that choose() computes, which is least where w is.
  // (1 + s/w^2)^(-3/2) is between 1 - 3/2 s/w^2 and 1: factor and spread are the middle and half of that.
  double spread_, factor_;
  double most_slope_, formula_error_, short_of_unit_;
};

// How far rounding may move a position on the ground (cm), in CORSIKA's sums of n terms and in choose()'s
// products.
double rounding(const Step& step, const Plane& plane, double airmass);

}  // namespace cherenkov::corsika
