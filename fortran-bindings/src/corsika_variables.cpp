#include "corsika_variables.hpp"

extern "C" {
double refidx_(double* height);
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
  DepthProfile profile{var.plong9, var.edges, *var.nstep, static_cast<int>(var.lngmax), *var.thstpi, axis};
  profile.kind = static_cast<DepthProfile::Kind>(var.kind), profile.bin_depth = *var.thstep,
  profile.depth_of = thick_;
  const auto axis_of = [](const double* const(&of)[6]) {
    return DetectorGrid::Axis{*of[0], *of[1], *of[2], *of[3], *of[4], of[5]};
  };
  std::optional<DetectorGrid> grid;
  if (has_grid()) grid = {axis_of(var.x_grid), axis_of(var.y_grid), *var.icerml};
  // CERENK of option UPWARD drops light that does not come down.
  const double cut_w =
      var.upward == 0 ? var.c[28] : std::max(var.c[28], std::numeric_limits<double>::denorm_min());
  return {plane, *var.pi2, cut_w, *var.llongi != 0, profile, straight, curved, grid};
}

// A particle is too slow to emit light where beta n < 1, that is where E/m < 1/sqrt(1 - 1/n^2). The index
// falls with height by some 0.1% in the 7 m between two samples, but for jumps at the layers of CORSIKA's own
// atmospheres: the sample above a jump is lower than the index there by no more than that.
void find_thresholds(const Emission& air, double lowest) {
  constexpr double kLeastExcess = 1e-9;  // n - 1 below which nothing is dropped
  constexpr double kMargin = 1e-2;       // of n - 1
  constexpr double kRounding = 1e-4;     // of E/m
  constexpr int kSamples = 16;           // of a cell
  const double dispersion_of_steps = light_option() == nullptr ? 1. : light_option()->dispersion_of_steps();
  recorded.low = lowest;
  recorded.least_w = var.upward == 0 ? var.c[28] : 0.;
  const double cell = (kTopOfAtmosphere_cm - recorded.low) / kThresholdCells;
  recorded.cells_per_cm = 1. / cell;
  double highest = 1.;  // n above the cell in hand
  for (int k = kThresholdCells - 1; k >= 0; --k) {
    for (int i = 0; i <= kSamples; ++i)
      highest = std::max(
          highest, refractive_index(air, recorded.low + (k + static_cast<double>(i) / kSamples) * cell));
    const double n = 1. + (highest - 1.) * dispersion_of_steps * (1. + kMargin);
    recorded.threshold[k] = n - 1. > kLeastExcess ? (1. - kRounding) / std::sqrt(1. - 1. / (n * n)) : 0.;
  }
}

StepFate fate_of(ChargedStep& charged, double earth, const char* why_none, bool records) {
  static LastIndex last_index;  // option CURVED
  StepFate fate{StepFate::kTaken, nullptr, LightKind::kOther, {}};
  const auto become = [&fate](StepFate::What what, const char* why = nullptr) {
    fate.what = what, fate.why = why;
    return fate;
  };
  const Emission air = emission();
  LightOption* const option = light_option();
  if (option != nullptr && !is_curved()) {
    fate.light = option->look_at(charged, air);
    fate.step = option->loop().step;
  }
  if (log_is_wanted())
    return become(StepFate::kLeft, "debugging is on; switch it off (DEBUG and the like on the card)");
  if (why_none != nullptr) return become(StepFate::kLeft, why_none);
  // A guard, for 7.7410 accepts one level with CURVED. With several levels CERENK of option CURVED has its
  // light end at the first, and the IACT package at the last.
  if (is_curved() && *var.nobslv != 1)
    return become(StepFate::kLeft, "option CURVED with several observation levels");
  if (recorded.drops(charged)) return become(StepFate::kDropped);
  if (is_curved()) {
    CurvedLoop loop{};
    fate.light = curved_loop_of(charged, {var.c[0], var.obslev[0], earth, earth == kInDetectorFrame}, air,
                                last_index, loop, option == nullptr ? 1. : option->dispersion_of_steps());
    fate.step = loop.step;
    if (option != nullptr) option->set(loop);
  } else if (option == nullptr) {
    fate.light = light_of(charged, air, fate.step);
  }
  if (records && is_recorded_as_is(charged.mass)) return fate;
  if (fate.light == LightKind::kNone) return become(StepFate::kDropped);
  if (fate.light == LightKind::kOther && (is_curved() || option != nullptr))
    return become(StepFate::kLeft, kUnbounded);
  return fate;
}

}  // namespace cherenkov::corsika
