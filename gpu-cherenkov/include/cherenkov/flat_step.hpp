/// The light of a step in flat air, as CORSIKA's CERENK has it (Frank and Tamm; CORSIKA Physics Manual), and
/// bounds of where it goes (docs/cherenkov-bound.md). Formulas over a number type; see real.hpp.
#if defined(CHERENKOV_FLAT_STEP_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CHERENKOV_FLAT_STEP_HPP
#undef CHERENKOV_FLAT_STEP_HPP
#else
#define CHERENKOV_FLAT_STEP_HPP
#endif

#include <cmath>
#include <new>
#include <optional>

#include "cherenkov/real.hpp"
#include "cherenkov/refraction_model.hpp"
#include "cherenkov/step.hpp"

CHERENKOV_BEGIN_FORMULAS

/// A particle's speed over that of light in vacuum.
template <class Real>
CHERENKOV_FORMULA Real beta_of(Real mass, Real energy) {
  const Real ratio = mass / energy;
  return sqrt((1. - ratio) * (1. + ratio));
}

/// Of light at beta n: cosine and squared sine of its angle to the particle.
template <class Real>
struct LightAngle {
  Real cosine, sine2;

  /// Of a bunch that has per_sin2 photons where sin^2 is 1, and a weight (option THIN).
  [[nodiscard]] CHERENKOV_FORMULA Real photons(Real per_sin2, Real weight) const {
    return per_sin2 * sine2 * weight;
  }
};
template <class Real>
CHERENKOV_FORMULA LightAngle<Real> light_angle(Real beta_n) {
  const Real cosine = 1. / beta_n;
  return {cosine, (1. - cosine) * (1. + cosine)};
}

/// Photons per cm where sin^2 = 1, and the number of bunches with its fraction; from beta n at a step's ends.
template <class Real>
struct StepYield {
  Real per_cm, bunches;
};
template <class Real, class Settings>
CHERENKOV_FORMULA StepYield<Real> yield_of(const Settings& settings, Real charge, Real length, Real begin,
                                           Real end) {
  const Real per_cm = settings.yield * (charge * charge);
  const Real largest = higher(begin, end);
  const Real photons = per_cm * length * (1. - 1. / (largest * largest));
  return {per_cm, photons / settings.bunch_size + 1.};
}

/// Sets how far apart bunches are in one coordinate, and where one before the first would be. part: 1/n.
template <class Real>
CHERENKOV_FORMULA void space(Real begin, Real end, Real part, Real& between, Real& before) {
  between = (end - begin) * part;
  before = begin - 0.5 * between;
}

/// Of the particle's frame (Step), with sine^2 of its zenith angle.
template <class Real>
struct Frame {
  Real cu, su, cv, sv, sine;
};
template <class Real>
CHERENKOV_FORMULA Frame<Real> frame_of(Real u, Real v, Real w, Real sin2) {
  const Real sine = sqrt(sin2);
  const Real over = 1. / sine;
  return {v * over, u * w * over, -u * over, v * w * over, sine};
}

/// Of a step whose beta n is between two numbers.
template <class Real>
CHERENKOV_FORMULA ConeOf<Real> cone_of(Real least, Real most, Real u, Real v, Real w, Real sine) {
  const Real min_tan = sqrt(higher(0., (least - 1.) * (least + 1.)));
  const Real max_tan = sqrt(higher(0., (most - 1.) * (most + 1.)));
  return {nfma(sine, max_tan, w * (2. - most)), min_tan, max_tan, most, 1. - fma(u, u, fma(v, v, w * w))};
}

/// How far rounding may move a position on the ground (cm), in CORSIKA's sums of n terms and in choose()'s
/// products.
template <class Real, class Point>
CHERENKOV_FORMULA Real rounding(Real n, const Point& before, const Point& between, const Plane& plane,
                                Real airmass) {
  const double plane_size =
      fabs(plane.x0) + fabs(plane.y0) + fabs(plane.height) + fabs(plane.x_impact) + fabs(plane.y_impact);
  const Real size = (fma(n, fabs(between.x), fabs(before.x)) + fma(n, fabs(between.y), fabs(before.y))) +
                    (fma(n, fabs(between.z), fabs(before.z)) + plane_size);
  return fma(Real(2.), n, Real(64.)) * (kUnitRoundoff * size) * (airmass * airmass);
}

