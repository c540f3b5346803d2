// Where the light of a step can arrive in the curved geometry. Host and device code; docs/cherenkov-bound.md
// derives it. To be compiled without contraction.
#pragma once

#include <cmath>

#include "cherenkov/flat_step.hpp"
#include "corsika_runtime/cherenkov/curved_arrival.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {

// Of the bunches of a step that emit light: the smallest and the largest beta n and apparent height
// (CurvedLoop), cm.
struct CurvedRange {
  double least_beta_n, most_beta_n;
  double low, high;
};

// Members but the first are set only where is_bounded. In the telescopes' frame.
struct CurvedBound {
  bool is_bounded;
  double error;             // how far light may arrive from a straight line's place after the shift, cm
  double shift_x, shift_y;  // cm
  double tilt;              // how far slopes may be from those of straight lines
  Ring ring;                // of all the light, shifted
};

// is_bounded is false where a condition of docs/cherenkov-bound.md does not hold. step: at apparent heights.
// plane: with the event's impact_offset; x0 and y0 are 0, for CERENK of CURVED does not subtract XOFF and
// YOFF. cut_w: as in Emission. top: Spheres::top(), cm above the plane.
CHERENKOV_HOST_DEVICE inline CurvedBound curved_bound_of(const Step& step, const CurvedRange& light,
                                                         const Plane& plane, double cut_w, double top,
                                                         const CurvedArrivalView& arrival) {
  CurvedBound bound{};
  const double sine = -step.sw;
  if (!(sine > 0.)) return bound;
  const double most = light.most_beta_n;
  const ConeBounds cone = cone_of(light.least_beta_n, most, step.u0, step.v0, step.w0, sine);
  if (!(cone.min_w > kLeastCurvedW && cone.min_w > cut_w + 1e-6 && cone.short_of_unit > -kMaxLengthExcess &&
        cone.short_of_unit < 0.5 && light.low > plane.height + top))
    return bound;
  const double airmass = 1. / cone.min_w;
  CurvedArrivalView::Shift shift{};
  if (!(rounding(step, plane, airmass) < kMaxStepRounding_cm &&
        arrival.shift(cone.min_w, lower(step.w0 + sine * cone.max_tan, 1.), light.low - 1., light.high + 1.,
                      shift)))
    return bound;

  // The shift points along the light's horizontal direction, which is within `turn` of the particle's.
  const double middle = 0.5 * (shift.low + shift.high), half = 0.5 * (shift.high - shift.low);
  const double turn = lower(2. * cone.max_tan / sine, 2.);
  // A direction that is shorter than 1: the straight line goes by u, v and w, DISTIP by w alone.
  const double shortness = higher(cone.short_of_unit, 0.);
  const double least_sine = sine * (1. - cone.max_tan * cone.max_tan) - cone.max_tan;
  const double difference = least_sine > 0. && shortness < 4. * least_sine * least_sine
                                ? shortness / (2. * least_sine)
                                : sqrt(shortness);
  // 1e-8: of what choose() rounds, for paths longer than kChooseRounding_cm allows for.
  bound.error = half + fabs(middle) * turn + (light.high - plane.height) * airmass * (difference + 1e-8) +
                kChooseRounding_cm + kMaxStepRounding_cm;
  bound.tilt = lower(sine + cone.max_tan, 1.) * airmass * airmass * airmass * shortness +
               RefractionBound::kSlopeRounding;
  bound.ring = ring_of(step, plane, cone, bound.error, bound.tilt);
  // (-cv, cu) is the particle's horizontal direction, a unit vector.
  bound.shift_x = middle * (step.cu * plane.sin_turn - step.cv * plane.cos_turn);
  bound.shift_y = middle * (step.cu * plane.cos_turn + step.cv * plane.sin_turn);
  bound.ring.x += bound.shift_x;
  bound.ring.y += bound.shift_y;
  bound.is_bounded = true;
  return bound;
}

// Where the light of some bunches, one behind the other, begins and ends for CERLDE.
struct LightEnds {
  Step::Point from, to;
  double overlap;  // of bunches, or gaps, where apparent heights are spaced in another way

  // Option CURVED: how far the distance of light in between, along the shower's axis, may be outside of those
  // at both ends, cm. The map from a straight line to the axis's frame has second derivatives of at most 3/R,
  // so between its ends, L apart, a coordinate is within L^2/8 of that times the straight line.
  [[nodiscard]] CHERENKOV_HOST_DEVICE double slack(double earth_radius) const {
    const double x = to.x - from.x, y = to.y - from.y, z = to.z - from.z;
    return 3. / (8. * earth_radius) * (x * x + y * y + z * z) + overlap;
  }
};

// From bunch `first` to bunch `last`. half: of the way from one bunch to the next, for CERLDE. The products
// differ from CERENK's running sums by less than kBinRounding_cm allows for.
CHERENKOV_HOST_DEVICE inline LightEnds light_ends(const Step& step, const Step::Point& half, int first,
                                                  int last) {
  const Step::Point &before = step.before, &between = step.between;
  const double to_first = first + 1, to_last = last + 1;
  return {{0., before.x + to_first * between.x - half.x, before.y + to_first * between.y - half.y,
           before.z + to_first * between.z - half.z, 0.},
          {0., before.x + to_last * between.x + half.x, before.y + to_last * between.y + half.y,
           before.z + to_last * between.z + half.z, 0.},
          fabs(2. * half.z - between.z)};
}

}  // namespace cherenkov::corsika
