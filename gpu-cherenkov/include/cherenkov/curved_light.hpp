/// The light of bunches whose air is exponential along their step (CORSIKA's option CURVED), and where
/// electrons' steps end on a curved Earth. Formulas over a number type; see real.hpp.
#if defined(CHERENKOV_CURVED_LIGHT_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CHERENKOV_CURVED_LIGHT_HPP
#undef CHERENKOV_CURVED_LIGHT_HPP
#else
#define CHERENKOV_CURVED_LIGHT_HPP
#endif

#include <cmath>
#include <initializer_list>

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

CHERENKOV_END_FORMULAS
#endif
