// Steps of builds with option CEFFIC: most photons are lost, in mirror, photocathode or air. Compiled with
// -ffp-contract=off, as stage.cpp.
#include <algorithm>
#include <cmath>

#include "cherenkov/bunch_lanes.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "corsika_runtime/efficiency/photon_losses.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {
namespace {

constexpr int kMostPhotonBunches = 65536;    // of a step; longer ones are left to CORSIKA
constexpr std::size_t kTermsBehind = 8;      // readable behind the terms of running_sum()
constexpr double kRoundingOfCosines = 1e-9;  // of w, with some to spare

}  // namespace

void Stage::DetectedPhotons::make_room(std::size_t n) {
  if (at.size() >= n) return;
  at.resize(n);
  number.resize(n);
  for (auto* values :
       {&wavelength, &azimuth, &beta_n, &cosine, &sine2, &random, &extinction, &low_w, &high_w})
    values->resize(n + kMostLanes);
  passage.resize(n + kMostLanes);
  photons.resize(n + kTermsBehind);
}

void Stage::DetectedPhotons::move(std::size_t from, std::size_t to) {
  at[to] = at[from];
  number[to] = number[from];
  for (auto* values : {&wavelength, &azimuth, &beta_n, &cosine, &sine2, &photons})
    (*values)[to] = (*values)[from];
}

// Numbers of a step in the order in which CERENK uses them: azimuths, in chunks; two of each photon; between
// photons what a detected one needs in addition. All photons to come need two numbers each, so that many are
// drawn ahead: in the end as many are drawn as CERENK draws.
class Stage::PhotonDraws {
 public:
  // each: how many azimuths CERENK takes a photon to need. numbers: room for them.
  PhotonDraws(LightNumbers& sequence, int photons, int each, std::vector<double>& numbers)
      : sequence_(sequence), photons_(photons), each_(each), left_(photons * each), numbers_(numbers) {
    const std::size_t most = 2 * static_cast<std::size_t>(photons) + kMaxBunches;
    if (numbers_.size() < most) numbers_.resize(most);
    take_azimuths(std::min(left_, kMaxBunches));
  }

  // Goes on to the next photon that may be detected. False where there is none.
  bool find(const LostPhotons& lost) {
    while (photons_ > 0) {
      need(2, 0);
      const auto at_hand = std::min<std::int64_t>(photons_, (ready_ - at_) / 2);
      const std::int64_t gone = lost.before_next(numbers_.data() + at_, at_hand);
      at_ += 2 * gone;
      photons_ -= static_cast<int>(gone);
      if (gone > 0) last_ = numbers_[static_cast<std::size_t>(at_) - 1];
      if (gone < at_hand) return true;
    }
    return false;
  }

  // That photon's number for the wavelength; then the one for its loss.
  double wavelength() {
    --photons_;
    return numbers_[static_cast<std::size_t>(at_++)];
  }
  double loss() { return last_ = numbers_[static_cast<std::size_t>(at_++)]; }

  double azimuth() {
    if (used_ == kMaxBunches) {
      const int count = std::min(left_, kMaxBunches);
      take_azimuths(count);
      left_ -= count;
      used_ = 0;
    }
    return azimuths_[used_++];
  }
  // A photon below threshold.
  void unlit() { left_ -= each_; }

  // For absorption in air.
  double absorption() {
    need(1, 1);
    return last_ = numbers_[static_cast<std::size_t>(at_++)];
  }

  // The number that was taken last, but for azimuths.
  [[nodiscard]] double last() const { return last_; }

 private:
  // Draws where `count` numbers are not at hand: those, `before` of which come before the next photon's, and
  // those of all photons to come.
  void need(std::int64_t count, std::int64_t before) {
    if (ready_ - at_ >= count) return;
    std::copy(numbers_.begin() + at_, numbers_.begin() + ready_, numbers_.begin());
    ready_ -= at_;
    at_ = 0;
    const int more = static_cast<int>(before + 2 * photons_ - ready_);
    sequence_.draw(numbers_.data() + ready_, more);
    ready_ += more;
  }
  void take_azimuths(int count) {
    need(count, count);
    std::copy_n(numbers_.begin() + at_, count, azimuths_);
    at_ += count;
  }

  LightNumbers& sequence_;
  int photons_;  // to come
  int each_, left_, used_ = 0;
  std::vector<double>& numbers_;
  std::int64_t at_ = 0, ready_ = 0;
  double last_ = 0.;
  double azimuths_[kMaxBunches];
};

