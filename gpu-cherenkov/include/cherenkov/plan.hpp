/// What a step's plan is made from, and the limits that it goes by. docs/cherenkov-bound.md says where they
/// come from.
#pragma once

#include <cstdint>

#include "cherenkov/plane.hpp"

namespace cherenkov {

inline constexpr double kTopOfAtmosphere_cm = 1.128e7;  ///< CORSIKA's
/// For what rounding brings into CORSIKA's own positions.
inline constexpr double kMaxStepRounding_cm = 1.;
inline constexpr double kThresholdMargin = 1e-9;  ///< of beta n
/// A direction's squared length may be above 1 by this.
inline constexpr double kMaxLengthExcess = 1e-9;
/// At and below this squared sine CERENK takes the particle to be vertical.
inline constexpr double kVerticalSin2 = 1e-12;
/// A step with this many bunches or more, or whose number of them is NaN, is left to CORSIKA: its integers
/// may not hold the number.
inline constexpr double kMaxBunchesOfAStep = 2e9;
inline constexpr double kUnitRoundoff = 0x1p-53;  ///< of one operation, relative

/// Settings that all steps share. cut_w: smallest w of a particle whose step emits; yield: photons per cm,
/// charge 1 and sin^2 = 1; bunch_size: most photons of a bunch. A point is x along_x + y along_y - z along_z
/// + start along the shower's axis, cm.
struct PlanSettings {
  double cut_w, yield, bunch_size;
  Plane plane;
  double along_x, along_y, along_z, start;
};

/// Lanes that work on one step together: all have the same step, and share loops. Here there is one.
struct OneLane {
  static constexpr int kCount = 1;
  static constexpr int index() { return 0; }
  static bool any(bool mine) { return mine; }
  static double largest(double mine) { return mine; }
  static double sum(double mine) { return mine; }
  static std::uint64_t united(std::uint64_t mine) { return mine; }
};

/// What the light of a step depends on but times. Lengths in cm, energies and mass in GeV, charge in
/// elementary charges; u, v, w: mean direction, w downwards; the refractive index where the step begins, in
/// its middle and where it ends.
template <class Real>
struct StepInput {
  Real length, u, v, w, begin_energy, end_energy, x_begin, y_begin, z_begin, x_end, y_end, z_end, mass,
      charge, index_begin, index_middle, index_end;
};

}  // namespace cherenkov
