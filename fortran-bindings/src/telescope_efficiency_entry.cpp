#include <algorithm>
#include <cstddef>

#include "cerenk_entry.hpp"

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