void Stage::draw_photons(const PhotonLoop& loop, const PhotonLosses& losses, const Emission& emission,
                         const ObservationContext& context, double& last_number) {
  const Step& step = loop.loop.step;
  DetectedPhotons& d = detected_;
  d.make_room(static_cast<std::size_t>(step.bunches));
  d.count = 0;
  d.places = 0;
  const bool air = losses.air_absorbs();
  PhotonDraws draws(*numbers_, step.bunches, loop.dispersed ? 2 : 1, d.numbers);
  Step::Point at = step.before;
  while (draws.find(losses.lost())) {
    const std::size_t k = d.count;
    const double wavelength = losses.wavelength(draws.wavelength());
    if (!losses.detects(wavelength, draws.loss())) continue;
    at = next_point(at, step.between);
    d.number[k] = d.places++;
    const double beta_n = loop.beta_n(at, wavelength, emission);
    const double cosine = 1. / beta_n;
    const double sine2 = (1. - cosine) * (1. + cosine);
    if (cosine > 1. || sine2 <= 0.) {
      draws.unlit();
      continue;
    }
    d.at[k] = at;
    d.wavelength[k] = wavelength;
    d.beta_n[k] = beta_n;
    d.cosine[k] = cosine;
    d.sine2[k] = sine2;
    d.photons[k] = step.photons_per_sin2 * sine2;
    d.azimuth[k] = draws.azimuth();
    const double middle = step.w0 * cosine, around = std::fabs(step.sw) * std::sqrt(sine2);
    d.low_w[k] = middle - around;
    d.high_w[k] = std::min(1., middle + around);
    if (!(d.low_w[k] > context.cut_w + kRoundingOfCosines)) {
      const double w = bunch_of(step, {at, {cosine, sine2, d.photons[k]}, d.azimuth[k]}, context).w;
      if (w < context.cut_w) continue;
      d.low_w[k] = d.high_w[k] = w;
    }
    if (air) {
      d.random[k] = draws.absorption();
      d.extinction[k] = losses.near_extinction(wavelength, at.z);
    }
    ++d.count;
  }
  last_number = draws.last();
}

void Stage::absorb_in_air(const Step& step, const PhotonLosses& losses, const ObservationContext& context) {
  DetectedPhotons& d = detected_;
  for (std::size_t k = d.count; k < d.count + kMostLanes; ++k) {
    d.random[k] = d.low_w[k] = d.high_w[k] = 1.;
    d.extinction[k] = 0.;
  }
  passages(d.random.data(), d.extinction.data(), d.low_w.data(), d.high_w.data(), d.count, d.passage.data());
  std::size_t left = 0;
  for (std::size_t k = 0; k < d.count; ++k) {
    bool passes = d.passage[k] == kPasses;
    if (d.passage[k] == kUndecided) {
      const BunchYield light{d.cosine[k], d.sine2[k], d.photons[k]};
      const double w = bunch_of(step, {d.at[k], light, d.azimuth[k]}, context).w;
      passes = d.random[k] <= std::exp(-losses.extinction(d.wavelength[k], d.at[k].z) / w);
    }
    if (passes) d.move(k, left++);
  }
  d.count = left;
}

bool Stage::emit(const PhotonLoop& loop, const PhotonLosses& losses, const Emission& emission,
                 const ObservationContext& context, double& last_number) {
  detect_new_event();
  const Step& step = loop.loop.step;
  const auto is_finite = [&] {
    const Step::Point& to = step.between;
    const double n = step.bunches;
    const Step::Point end{step.before.path + n * to.path, step.before.x + n * to.x, step.before.y + n * to.y,
                          step.before.z + n * to.z, 0.};
    // The energy is linear in between, and air has an index at all heights.
    const double light =
        loop.beta_n(next_point(step.before, to), 400., emission) + loop.beta_n(end, 400., emission);
    return std::isfinite(end.x + end.y + end.z + light);
  };
  const bool possible = !(loop.dispersed && step.bunches == 1) && step.bunches <= kMostPhotonBunches &&
                        !context.straight && context.cut_w > 0. && losses.why_not() == nullptr &&
                        prepare_event(context.plane.height, true) && check_depth_bins(context) && is_finite();
  if (!possible) {
    why_left_ = context.straight                      ? kStraightWavelengths
                : losses.why_not() != nullptr         ? losses.why_not()
                : loop.dispersed && step.bunches == 1 ? kOneBunch
                                                      : kUnbounded;
    ++counts_.left_to_corsika;
    bunches_seen_ = *bunches_;
    return false;
  }
  irrevocably([&] {
    DetectedPhotons& d = detected_;
    draw_photons(loop, losses, emission, context, last_number);
    if (losses.air_absorbs()) absorb_in_air(step, losses, context);
    std::fill_n(d.photons.data() + d.count, kTermsBehind, 0.);
    const auto [least, most] =
        std::minmax_element(d.beta_n.begin(), d.beta_n.begin() + static_cast<std::ptrdiff_t>(d.count));
    const bool unseen = d.count == 0 || surely_unseen(step, *least, *most, context);
    ++counts_.steps;
    counts_.bunches += d.count;
    counts_.rings += unseen ? 0U : 1U;
    if (unseen)
      add_bunches(step, d.places, d.number.data(), d.photons.data(), d.count, context);
    else
      emit_one_by_one(step, d.count, context, [&](std::size_t k) {
        return LitBunch{d.at[k], {d.cosine[k], d.sine2[k], d.photons[k]}, d.azimuth[k], -d.wavelength[k]};
      });
  });
  bunches_seen_ = *bunches_;
  return true;
}

}  // namespace cherenkov::corsika
