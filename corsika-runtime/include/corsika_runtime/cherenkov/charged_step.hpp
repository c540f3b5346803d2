// A step of a charged particle as CORSIKA hands it to CERENK, and what CERENK makes of it before its loop
// over bunches. No side effects.
#pragma once

#include <algorithm>

#include "cherenkov/flat_step.hpp"

namespace cherenkov::corsika {

/// The arguments of CERENK. Lengths in cm, heights above sea level, times in s, energies and mass in GeV.
struct ChargedStep {
  double length;                     ///< STEPCR
  double u, v, w;                    ///< mean direction, w downwards: UMEAN, VMEAN, WMEAN
  double begin_energy, end_energy;   ///< total energies: EBEG, EEND
  double x_begin, y_begin, z_begin;  ///< XBEG, YBEG, ZBEG
  double x_end, y_end, z_end;        ///< XEND, YEND, ZEND
  double begin_time, end_time;       ///< TBEG, TEND
  double mass, charge;               ///< AMASS, CHARGE in elementary charges
  double weight = 1.;                ///< of its light, with option THIN: WTTHIN
};

class ExponentialAir;

/// What the light of a step depends on in addition to the step.
struct Emission {
  double cut_w;              ///< smallest w of a particle whose step emits, and of light that is kept: C(29)
  double yield;              ///< photons per cm, charge 1 and sin^2 = 1, over the wavelengths: CYIELD
  double bunch_size;         ///< most photons of a bunch: CERSIZ
  double index_per_density;  ///< (n - 1) / density of the air, cm^3/g: ETADSN
  bool tables;               ///< whether the refractive index comes from tables: IATMOX of at least 1
  double (*index)(double*);  ///< of a height, cm above sea level: REFIDX
  double (*density)(double*);  ///< of the air, g/cm^3, at such a height: RHOF; null: must not be called
  const ExponentialAir* air =
      nullptr;  ///< the layers of RHOF, where they are known; with option CURVED and without tables
  /// With tables: n - 1, to which REFIDX adds 1: REFIM1X; null where the package does not have it.
  double (*excess)(double*) = nullptr;
};

/// The refractive index of air at a height, as CERENK has it.
inline double refractive_index(const Emission& emission, double height) {
  return emission.tables ? emission.index(&height)
                         : 1. + emission.index_per_density * emission.density(&height);
}

/// Why single steps are left to CORSIKA.
inline constexpr const char* kUnbounded =
    "light near threshold, nearly horizontal or upwards, or steps of very many bunches: CORSIKA must do it";

/// What CERENK does with the step, and for kWhole the bunches that its loop emits, with CERENK's own bits.
/// Compiled without contraction, each operation in CERENK's order.
LightKind light_of(const ChargedStep& charged, const Emission& emission, Step& step);

/// The refractive index of air along one step: where it begins, in its middle, where it ends.
struct IndicesOfStep {
  double begin, middle, end;
};

/// How CERENK finds beta n of each bunch of a step.
struct BunchLoop {
  enum class Index {
    kLinear,       ///< beta n is linear along the step
    kExponential,  ///< n - 1 is exponential along the step
    kAtBunch       ///< n is that of the bunch's height
  };
  Step step;  ///< its frame serves vertical particles, too
  Index kind;
  double log_excess, log_excess_slope;  ///< kExponential: ln(n - 1) where the step begins, and per cm
  double energy, energy_slope, mass;    ///< not set for kLinear; GeV, GeV per cm

  /// beta n at a point of the step, with CERENK's bits.
  [[nodiscard]] double beta_n(const Step::Point& at, const Emission& emission) const {
    return kind == Index::kLinear ? step.beta_n + step.beta_n_slope * at.path : not_linear(at, emission);
  }

 private:
  [[nodiscard]] double not_linear(const Step::Point& at, const Emission& emission) const;
};

/// The loop of a step that emits light. Empty where there are more bunches than `most`, where a value is NaN,
/// or where each bunch's index needs Emission::density and that is null.
std::optional<BunchLoop> bunch_loop_of(const ChargedStep& charged, const IndicesOfStep& indices,
                                       const Emission& emission, int most);

#ifndef HWY_TARGET_INCLUDE  // formulas are for doubles
// What CERENK computes before its loop in every kind of build. Each operation in CERENK's order, for sources
// compiled with -ffp-contract=off.

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
#endif

}  // namespace cherenkov::corsika