/// The cone of all light of a step of n bunches from one point, its middle, without what refraction and
/// rounding add: slack is too small by that, tilt 0.
template <class Real, class Point>
CHERENKOV_FORMULA RingOf<Real> ring_of(Real n, const Point& before, const Point& between, Real u, Real v,
                                       Real w, const Plane& plane, const ConeOf<Real>& cone) {
  const Real half = 0.5 * n, middle = half + 0.5;
  const Real x = fma(middle, between.x, before.x) - plane.x0;
  const Real y = fma(middle, between.y, before.y) - plane.y0;
  const Real per_length = 1. / sqrt(higher(1e-3, 1. - cone.short_of_unit));  // of the particle's direction
  const Real ax = u * per_length, ay = v * per_length, aw = w * per_length;
  // The first and the last bunch leave half a step from there. Moving the apex by d along the axis moves the
  // cone by d sin(theta) <= d tan(theta); moving it sideways by d moves the cone by d, which is at most the
  // sum of the sizes of its components.
  const Real along = nfma(between.z, aw, fma(between.x, ax, between.y * ay));
  const Real forward = half * fabs(along);
  const Real aside = half * (fabs(nfma(along, ax, between.x)) +
                             (fabs(nfma(along, ay, between.y)) + fabs(fma(along, aw, between.z))));
  const Real cosine = plane.cos_turn, sine = plane.sin_turn;
  return {fma(x, cosine, y * sine) - plane.x_impact, nfma(x, sine, y * cosine) - plane.y_impact,
          fma(middle, between.z, before.z) - plane.height, fma(ax, cosine, ay * sine),
          nfma(ax, sine, ay * cosine), aw, 0.5 * (cone.max_tan + cone.min_tan), cone.max_secant,
          fma(forward, cone.max_tan, aside),
          // A short direction widens the cone by 1/length.
          fma(cone.max_secant, per_length - 1., fma(Real(0.5), cone.max_tan - cone.min_tan, Real(1e-9))), 0.,
          1.};
}

/// Bounds of the light of a step. They do not hold near or below threshold, for flat light, a direction
/// longer than 1, light from below the plane or above the air (docs/cherenkov-bound.md), and for values that
/// are not numbers.
template <class Real>
struct LightBound {
  ConeOf<Real> cone;              ///< min_w: kMinW at least
  Real airmass, max_shift_per_k;  ///< of RefractionBound
  Real top, bottom;               ///< heights where the light begins and ends, cm above sea level
  MaskOf<Real> holds;
};
/// Of n bunches whose beta n is from `least` to `most`. sine: of the particle's zenith angle; plane: with the
/// event's impact_offset.
template <class Real, class Point>
CHERENKOV_FORMULA LightBound<Real> light_bound(Real n, const Point& before, const Point& between, Real u,
                                               Real v, Real w, Real sine, Real least, Real most, double cut_w,
                                               const Plane& plane) {
  LightBound<Real> b;
  b.cone = cone_of(least, most, u, v, w, sine);
  b.holds = (least > 1. + kThresholdMargin) & (b.cone.short_of_unit > -kMaxLengthExcess) &
            (b.cone.min_w > RefractionModel::kMinW) & (b.cone.min_w > cut_w + 1e-6);
  b.cone.min_w = higher(b.cone.min_w, RefractionModel::kMinW);
  b.airmass = 1. / b.cone.min_w;
  b.max_shift_per_k = lower(1., sine + b.cone.max_tan) * (b.airmass * (b.airmass * b.airmass));
  b.top = fma(Real(0.5), between.z, before.z);
  b.bottom = fma(n, between.z, b.top);
  b.holds = b.holds & (rounding(n, before, between, plane, b.airmass) < kMaxStepRounding_cm) &
            (lower(b.top, b.bottom) >= plane.height) & (higher(b.top, b.bottom) <= kTopOfAtmosphere_cm);
  return b;
}

/// What is kept of a step's plan.
template <class Real>
struct StepPlan {
  struct Point {
    Real path, x, y, z, time;
  };
  Real kind;     ///< LightKind
  Real bounded;  ///< not 0 where the bounds hold
  Real bunches;
  Point before, between;  ///< this and the next two lines: of Step
  Real beta_n, beta_n_slope, photons_per_sin2, weight;
  Real cu, su, u0, cv, sv, v0, sw, w0;
  Real airmass, max_shift_per_k, short_of_unit, top, bottom;  ///< of LightBound
  RingOf<Real> ring;                                          ///< without refraction and rounding
  Real from, to;  ///< where the light begins and ends along the shower's axis, cm
};

