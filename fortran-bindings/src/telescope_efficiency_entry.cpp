#include "telescope_efficiency_entry.hpp"

#include "corsika_runtime/cherenkov/backend.hpp"

extern "C" {
EfficiencyCommon chrefc_ = {};
}

namespace {

corsika::LostPhotons lost_photons;

bool is_off() noexcept {
  using namespace cherenkov::corsika;
  try {
    return requested_backend() == RequestedBackend::kOff;
  } catch (...) {
    return true;  // a mistyped name: the stage says so
  }
}

}  // namespace

void chreff_(const double* mirref, const double* quaeff, const double* wlmin, const std::int32_t* cermir,
             const std::int32_t* cerqef, const double* wavlgl, const double* cernor) {
  const corsika::EfficiencyTables tables{mirref, quaeff, *wlmin, *cermir != 0, *cerqef != 0};
  const bool decides = !is_off();
  if (decides) {
    chrefc_.bounds = corsika::bounds_of(tables);
    lost_photons = {tables, {*wavlgl, *cernor}};
  } else {
    chrefc_.bounds.fill({-HUGE_VAL, HUGE_VAL});
  }
  chrefc_.known = 1;
}

void chrlst_(const double* draws, const std::int64_t* numbers) {
  chrefc_.lost = static_cast<std::int32_t>(lost_photons.before_next(draws, *numbers / 2));
}
