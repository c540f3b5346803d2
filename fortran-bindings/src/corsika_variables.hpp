// CORSIKA's variables that the stage reads, as chrrun_ (cerenk_entry.cpp), chrlng_ and chrgeo_ hand them
// over.
#pragma once

#include <cstdint>
#include <optional>

#include "cerenk_entry.hpp"
#include "corsika_runtime/cherenkov/charged_step.hpp"
#include "corsika_runtime/cherenkov/exponential_air.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"

namespace cherenkov::corsika {

// CORSIKA's variables, which it changes from event to event.
struct Variables {
  double *cyield, *cersiz, *etadsn;
  const double *c, *pi2, *cosang, *sinang, *obslev, *xoff, *yoff, *thckob;
  const std::int32_t *nobslv, *iatmox, *frefrx, *debug, *lcerdb, *fegsdb;
  // Null without option CURVED.
  std::int32_t *detsys;
  bool ends_unread;  // see chrgeo_
  const double *hlay, *datm;
  DistributionKind kind;
  const std::int32_t *llongi, *nstep, *lngmax;
  double *plong9;
  const double *edges, *thstep, *thstpi, *sthcph, *sthsph, *cth, *rloff;
};
extern Variables var;
inline bool is_curved() { return var.detsys != nullptr; }
// Option CURVED without tables: the layers of RHOF, where they are known.
extern std::optional<ExponentialAir> air;

/// Light as CORSIKA's variables now have it.
Emission emission();

/// What CERENK knows before its loop, beside the step itself, and without what is a step's own.
ObservationContext surroundings();

}  // namespace cherenkov::corsika