/// A step and its light, part by part; each needs those before. Every member after kind is undefined where
/// there is no light.
template <class Real>
struct FlatStep {
  using Mask = MaskOf<Real>;

  Real begin, middle, end;  ///< beta n
  Mask dark;                ///< CERENK returns at once
  StepYield<Real> yield;
  Real sin2;            ///< of the particle's zenith angle
  Real bend;            ///< 0 where beta n is linear
  Mask single, linear;  ///< one bunch; beta n counts as linear
  Real kind;            ///< LightKind
  Real n, beta_n, slope;
  typename StepPlan<Real>::Point before, between;  ///< as in Step, without times
  Real photons_per_sin2;
  Frame<Real> frame;
  LightBound<Real> bound;

  CHERENKOV_FORMULA void find_ends(const StepInput<Real>& in, double cut_w) {
    begin = beta_of(in.mass, in.begin_energy) * in.index_begin;
    end = beta_of(in.mass, in.end_energy) * in.index_end;
    dark = (in.w < cut_w) | (in.length <= 0.) | ((begin < 1.) & (end < 1.));
  }

  /// What CERENK makes of it. settings: with yield and bunch_size.
  template <class Settings>
  CHERENKOV_FORMULA void find_light(const StepInput<Real>& in, const Settings& settings) {
    const Real half = in.mass * 2. / (in.begin_energy + in.end_energy);
    middle = sqrt(1. - half * half) * in.index_middle;
    yield = yield_of(settings, in.charge, in.length, begin, end);
    // Before numbers that are not representable are rounded.
    const Mask countable = yield.bunches < kMaxBunchesOfAStep;
    n = trunc(select(countable, yield.bunches, 1.));
    sin2 = higher(1e-20, in.u * in.u + in.v * in.v);
    bend = fabs((2. - 1. / (begin * begin) - 1. / (end * end)) / (1. - 1. / (middle * middle)) - 2.);
    single = n == 1.;
    linear = (begin > 1.) & (end > 1.) & ((middle > 1.) & (bend < 2e-3 * in.w));
    const Mask none = dark | (countable & (n < 1.));
    const Mask known = countable & (sin2 > kVerticalSin2) & (single | linear);
    kind = select(none, 0., select(known, 1., 2.));
    n = higher(n, 1.);
    beta_n = select(single, middle, begin);
    slope = select(single, 0., (end - begin) / in.length);
  }

  CHERENKOV_FORMULA void find_spacing(const StepInput<Real>& in) {
    const Real part = 1. / n;
    between.path = in.length * part;
    before.path = -0.5 * between.path;
    space(in.x_begin, in.x_end, part, between.x, before.x);
    space(in.y_begin, in.y_end, part, between.y, before.y);
    space(in.z_begin, in.z_end, part, between.z, before.z);
    photons_per_sin2 = yield.per_cm * between.path;
  }

  CHERENKOV_FORMULA void find_bounds(const StepInput<Real>& in, const PlanSettings& settings) {
    frame = frame_of(in.u, in.v, in.w, sin2);
    const Real first = fma(slope, before.path + between.path, beta_n);
    const Real last = fma(slope, fma(n, between.path, before.path), beta_n);
    bound = light_bound(n, before, between, in.u, in.v, in.w, frame.sine, lower(first, last),
                        higher(first, last), settings.cut_w, settings.plane);
  }

  [[nodiscard]] CHERENKOV_FORMULA RingOf<Real> ring(const StepInput<Real>& in, const Plane& plane) const {
    return ring_of(n, before, between, in.u, in.v, in.w, plane, bound.cone);
  }

