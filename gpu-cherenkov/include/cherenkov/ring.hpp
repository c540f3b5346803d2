/// The Cherenkov ring of a whole step: the cone of its light, which cuts a ring out of any plane. Host and
/// device code.
#pragma once

#include <cmath>

#include "cherenkov/plane.hpp"
#include "cherenkov/step.hpp"

namespace cherenkov {

/// Bounds of the directions of a step's light, without units. theta is the Cherenkov angle. Tangents are
/// exact where beta n is: tan^2(theta) = (beta n)^2 - 1.
struct ConeBounds {
  double min_w;             ///< minimum cosine of the light's zenith angle, > 0
  double min_tan, max_tan;  ///< minimum and maximum of tan(theta)
  double max_secant;        ///< maximum of 1/cos(theta), that is of beta n
  double short_of_unit;     ///< 1 - the squared length of the particle's direction
};

/// The cone of light of a step, from one point for all of it; in the telescopes' frame, cm. At a point that
/// is a along and b across the axis from the apex, light may be slack + slack_per_cm (|a| + b) from this
/// cone.
struct Ring {
  double x, y, height;  ///< of the apex, height above the detection plane
  double u, v, w;       ///< of its axis, a unit vector, w downwards
  double tan_theta;     ///< of the cone's half opening angle theta: the middle of its bounds
  double secant;        ///< maximum of 1/cos(theta)
  double slack;         ///< cm
  double slack_per_cm;  ///< without a unit
  double tilt;          ///< how far the slope of light may be from that of a straight line of the cone
  double radius_scale;  ///< of the radius of a sphere that light passes through: 1 + tilt/w
};

/// The cone of all light of a step from one point, its middle. ground_slack: how far refraction and
/// rounding move light on the detection plane, at most, cm. tilt: how far they turn it, at most, as a
/// difference of slopes.
CHERENKOV_HOST_DEVICE inline Ring ring_of(const Step& step, const Plane& plane, const ConeBounds& cone,
                                          double ground_slack, double tilt) {
  const double half = 0.5 * step.bunches;
  const Step::Point& to = step.between;
  const double x = step.before.x + (half + 0.5) * to.x - plane.x0;
  const double y = step.before.y + (half + 0.5) * to.y - plane.y0;
  const double height = step.before.z + (half + 0.5) * to.z - plane.height;
  const double per_length = 1. / sqrt(1. - cone.short_of_unit);  // of the particle's direction
  const double a_x = step.u0 * per_length;
  const double a_y = step.v0 * per_length;
  const double a_w = step.w0 * per_length;
  // The first and the last bunch leave half a step from there. Moving the apex by d along the axis moves the
  // cone by d sin(theta) <= d tan(theta); moving it sideways by d moves the cone by d, which is at most the
  // sum of the sizes of its components.
  const double along = to.x * a_x + to.y * a_y - to.z * a_w;
  const double forward = half * fabs(along);
  const double aside =
      half * (fabs(to.x - along * a_x) + fabs(to.y - along * a_y) + fabs(to.z + along * a_w));
  // A short direction widens the cone by 1/length.
  const double spread = 0.5 * (cone.max_tan - cone.min_tan) + cone.max_secant * (per_length - 1.) + 1e-9;
  return {x * plane.cos_turn + y * plane.sin_turn - plane.x_impact,
          y * plane.cos_turn - x * plane.sin_turn - plane.y_impact,
          height,
          a_x * plane.cos_turn + a_y * plane.sin_turn,
          a_y * plane.cos_turn - a_x * plane.sin_turn,
          a_w,
          0.5 * (cone.max_tan + cone.min_tan),
          cone.max_secant,
          forward * cone.max_tan + aside + ground_slack,
          spread,
          tilt,
          1. + tilt / cone.min_w};
}

}  // namespace cherenkov
