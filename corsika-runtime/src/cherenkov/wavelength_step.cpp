// What CERENK of option CERWLEN computes before its loop, operation by operation. Compiled with
// -ffp-contract=off.
#include "corsika_runtime/cherenkov/wavelength_step.hpp"

#include <algorithm>
#include <cmath>

#include "stage_limits.hpp"
#include "step_geometry.hpp"

namespace cherenkov::corsika {

LightKind WavelengthSteps::loop_of(const ChargedStep& c, const WavelengthBand& band, const Emission& emission,
                                   WavelengthLoop& loop) {
  if (c.w < emission.cut_w || c.length <= 0.) return LightKind::kNone;
  if (shortest_ != band.shortest) {
    shortest_ = band.shortest;
    most_dispersion_ = dispersion(shortest_);
  }
  const double begin =
      beta_of(c.mass, c.begin_energy) * dispersed(last_.at(emission, c.z_begin), most_dispersion_);
  const double end = beta_of(c.mass, c.end_energy) * dispersed(last_.at(emission, c.z_end), most_dispersion_);
  if (begin < 1. && end < 1.) return LightKind::kNone;
  if (std::isnan(begin + end)) {
    // CERENK may find any number of bunches. Steps are left to it up to the next one that it finds one of.
    energy_slope_ = NAN;
    return LightKind::kOther;
  }
  const StepYield<double> yield = yield_of(emission, c.charge, c.length, begin, end);
  if (!(yield.bunches < kMaxBunchesOfAStep)) return LightKind::kOther;
  const int n = static_cast<int>(yield.bunches);
  if (n < 1) return LightKind::kNone;
  if (n == 1) energy_slope_ = (c.end_energy - c.begin_energy) / c.length;
  if (!(c.w > 0.)) return LightKind::kOther;

  loop = {};
  loop.energy = c.begin_energy;
  loop.energy_slope = energy_slope_;
  loop.mass = c.mass;
  loop.step.beta_n = begin;
  loop.step.beta_n_slope = (end - begin) / c.length;
  set_spacing(c, n, yield.per_cm, loop.step);
  set_frame_of_any({c.u, c.v, c.w}, loop.step);
  return LightKind::kLinear;
}

}  // namespace cherenkov::corsika
