// Whether a telescope can see the light of one step with option CURVED, and what that light adds to the sums:
// as step_verdict.hpp for other steps. To be compiled without contraction. No side effects.
#pragma once

#include <cmath>

#include "cherenkov/bunch_light.hpp"
#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "curved_bound.hpp"
#include "step_verdict.hpp"

namespace cherenkov::corsika {

// CurvedEventSettings as plain pointers, for host and device.
struct CurvedEventView {
  double cut_w;
  Plane plane;
  ShowerAxis axis;
  double earth_radius;
  SpheresView spheres;
  CurvedArrivalView arrival;
  AirLayers air;
  const DistanceRange* bin;  // [0] is of bin 1
  int bins;
};

// Classifies one step. Every lane computes the same but in the loops.
template <class Lanes>
class CurvedJudge {
 public:
  CHERENKOV_HOST_DEVICE CurvedJudge(const CurvedLoop& loop, const CurvedEventView& event, const Lanes& lanes)
      : loop_(loop), event_(event), lanes_(lanes), n_(loop.step.bunches), apparent_(loop.apparent()) {}

  // total_power, bin_powers: as for DeviceSteps::submit().
  CHERENKOV_HOST_DEVICE StepAnswer answer(double total_power, const double* bin_powers) {
    StepAnswer out{{0., 0.}, {0., 0.}, 0, 0, Verdict::kHost};
    if (!(n_ >= 1 && n_ <= kMaxDeviceBunches)) return out;
    find_heights();
    if (!find_layer() || !find_range()) return out;
    const double low = lower(first_apparent_, last_apparent_), high = higher(first_apparent_, last_apparent_);
    // The step begins above the plane (curved_loop_of()), and heights rise or fall. So all bunches are above
    // if the last one is.
    if (loop_.stops_at_plane && !(last_apparent_ > event_.plane.height)) return out;
    const CurvedBound bound = curved_bound_of(apparent_, {least_, most_, low, high}, event_.plane,
                                              event_.cut_w, event_.spheres.top, event_.arrival);
    if (!bound.is_bounded || event_.spheres.touched_by(bound.ring, lanes_)) return out;
    int bin = 0;
    if (event_.bins != 0) {
      bin = only_bin();
      if (bin == 0) return out;
    }
    out.verdict = Verdict::kUnseen;
    out.bunches = n_;
    out.bin = static_cast<std::int16_t>(bin);
    add_photons(total_power, bin == 0 ? 0. : bin_powers[bin], out);
    return out;
  }

 private:
  // CERENK's running sums at the first and the last bunch.
  CHERENKOV_HOST_DEVICE void find_heights() {
    const Step& step = loop_.step;
    double height = step.before.z, apparent = loop_.apparent_before;
    first_height_ = height + step.between.z;
    first_apparent_ = apparent + loop_.apparent_between;
    for (int i = 0; i < n_; ++i) {
      height += step.between.z;
      apparent += loop_.apparent_between;
    }
    last_height_ = height;
    last_apparent_ = apparent;
  }

  // As ExponentialAir::find_indices(): the layer that holds all heights.
  CHERENKOV_HOST_DEVICE bool find_layer() {
    const double low = lower(lower(first_height_, last_height_), loop_.index_height);
    const double high = higher(higher(first_height_, last_height_), loop_.index_height);
    per_cm_ = event_.air.per_cm_of(low, high);
    return per_cm_ != 0.;
  }

  struct BunchLight {
    double beta_n, photons;
    bool certain;  // else beta n may be off by two of its last bits
  };

  [[nodiscard]] CHERENKOV_HOST_DEVICE BunchLight light_at(double path, double height) const {
    const auto index =
        index_at((loop_.index_height - height) * per_cm_, loop_.index_excess, ExponentialAir::kError);
    const double beta_n = beta_of(loop_.mass, loop_.energy + loop_.energy_slope * path) * index.least;
    return {beta_n, loop_.step.photons_per_sin2 * light_angle(beta_n).sine2, index.is_certain()};
  }

  // Calls work(light) for every bunch; each lane has its own bunches. Each adds up CERENK's running sums for
  // itself.
  template <class Work>
  CHERENKOV_HOST_DEVICE void for_bunches(const Work& work) const {
    const Step& step = loop_.step;
    double path = step.before.path, height = step.before.z;
    int at = -1;
    for (int i = lanes_.index(); i < n_; i += Lanes::kCount) {
      for (; at < i; ++at) {
        path += step.between.path;
        height += step.between.z;
      }
      work(light_at(path, height));
    }
  }

  // The range of beta n; false where a bunch is too near to its threshold, or far above 1.
  CHERENKOV_HOST_DEVICE bool find_range() {
    constexpr double kLeast = 1. + 0x1p-48, kMost = 1.15;
    double least = HUGE_VAL, most = 0.;
    bool good = true;
    for_bunches([&](const BunchLight& light) {
      good = good && light.beta_n > kLeast && light.beta_n < kMost;
      least = lower(light.beta_n, least);
      most = higher(light.beta_n, most);
    });
    // Where indices are not certain beta n may be larger by as much.
    constexpr double kOff = 0x1p-51;
    most_ = lanes_.largest(most) + kOff;
    least_ = -lanes_.largest(-least);
    return !lanes_.any(!good);
  }

  // As DepthProfile::only_curved_bin().
  [[nodiscard]] CHERENKOV_HOST_DEVICE int only_bin() const {
    const LightEnds ends = light_ends(apparent_, loop_.half(), 0, n_ - 1);
    const double slack = ends.slack(event_.earth_radius);
    const auto distance = [&](const Step::Point& at) {
      return event_.axis.curved_distance(at.x, at.y, at.z, event_.earth_radius);
    };
    const double one = distance(ends.from), other = distance(ends.to);
    if (!(one == one && other == other)) return 0;
    const double low = lower(one, other) - slack - kBinRounding_cm;
    const double high = higher(one, other) + slack + kBinRounding_cm;
    // The last range that begins at or below `low`.
    const int begin = first_above(event_.bins, [&](int i) { return low < event_.bin[i].low; });
    if (begin == 0) return 0;
    const DistanceRange& range = event_.bin[begin - 1];
    return range.low <= low && high <= range.high ? begin : 0;
  }

  // Where an index is not certain, beta n may be off by 2^-51: two of its last bits, one by the index and one
  // by rounding. The cosine is then off by 2^-51 + 2^-53, its sine squared by twice that and two roundings,
  // and the photons, once more rounded, by less than 2^-49 times the yield.
  CHERENKOV_HOST_DEVICE void add_photons(double total_power, double bin_power, StepAnswer& out) const {
    Sums total(total_power), in_bin(bin_power);
    const double uncertain = fabs(loop_.step.photons_per_sin2) * 0x1p-49;
    for_bunches([&](const BunchLight& light) {
      const double off = light.certain ? 0. : uncertain;
      total.add(light.photons, off);
      in_bin.add(light.photons, off);
    });
    out.total = total.of_all(lanes_);
    if (event_.bins != 0) out.in_bin = in_bin.of_all(lanes_);
  }

  const CurvedLoop& loop_;
  const CurvedEventView& event_;
  const Lanes lanes_;
  const int n_;
  const Step apparent_;
  double first_height_ = 0., last_height_ = 0., first_apparent_ = 0., last_apparent_ = 0.;
  double per_cm_ = 0., least_ = 0., most_ = 0.;
};

}  // namespace cherenkov::corsika
