// What CORSIKA hands over of options that change the light of a step, before its first step. Called by
// CHROPT, which the patcher writes from [[light_option]] in rules/cherenkov.toml, where the stage takes whole
// steps. And what CESPEC and TELEFF of telescope_efficiency.inc call.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "cerenk_entry.hpp"
#include "corsika_runtime/light_options/ceffic.hpp"
#include "corsika_runtime/light_options/cerwlen.hpp"
#include "corsika_variables.hpp"

namespace cherenkov::corsika {
namespace {

std::unique_ptr<Wavelengths> wavelengths;  // until CEFFIC takes it
std::unique_ptr<Efficiency> efficiency;

}  // namespace

LightOption* light_option() {
  return efficiency != nullptr ? static_cast<LightOption*>(efficiency.get()) : wavelengths.get();
}

}  // namespace cherenkov::corsika

extern "C" {
// CERWLEN: the shortest and the longest wavelength of light, nm.
void chrwln_(const double* shortest, const double* longest) {
  using namespace cherenkov::corsika;
  wavelengths = std::make_unique<Wavelengths>(WavelengthBand{*shortest, *longest});
}

// CEFFIC, after CERWLEN: tables and flags of COMMON /CRCERABS/, wavelengths, and RD, where CORSIKA puts a
// random number.
void chrefi_(const double* atmabs, const double* ateobs, const double* quaeff, const double* mirref,
             const std::int32_t* cerqef, const std::int32_t* cerata, const std::int32_t* cermir,
             const double* shortest, const double* longest, const double* cernor, const double* wlmin,
             double* numbers) {
  using namespace cherenkov::corsika;
  efficiency = std::make_unique<Efficiency>(PhotonLosses{{mirref, quaeff, *wlmin, *cermir != 0, *cerqef != 0},
                                                         {atmabs, ateobs, *cerata != 0},
                                                         {*shortest, *cernor},
                                                         *longest},
                                            numbers, std::move(wavelengths));
}
}

extern "C" {
alignas(64) EfficiencyCommon chrefc_ = {};
}

// telescope_efficiency.inc has these numbers, too.
static_assert(cherenkov::corsika::kEfficiencyBins == 1600 && offsetof(EfficiencyCommon, known) == 1600 * 16);

namespace {

// Photons that are looked at in one call: most steps have fewer.
constexpr std::int64_t kMostAtOnce = 256;

cherenkov::corsika::LostPhotons lost_photons;

}  // namespace

extern "C" {
/// Makes the bounds and the table of lost photons, once, from variables of COMMON blocks, by CORSIKA's names.
void chreff_(const double* mirref, const double* quaeff, const double* wlmin, const std::int32_t* cermir,
             const std::int32_t* cerqef, const double* wavlgl, const double* cernor) {
  const cherenkov::corsika::EfficiencyTables tables{mirref, quaeff, *wlmin, *cermir != 0, *cerqef != 0};
  chrefc_.bounds = cherenkov::corsika::bounds_of(tables);
  lost_photons = {tables, {*wavlgl, *cernor}};
  chrefc_.known = 1;
}

/// Sets `lost`. draws: the numbers of sequence 3 that come next; numbers: how many of them are at hand.
void chrlst_(const double* draws, const std::int64_t* numbers) {
  const auto photons = std::min(*numbers / 2, kMostAtOnce);
  chrefc_.lost = static_cast<std::int32_t>(lost_photons.before_next(draws, photons));
}
}
