// What CORSIKA hands over of options that change the light of a step, before its first step. Called by
// CHROPT, which the patcher writes from [[light_option]] in rules/cherenkov.toml, where the stage takes whole
// steps.

#include "corsika_runtime/light_options/ceffic.hpp"
#include "corsika_variables.hpp"

namespace cherenkov::corsika {

static std::unique_ptr<LightOption> option;  // each may take over the one before it

LightOption* light_option() { return option.get(); }

}  // namespace cherenkov::corsika

using namespace cherenkov::corsika;

extern "C" {
// CERWLEN: the shortest and the longest wavelength of light, nm.
void chrwln_(const double* shortest, const double* longest) {
  option = std::make_unique<Wavelengths>(WavelengthBand{*shortest, *longest});
}

// CEFFIC, after CERWLEN: tables and flags of COMMON /CRCERABS/, wavelengths, and RD, where CORSIKA puts a
// random number.
void chrefi_(const double* atmabs, const double* ateobs, const double* quaeff, const double* mirref,
             const std::int32_t* cerqef, const std::int32_t* cerata, const std::int32_t* cermir,
             const double* shortest, const double* longest, const double* cernor, const double* wlmin,
             double* numbers) {
  // CERWLEN's, or none.
  std::unique_ptr<Wavelengths> wavelengths(static_cast<Wavelengths*>(option.release()));
  option = std::make_unique<Efficiency>(PhotonLosses{{mirref, quaeff, *wlmin, *cermir != 0, *cerqef != 0},
                                                     {atmabs, ateobs, *cerata != 0},
                                                     {*shortest, *cernor},
                                                     *longest},
                                        numbers, std::move(wavelengths));
}
}