  [[nodiscard]] CHERENKOV_FORMULA StepPlan<Real> plan(const StepInput<Real>& in,
                                                      const PlanSettings& settings) const {
    StepPlan<Real> p;
    p.kind = kind, p.bounded = select(bound.holds, 1., 0.), p.bunches = n;
    p.before = before, p.between = between;
    p.beta_n = beta_n, p.beta_n_slope = slope, p.photons_per_sin2 = photons_per_sin2, p.weight = in.weight;
    p.cu = frame.cu, p.su = frame.su, p.u0 = in.u;
    p.cv = frame.cv, p.sv = frame.sv, p.v0 = in.v;
    p.sw = -frame.sine, p.w0 = in.w;
    p.airmass = bound.airmass, p.max_shift_per_k = bound.max_shift_per_k;
    p.short_of_unit = bound.cone.short_of_unit, p.top = bound.top, p.bottom = bound.bottom;
    new (&p.ring) RingOf<Real>(ring(in, settings.plane));  // in place: a copy would go through memory
    p.from = distance(0.5, settings.axis), p.to = distance(n + 0.5, settings.axis);
    return p;
  }

  /// Along the shower's axis, of the light after so many spacings.
  [[nodiscard]] CHERENKOV_FORMULA Real distance(Real spacings, const ShowerAxis& axis) const {
    const Real x = fma(spacings, between.x, before.x), y = fma(spacings, between.y, before.y),
               z = fma(spacings, between.z, before.z);
    return fma(x, Real(axis.along_x),
               fma(y, Real(axis.along_y), nfma(z, Real(axis.along_z), Real(axis.start))));
  }
};

CHERENKOV_END_FORMULAS

#ifndef HWY_TARGET_INCLUDE
namespace cherenkov {

/// `ring` with what refraction and rounding add. ground_slack: how far they move light on the detection
/// plane, at most, cm. tilt: how far they turn it, at most, as a difference of slopes.
CHERENKOV_HOST_DEVICE inline Ring widened(Ring ring, double ground_slack, double tilt, double airmass) {
  ring.slack += ground_slack;
  ring.tilt = tilt;
  ring.radius_scale = 1. + tilt * airmass;
  return ring;
}

CHERENKOV_HOST_DEVICE inline Ring ring_of(const Step& s, const Plane& plane, const ConeBounds& cone,
                                          double ground_slack, double tilt) {
  return widened(ring_of<double>(s.bunches, s.before, s.between, s.u0, s.v0, s.w0, plane, cone), ground_slack,
                 tilt, 1. / cone.min_w);
}

/// Where the light of a step may arrive, where its bounds hold.
struct StepBound {
  RefractionBound refraction;
  double lowest;       ///< height of its light, cm above sea level
  ArrivalShift whole;  ///< of all bunches
  Ring ring;           ///< of all light where it arrives

  /// leaving: the ring without refraction and rounding; range: of refraction between the light's heights.
  CHERENKOV_HOST_DEVICE StepBound(const RefractionBound& bound, double top, double bottom,
                                  const Ring& leaving, const RefractionModel::RefractionRange& range)
      : refraction(bound),
        lowest(lower(top, bottom)),
        whole(bound.of(range)),
        ring(widened(leaving, whole.error + fabs(whole.refraction_k) * bound.max_shift_per_k, bound.tilt(),
                     bound.airmass)) {}
};

/// Of a step whose bunches have a beta n from `least` to `most`; plane: with the event's impact_offset. None
/// where the bounds do not hold.
inline std::optional<StepBound> step_bound_of(const Step& s, double least, double most, const Plane& plane,
                                              double cut_w, const RefractionModel& model) {
  const double n = s.bunches;
  const auto b = light_bound(n, s.before, s.between, s.u0, s.v0, s.w0, -s.sw, least, most, cut_w, plane);
  if (!b.holds) return std::nullopt;
  return StepBound({b.airmass, b.max_shift_per_k, b.cone.short_of_unit}, b.top, b.bottom,
                   ring_of(n, s.before, s.between, s.u0, s.v0, s.w0, plane, b.cone),
                   model.between(b.top, b.bottom));
}

/// The direction of light of a step, w downwards; phi: its azimuth around the particle.
struct LightDirection {
  double u, v, w;
};
inline LightDirection light_direction(const Step& s, double cos_theta, double sin2_theta, double phi) {
  const double sin_theta = std::sqrt(sin2_theta);
  const double x_turn = sin_theta * std::cos(phi), y_turn = sin_theta * std::sin(phi);
  return {s.cu * x_turn + s.su * y_turn + s.u0 * cos_theta, s.cv * x_turn + s.sv * y_turn + s.v0 * cos_theta,
          s.sw * y_turn + s.w0 * cos_theta};
}

}  // namespace cherenkov
#endif
#endif
