/// Refractive indices of single bunches: air that is exponential along a step (CORSIKA's option CURVED),
/// dispersion (CERWLEN); the end of an electron's step on a curved Earth (ELECTR); and CERENK's test of where
/// light arrives without the IACT package. Formulas over a number type; see real.hpp.
#if defined(CHERENKOV_BUNCH_LIGHT_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CHERENKOV_BUNCH_LIGHT_HPP
#undef CHERENKOV_BUNCH_LIGHT_HPP
#else
#define CHERENKOV_BUNCH_LIGHT_HPP
#endif

#include <cmath>
#include <initializer_list>

#include "cherenkov/bunches.hpp"
#include "cherenkov/real.hpp"

CHERENKOV_BEGIN_FORMULAS

/// The refractive index, where the air's density is known to a relative error: the same for all such
/// densities if it is certain.
template <class Real>
struct IndexRange {
  Real least, most;
  [[nodiscard]] CHERENKOV_FORMULA MaskOf<Real> is_certain() const { return least == most; }
};

/// 1 + excess exp(t), |t| <= 0.125, where the exponential is known to a relative error.
template <class Real>
CHERENKOV_FORMULA IndexRange<Real> index_at(Real t, double excess, double error) {
  // exp(t): Taylor's series to t^10. The next term is below 3e-18.
  Real sum = 1. / 3628800.;
  for (const double factor :
       {1. / 362880., 1. / 40320., 1. / 5040., 1. / 720., 1. / 120., 1. / 24., 1. / 6., 0.5, 1., 1.})
    sum = fma(sum, t, Real(factor));
  const Real here = excess * sum, margin = here * error;
  return {1. + (here - margin), 1. + (here + margin)};
}

/// At a wavelength of 400/x nm, where the index without dispersion is `index`. CERENK's factor of n - 1 is
/// 0.967 + 0.033 x^2.5, by pow(). Here a root gives the power, which differs from any library's pow() by a
/// relative 4e-15 at most.
template <class Real>
CHERENKOV_FORMULA IndexRange<Real> dispersed_range(Real index, Real x) {
  constexpr double kError = 4e-15;
  const Real power = x * x * sqrt(x), excess = index - 1.;
  // CERENK's operations on both ends of what its power may be: each rises with it.
  return {1. + excess * (0.967 + 0.033 * (power - power * kError)),
          1. + excess * (0.967 + 0.033 * (power + power * kError))};
}

/// A step's end by the length of its chord: its distance from the Earth's centre (cm), and the sine of the
/// angle there between begin and end. height: of the end from the Earth's centre, cm.
template <class Real>
struct Chord {
  Real radius, sine;

  /// By how much the way along the Earth's surface is longer than the chord is wide. arc: asin(sine).
  [[nodiscard]] CHERENKOV_FORMULA Real ratio(Real arc, Real earth_radius) const {
    const auto turns = sine > 0.;
    return select(turns, earth_radius * arc, 1.) / select(turns, radius * sine, 1.);
  }
};
template <class Real>
CHERENKOV_FORMULA Chord<Real> chord_of(Real length, Real u, Real v, Real height) {
  const Real across2 = length * length * (u * u + v * v);
  const Real radius = sqrt(across2 + height * height);
  return {radius, sqrt(across2) / radius};
}

/// Whether light that arrives within `error` of (x, y) may be counted; with an error of 0, as of the next
/// one, CERENK's answer, by its operations.
template <class Real>
CHERENKOV_FORMULA MaskOf<Real> is_counted(const DetectorGrid& grid, Real x, Real y, double error = 0.) {
  return (fabs(x) < grid.x.counted + error) & (fabs(y) < grid.y.counted + error);
}
/// Whether it may hit a detector.
template <class Real>
CHERENKOV_FORMULA MaskOf<Real> is_hit(const DetectorGrid& grid, Real x, Real y, double error = 0.) {
  const auto holds = [error](const DetectorGrid::Axis& axis, int core, Real at) {
    const Real from = at - axis.centre[core], place = fma(from, Real(axis.per_cm), Real(axis.shift));
    const Real off = fabs(place - ((place + 0x1.8p52) - 0x1.8p52));  // from the nearest whole number
    return (off <= axis.half + error * axis.per_cm) & (fabs(from) <= axis.reach + error);
  };
  auto hit = fabs(x) < 0.;
  for (int core = 0; core < grid.cores; ++core) hit = hit | (holds(grid.x, core, x) & holds(grid.y, core, y));
  return hit;
}

CHERENKOV_END_FORMULAS
#endif
