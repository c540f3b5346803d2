#include "wavelength_entry.hpp"

#include <optional>

#include "corsika_runtime/efficiency/photon_losses.hpp"

namespace cherenkov::corsika {
namespace {

constexpr int kMostOfALoop = 1 << 20;  // bunches; the stage takes fewer

// By CORSIKA's names; null without the option.
const double *wavlgl = nullptr, *wavlgu = nullptr;
double* rd = nullptr;

std::optional<PhotonLosses> photon_losses;
WavelengthSteps wavelength_steps;
// Of the step that was looked at last.
WavelengthLoop wavelength_loop;
PhotonLoop photon_loop;

bool disperses() { return wavlgl != nullptr; }

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

}  // namespace

bool has_wavelengths() { return disperses() || photon_losses; }

double dispersion_of_steps() { return disperses() ? dispersion(*wavlgl) : 1.; }

LightKind look_at_wavelengths(const ChargedStep& charged, const Emission& emission) {
  if (!disperses()) return look_at_photons(charged, emission);
  const LightKind light = wavelength_steps.loop_of(charged, {*wavlgl, *wavlgu}, emission, wavelength_loop);
  if (photon_losses && light == LightKind::kLinear)
    photon_loop = {{wavelength_loop.step, BunchLoop::Index::kAtBunch, 0., 0., wavelength_loop.energy,
                    wavelength_loop.energy_slope, wavelength_loop.mass},
                   true};
  return light;
}

int take_wavelengths(Run& run, LightKind light, const Emission& emission, const ObservationContext& context) {
  if (photon_losses)
    return run.step(light, photon_loop.loop.step, context, [&](Stage& stage, const ObservationContext& its) {
      return stage.emit(photon_loop, *photon_losses, emission, its, *rd);
    });
  return run.step(light, wavelength_loop.step, context, [&](Stage& stage, const ObservationContext& its) {
    return stage.emit(wavelength_loop, {*wavlgl, *wavlgu}, emission, its);
  });
}

}  // namespace cherenkov::corsika

void chrwln_(const double* shortest, const double* longest) {
  using namespace cherenkov::corsika;
  wavlgl = shortest, wavlgu = longest;
}

void chrefi_(const double* atmabs, const double* ateobs, const double* quaeff, const double* mirref,
             const std::int32_t* cerqef, const std::int32_t* cerata, const std::int32_t* cermir,
             const double* shortest, const double* longest, const double* cernor, const double* wlmin,
             double* numbers) {
  using namespace cherenkov::corsika;
  photon_losses.emplace(EfficiencyTables{mirref, quaeff, *wlmin, *cermir != 0, *cerqef != 0},
                        AirTables{atmabs, ateobs, *cerata != 0}, Spectrum{*shortest, *cernor}, *longest);
  rd = numbers;
}
