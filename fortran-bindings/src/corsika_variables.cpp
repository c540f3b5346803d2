#include "corsika_variables.hpp"

extern "C" {
double refidx_(double* height);
double rhof_(double* height);
// One of the two where the build has no option SLANT, and none of it is called then.
__attribute__((weak)) double thick_(double* height);
// Only in builds with option CURVED, and called there alone.
__attribute__((weak)) double distip_(double* cosine, double* height);
__attribute__((weak)) double tofip_(double* cosine, double* height);
// Not there where the IACT package does not have it. A helper thread calls it, too: it only reads tables.
__attribute__((weak)) double refim1x_(double* height);
}

namespace cherenkov::corsika {

Variables var = {};
std::optional<ExponentialAir> air;

Emission emission() {
  return {var.c[28], *var.cyield, *var.cersiz,           *var.etadsn, *var.iatmox >= 1,
          refidx_,   rhof_,       air ? &*air : nullptr, refim1x_};
}

ObservationContext surroundings() {
  static constexpr DepthProfile::Kind kKinds[] = {
      DepthProfile::Kind::kSlant, DepthProfile::Kind::kSlantSpread, DepthProfile::Kind::kHeight};
  const int level = *var.nobslv - 1;
  std::optional<UnrefractedTiming> straight;
  if (*var.frefrx == 0) straight = {0., 0., 0., *var.etadsn, var.thckob[level], var.c[24], thick_};
  std::optional<CurvedLight> curved;
  if (is_curved()) curved = {var.c[0], distip_, tofip_};
  return {{var.obslev[level], var.xoff[level], var.yoff[level], *var.cosang, *var.sinang, 0., 0.},
          *var.pi2,
          var.c[28],
          *var.llongi != 0,
          {var.plong9, var.edges, *var.nstep, *var.lngmax, *var.thstpi, *var.sthcph, *var.sthsph, *var.cth,
           *var.rloff, kKinds[static_cast<int>(var.kind)], *var.thstep, thick_},
          straight,
          curved};
}

}  // namespace cherenkov::corsika

void chrgeo_(const std::int32_t* unread, std::int32_t* detsys, const double* hlay, const double* datm) {
  using namespace cherenkov::corsika;
  var.ends_unread = *unread != 0;
  var.detsys = detsys, var.hlay = hlay, var.datm = datm;
}

extern "C"
    // The longitudinal distribution. plong9: PLONG(0,9); edges: RLONG, or HLONG for kind `height`, where the
    // last four are not read.
    void
    chrlng_(const DistributionKind* kind, const std::int32_t* llongi, double* plong9, const double* edges,
            const std::int32_t* nstep, const std::int32_t* lngmax, const double* thstep, const double* thstpi,
            const double* sthcph, const double* sthsph, const double* cth, const double* rloff) {
  using namespace cherenkov::corsika;
  var.kind = *kind, var.llongi = llongi, var.plong9 = plong9, var.edges = edges, var.nstep = nstep;
  var.lngmax = lngmax, var.thstep = thstep, var.thstpi = thstpi, var.sthcph = sthcph, var.sthsph = sthsph;
  var.cth = cth, var.rloff = rloff;
}
