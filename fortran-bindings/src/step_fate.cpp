#include "step_fate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cerenk_entry.hpp"
#include "corsika_runtime/efficiency/photon_losses.hpp"
#include "corsika_variables.hpp"

namespace cherenkov::corsika {
namespace {

constexpr int kMostOfALoop = 1 << 20;  // bunches; the stage takes fewer

// By CORSIKA's names; null without the option.
const double *wavlgl = nullptr, *wavlgu = nullptr;
double* rd = nullptr;

std::optional<PhotonLosses> photon_losses;
WavelengthSteps wavelength_steps;
// Of the step that was asked about last.
WavelengthLoop wavelength_loop;
PhotonLoop photon_loop;
LastIndex last_index;  // option CURVED

LightKind look_at_photons(const ChargedStep& charged, const Emission& emission) {
  photon_loop = {};
  LightKind light = bunches_of(charged, emission, photon_loop.loop.step);
  if (light != LightKind::kOther) return light;
  const double middle = 0.5 * (charged.z_begin + charged.z_end);
  const auto loop =
      bunch_loop_of(charged,
                    {refractive_index(emission, charged.z_begin), refractive_index(emission, middle),
                     refractive_index(emission, charged.z_end)},
                    emission, kMostOfALoop);
  if (!loop || !(charged.w > 0.)) return LightKind::kOther;
  photon_loop.loop = *loop;
  return LightKind::kLinear;
}

// What CERENK does with a step whose bunches have wavelengths.
LightKind look_at_wavelengths(const ChargedStep& charged, const Emission& emission) {
  if (wavlgl == nullptr) return look_at_photons(charged, emission);
  const LightKind light = wavelength_steps.loop_of(charged, {*wavlgl, *wavlgu}, emission, wavelength_loop);
  if (photon_losses && light == LightKind::kLinear)
    photon_loop = {{wavelength_loop.step, BunchLoop::Index::kAtBunch, 0., 0., wavelength_loop.energy,
                    wavelength_loop.energy_slope, wavelength_loop.mass},
                   true};
  return light;
}

// Whether CERENK drops the step, by the table of thresholds.
bool is_dropped(const ChargedStep& charged) {
  const double cell = (std::min(charged.z_begin, charged.z_end) - chrste_.low) * chrste_.cells_per_cm;
  if (!(cell >= 0. && cell < kThresholdCells)) return false;
  const double least = charged.mass * chrste_.threshold[static_cast<int>(cell)];
  return charged.begin_energy < least && charged.end_energy < least && charged.begin_energy >= charged.mass &&
         charged.end_energy >= charged.mass;
}

// null where the stage may take the step.
const char* why_left(const char* why_none) {
  // CORSIKA's own code writes lines into the log then.
  if (*var.debug != 0 || *var.lcerdb != 0 || *var.fegsdb != 0)
    return "debugging is on; switch it off (DEBUG and the like on the card)";
  if (why_none != nullptr) return why_none;
  // A guard, for 7.7410 accepts one level with CURVED. With several levels CERENK of option CURVED has its
  // light end at the first, and the IACT package at the last.
  if (is_curved() && *var.nobslv != 1) return "option CURVED with several observation levels";
  return nullptr;
}

}  // namespace

// A particle is too slow to emit light where beta n < 1, that is where E/m < 1/sqrt(1 - 1/n^2). The index
// falls with height by some 0.1% in the 7 m between two samples, but for jumps at the layers of CORSIKA's own
// atmospheres: the sample above a jump is lower than the index there by no more than that.
void find_thresholds(const Emission& air, double lowest) {
  constexpr double kTop_cm = 1.128e7;    // CORSIKA's
  constexpr double kLeastExcess = 1e-9;  // n - 1 below which nothing is dropped
  constexpr double kMargin = 1e-2;       // of n - 1
  constexpr double kRounding = 1e-4;     // of E/m
  constexpr int kSamples = 16;           // of a cell
  // The factor of n - 1 with which CERENK asks whether a step emits light.
  const double dispersion_of_steps = wavlgl == nullptr ? 1. : dispersion(*wavlgl);
  chrste_.low = lowest;
  const double cell = (kTop_cm - chrste_.low) / kThresholdCells;
  chrste_.cells_per_cm = 1. / cell;
  double highest = 1.;  // n above the cell in hand
  for (int k = kThresholdCells - 1; k >= 0; --k) {
    for (int i = 0; i <= kSamples; ++i)
      highest = std::max(highest,
                         refractive_index(air, chrste_.low + (k + static_cast<double>(i) / kSamples) * cell));
    const double n = 1. + (highest - 1.) * dispersion_of_steps * (1. + kMargin);
    chrste_.threshold[k] = n - 1. > kLeastExcess ? (1. - kRounding) / std::sqrt(1. - 1. / (n * n)) : 0.;
  }
}

StepFate fate_of(ChargedStep& charged, double cos_earth, const char* why_none, bool records) {
  StepFate fate{StepFate::kTaken, nullptr, LightKind::kOther, {}};
  const Emission air = emission();
  if (draws_one_by_one()) {
    fate.light = look_at_wavelengths(charged, air);
    fate.step = photon_losses ? photon_loop.loop.step : wavelength_loop.step;
  }
  fate.why = why_left(why_none);
  if (fate.why != nullptr) {
    fate.what = StepFate::kLeft;
    return fate;
  }
  if (is_dropped(charged)) {
    fate.what = StepFate::kDropped;
    return fate;
  }
  if (is_curved()) {
    CurvedLoop loop{};
    fate.light = curved_loop_of(charged, {var.c[0], var.obslev[0], cos_earth, *var.detsys != 0}, air,
                                last_index, loop);
    fate.step = loop.step;
  } else if (!draws_one_by_one()) {
    fate.light = bunches_of(charged, air, fate.step);
  }
  // CERENK records these without looking at their light.
  if (records && (!is_curved() || is_electron(charged))) return fate;
  if (fate.light == LightKind::kNone) {
    fate.what = StepFate::kDropped;
  } else if (fate.light == LightKind::kOther && (is_curved() || draws_one_by_one())) {
    fate.what = StepFate::kLeft;
    fate.why = Stage::kUnbounded;
  }
  return fate;
}

bool is_electron(const ChargedStep& charged) { return var.ends_unread && charged.mass < 1e-3; }

bool draws_one_by_one() { return wavlgl != nullptr || photon_losses; }

bool emit_wavelengths(Stage& stage, const Emission& emission, const ObservationContext& context) {
  return photon_losses ? stage.emit(photon_loop, *photon_losses, emission, context, *rd)
                       : stage.emit(wavelength_loop, {*wavlgl, *wavlgu}, emission, context);
}

}  // namespace cherenkov::corsika

// Where the stage takes whole steps.
extern "C" {
// With CERWLEN: the shortest and the longest wavelength of light, nm.
void chrwln_(const double* shortest, const double* longest) {
  using namespace cherenkov::corsika;
  wavlgl = shortest, wavlgu = longest;
}

// With CEFFIC: tables and flags of COMMON /CRCERABS/, wavelengths, and RD, where CORSIKA puts a random
// number.
void chrefi_(const double* atmabs, const double* ateobs, const double* quaeff, const double* mirref,
             const std::int32_t* cerqef, const std::int32_t* cerata, const std::int32_t* cermir,
             const double* shortest, const double* longest, const double* cernor, const double* wlmin,
             double* numbers) {
  using namespace cherenkov::corsika;
  photon_losses.emplace(EfficiencyTables{mirref, quaeff, *wlmin, *cermir != 0, *cerqef != 0},
                        AirTables{atmabs, ateobs, *cerata != 0}, Spectrum{*shortest, *cernor}, *longest);
  rd = numbers;
}
}
