// A step of a charged particle in builds with option CERWLEN, where each bunch has a wavelength, and so a
// refractive index, of its own. What CERENK makes of the step before its loop over bunches. No side effects.
#pragma once

#include <cmath>

#include "cherenkov/bunch_light.hpp"
#include "cherenkov/flat_step.hpp"
#include "corsika_runtime/cherenkov/charged_step.hpp"
#include "corsika_runtime/cherenkov/curved_step.hpp"

namespace cherenkov::corsika {

/// The wavelengths of Cherenkov light, nm: WAVLGL and WAVLGU.
struct WavelengthBand {
  double shortest, longest;

  /// The wavelength that CERENK makes of a random number, with its bits.
  [[nodiscard]] double at(double random) const {
    return 1. / (1. / longest + (1. / shortest - 1. / longest) * random);
  }
};

/// The factor of n - 1 at a wavelength in nm: how CERENK makes refraction depend on it, with its bits.
inline double dispersion(double wavelength) { return 0.967 + 0.033 * std::pow(400. / wavelength, 2.5); }

/// The refractive index at a wavelength where it is `index` without dispersion, with CERENK's bits.
inline double dispersed(double index, double factor) { return 1. + (index - 1.) * factor; }

/// dispersed() with the factor of a wavelength. Its pow() is called only where the last bit is in doubt.
inline double dispersed_at(double index, double wavelength) {
  const IndexRange<double> range = dispersed_range(index, 400. / wavelength);
  return range.is_certain() ? range.least : dispersed(index, dispersion(wavelength));
}

/// The loop over the bunches of a step.
struct WavelengthLoop {
  /// beta n is that of the shortest wavelength at the step's two ends, and linear between them; only the
  /// check's counts use it.
  Step step;
  /// Energy at the start of the step (path 0), its change per cm as CERENK has it, mass; GeV.
  double energy, energy_slope, mass;
};

/// The loop over the photons of a step with option CEFFIC. The places of a step are its points of emission
/// (Step), numbered from 0. Only a photon that mirror and photocathode detect takes a place, the next one; a
/// lost one does not advance the point of emission. So detected photons stand at the first places.
struct PhotonLoop {
  BunchLoop loop;
  bool dispersed;  ///< with option CERWLEN, too: the index depends on the wavelength

  /// beta n of light of a wavelength, nm, with CERENK's bits.
  [[nodiscard]] double beta_n(const Step::Point& at, double wavelength, const Emission& emission) const {
    if (!dispersed) return loop.beta_n(at, emission);
    return beta_of(loop.mass, loop.energy + loop.energy_slope * at.path) *
           dispersed_at(refractive_index(emission, at.z), wavelength);
  }
};

/// CERENK of option CERWLEN, by what it keeps from step to step.
class WavelengthSteps {
 public:
  /// What CERENK does with the step, bit for bit: kNone where it returns before it draws, kOther where the
  /// loop is not set: more bunches than an int holds, or a particle that does not fly downwards. kLinear says
  /// here only that `loop` is set. Must be called for every step of the run, in order, also for those that
  /// CORSIKA does: CERENK computes the change of energy per cm only in steps of one bunch, and takes that of
  /// the last such step for all others.
  LightKind loop_of(const ChargedStep& charged, const WavelengthBand& band, const Emission& emission,
                    WavelengthLoop& loop);

 private:
  double energy_slope_ = 0.;
  double shortest_ = 0., most_dispersion_ = 0.;  // at that wavelength
  LastIndex last_;
};

}  // namespace cherenkov::corsika
