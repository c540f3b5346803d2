/// The Cherenkov ring of a whole step: the cone of its light, which cuts a ring out of any plane.
#pragma once

namespace cherenkov {

/// Bounds of the directions of a step's light, without units. theta is the Cherenkov angle. Tangents are
/// exact where beta n is: tan^2(theta) = (beta n)^2 - 1.
template <class Real>
struct ConeOf {
  Real min_w;             ///< minimum cosine of the light's zenith angle, > 0
  Real min_tan, max_tan;  ///< minimum and maximum of tan(theta)
  Real max_secant;        ///< maximum of 1/cos(theta), that is of beta n
  Real short_of_unit;     ///< 1 - the squared length of the particle's direction
};
using ConeBounds = ConeOf<double>;

/// The cone of light of a step, from one point for all of it; in the telescopes' frame, cm. At a point that
/// is a along and b across the axis from the apex, light may be slack + slack_per_cm (|a| + b) from this
/// cone.
template <class Real>
struct RingOf {
  Real x, y, height;  ///< of the apex, height above the detection plane
  Real u, v, w;       ///< of its axis, a unit vector, w downwards
  Real tan_theta;     ///< of the cone's half opening angle theta: the middle of its bounds
  Real secant;        ///< maximum of 1/cos(theta)
  Real slack;         ///< cm
  Real slack_per_cm;  ///< without a unit
  Real tilt;          ///< how far the slope of light may be from that of a straight line of the cone
  Real radius_scale;  ///< of the radius of a sphere that light passes through: 1 + tilt/w
};
using Ring = RingOf<double>;

}  // namespace cherenkov
