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
  const int level = *var.nobslv - 1;
  std::optional<UnrefractedTiming> straight;
  if (*var.frefrx == 0) straight = {0., 0., 0., *var.etadsn, var.thckob[level], var.c[24], thick_};
  std::optional<CurvedLight> curved;
  if (is_curved()) curved = {var.c[0], distip_, tofip_};
  const Plane plane{var.obslev[level], var.xoff[level], var.yoff[level], *var.cosang, *var.sinang, 0., 0.};
  const ShowerAxis axis{*var.sthcph, *var.sthsph, *var.cth, *var.rloff};
  DepthProfile profile{var.plong9, var.edges, *var.nstep, *var.lngmax, *var.thstpi, axis};
  profile.kind = var.kind, profile.bin_depth = *var.thstep, profile.depth_of = thick_;
  return {plane, *var.pi2, var.c[28], *var.llongi != 0, profile, straight, curved};
}

namespace {

LastIndex last_index;  // option CURVED

// Whether CERENK drops the step, by the table of thresholds.
bool is_dropped(const ChargedStep& charged) {
  const double cell = (std::min(charged.z_begin, charged.z_end) - chrste_.low) * chrste_.cells_per_cm;
  if (!(cell >= 0. && cell < kThresholdCells)) return false;
  const double least = charged.mass * chrste_.threshold[static_cast<int>(cell)];
  return charged.begin_energy < least && charged.end_energy < least && charged.begin_energy >= charged.mass &&
         charged.end_energy >= charged.mass;
}

}  // namespace

// A particle is too slow to emit light where beta n < 1, that is where E/m < 1/sqrt(1 - 1/n^2). The index
// falls with height by some 0.1% in the 7 m between two samples, but for jumps at the layers of CORSIKA's own
// atmospheres: the sample above a jump is lower than the index there by no more than that.
void find_thresholds(const Emission& air, double lowest) {
  constexpr double kLeastExcess = 1e-9;  // n - 1 below which nothing is dropped
  constexpr double kMargin = 1e-2;       // of n - 1
  constexpr double kRounding = 1e-4;     // of E/m
  constexpr int kSamples = 16;           // of a cell
  const double dispersion_of_steps = light_option() == nullptr ? 1. : light_option()->dispersion_of_steps();
  chrste_.low = lowest;
  const double cell = (kTopOfAtmosphere_cm - chrste_.low) / kThresholdCells;
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

StepFate fate_of(ChargedStep& charged, const char* why_none, bool records) {
  StepFate fate{StepFate::kTaken, nullptr, LightKind::kOther, {}};
  const auto become = [&fate](StepFate::What what, const char* why = nullptr) {
    fate.what = what, fate.why = why;
    return fate;
  };
  const Emission air = emission();
  LightOption* const option = light_option();
  if (option != nullptr) {
    fate.light = option->look_at(charged, air);
    fate.step = option->step();
  }
  // CORSIKA's own code writes lines into the log then.
  if (*var.debug != 0 || *var.lcerdb != 0 || *var.fegsdb != 0)
    return become(StepFate::kLeft, "debugging is on; switch it off (DEBUG and the like on the card)");
  if (why_none != nullptr) return become(StepFate::kLeft, why_none);
  // A guard, for 7.7410 accepts one level with CURVED. With several levels CERENK of option CURVED has its
  // light end at the first, and the IACT package at the last.
  if (is_curved() && *var.nobslv != 1)
    return become(StepFate::kLeft, "option CURVED with several observation levels");
  if (is_dropped(charged)) return become(StepFate::kDropped);
  if (is_curved()) {
    CurvedLoop loop{};
    const double earth = chrste_.cos_earth;
    fate.light = curved_loop_of(charged, {var.c[0], var.obslev[0], earth, earth == kInDetectorFrame}, air,
                                last_index, loop);
    fate.step = loop.step;
  } else if (option == nullptr) {
    fate.light = light_of(charged, air, fate.step);
  }
  // CERENK records these without looking at their light.
  if (records && (!is_curved() || is_electron(charged))) return fate;
  if (fate.light == LightKind::kNone) return become(StepFate::kDropped);
  if (fate.light == LightKind::kOther && (is_curved() || option != nullptr))
    return become(StepFate::kLeft, kUnbounded);
  return fate;
}

bool is_electron(const ChargedStep& charged) { return var.ends_unread && charged.mass < 1e-3; }

}  // namespace cherenkov::corsika

using namespace cherenkov::corsika;

void chrgeo_(const std::int32_t* unread, std::int32_t* detsys, const double* hlay, const double* datm) {
  var.ends_unread = *unread != 0;
  var.detsys = detsys, var.hlay = hlay, var.datm = datm;
}

extern "C" {
// The longitudinal distribution. plong9: PLONG(0,9); edges: RLONG, or HLONG for kHeight, where the last
// four are not read.
void chrlng_(const DepthProfile::Kind* kind, const std::int32_t* llongi, double* plong9, const double* edges,
             const std::int32_t* nstep, const std::int32_t* lngmax, const double* thstep,
             const double* thstpi, const double* sthcph, const double* sthsph, const double* cth,
             const double* rloff) {
  var.kind = *kind, var.llongi = llongi, var.plong9 = plong9, var.edges = edges, var.nstep = nstep;
  var.lngmax = lngmax, var.thstep = thstep, var.thstpi = thstpi, var.sthcph = sthcph, var.sthsph = sthsph;
  var.cth = cth, var.rloff = rloff;
}
}
