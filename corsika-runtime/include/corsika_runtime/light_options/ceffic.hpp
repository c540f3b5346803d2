// Option CEFFIC: most photons are lost, in mirror, photocathode or air.
#pragma once

#include "corsika_runtime/efficiency/photon_losses.hpp"
#include "corsika_runtime/light_options/cerwlen.hpp"

namespace cherenkov::corsika {

// Numbers of a step in the order in which CERENK uses them: azimuths, in groups; one of each photon, two
// where mirror or photocathode loses some; between photons what a detected one needs in addition. All photons
// to come need as many numbers each, so that many are drawn ahead: in the end as many are drawn as CERENK
// draws.
class PhotonDraws {
 public:
  // own: numbers of each photon, 1 or 2. each: how many azimuths CERENK takes a photon to need. numbers: room
  // for them.
  PhotonDraws(LightNumbers& sequence, int photons, int own, int each, std::vector<double>& numbers)
      : sequence_(sequence),
        photons_(photons),
        own_(own),
        each_(each),
        left_(photons * each),
        numbers_(numbers) {
    const std::size_t most = 2 * static_cast<std::size_t>(photons) + kMaxBunches;
    if (numbers_.size() < most) numbers_.resize(most);
    take_azimuths(std::min(left_, kMaxBunches));
  }

  // Goes on to the next photon that may be detected. False where there is none.
  bool find(const PhotonLosses& losses) {
    while (photons_ > 0) {
      need(own_, 0);
      if (own_ == 1) return true;
      const auto at_hand = std::min<std::int64_t>(photons_, (ready_ - at_) / 2);
      const std::int64_t gone = losses.lost_before_next(numbers_.data() + at_, at_hand);
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
    return take();
  }
  double loss() { return take(); }

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
  void skip_dark() { left_ -= each_; }

  // For absorption in air.
  double absorption() {
    need(1, 1);
    return take();
  }

  // The number that was taken last, but for azimuths.
  [[nodiscard]] double last() const { return last_; }

 private:
  double take() { return last_ = numbers_[static_cast<std::size_t>(at_++)]; }
  // Draws where `count` numbers are not at hand: those, `before` of which come before the next photon's, and
  // those of all photons to come.
  void need(std::int64_t count, std::int64_t before) {
    if (ready_ - at_ >= count) return;
    std::copy(numbers_.begin() + at_, numbers_.begin() + ready_, numbers_.begin());
    ready_ -= at_;
    at_ = 0;
    const int more = static_cast<int>(before + own_ * photons_ - ready_);
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
  int own_, each_, left_, used_ = 0;
  std::vector<double>& numbers_;
  std::int64_t at_ = 0, ready_ = 0;
  double last_ = 0.;
  double azimuths_[kMaxBunches];
};

/// Light of builds with CEFFIC, also together with CERWLEN. The places of a step are its points of emission
/// (Step), numbered from 0. Only a photon that mirror and photocathode detect takes a place, the next one; a
/// lost one does not advance the point of emission. So detected photons stand at the first places.
class Efficiency : public LightOption {
 public:
  /// last_number: set to the number drawn last for wavelength or loss of a photon. wavelengths: with CERWLEN.
  Efficiency(PhotonLosses losses, double* last_number, std::unique_ptr<Wavelengths> wavelengths)
      : dispersed_(wavelengths != nullptr),
        losses_(std::move(losses)),
        last_number_(last_number),
        wavelengths_(std::move(wavelengths)) {}

  LightKind look_at(const ChargedStep& charged, const Emission& emission) override {
    if (wavelengths_ != nullptr) {
      const LightKind light = wavelengths_->look_at(charged, emission);
      if (light == LightKind::kWhole) loop_ = wavelengths_->loop();
      return light;
    }
    loop_ = {};
    const LightKind light = light_of(charged, emission, loop_.step);
    if (light != LightKind::kOther) return light;
    const auto index = [&](double height) { return refractive_index(emission, height); };
    const auto loop = bunch_loop_of(
        charged,
        {index(charged.z_begin), index(0.5 * (charged.z_begin + charged.z_end)), index(charged.z_end)},
        emission, kMostOfALoop);
    if (!loop || !(charged.w > 0.)) return LightKind::kOther;
    loop_ = *loop;
    return LightKind::kWhole;
  }

  [[nodiscard]] const char* why_left(const Emission& emission, const ObservationContext& context,
                                     LitBunches& /*lit*/) const override {
    if (losses_.why_not() != nullptr) return losses_.why_not();
    const Step& step = loop_.step;
    if (dispersed_ && step.bunches == 1) return kOneBunch;
    const Step::Point& to = step.between;
    const double n = step.bunches;
    const Step::Point end{step.before.path + n * to.path, step.before.x + n * to.x, step.before.y + n * to.y,
                          step.before.z + n * to.z, 0.};
    // The energy is linear in between, and air has an index at all heights.
    const auto is_finite = [&] {
      const double light = beta_n(next_point(step.before, to), 400., emission) + beta_n(end, 400., emission);
      return std::isfinite(end.x + end.y + end.z + light);
    };
    return step.bunches <= kMost && context.cut_w > 0. && is_finite() ? nullptr : kUnbounded;
  }

  void draw(const Emission& emission, const ObservationContext& context, LightNumbers& sequence,
            LitBunches& lit) const override {
    *last_number_ = draw_photons(emission, context, sequence, lit);
    if (losses_.air_absorbs()) absorb_in_air(context, lit);
  }

  [[nodiscard]] double dispersion_of_steps() const override {
    return wavelengths_ == nullptr ? 1. : wavelengths_->dispersion_of_steps();
  }

 protected:
  bool dispersed_;  // the index depends on the wavelength

 private:
  static constexpr int kMostOfALoop = 1 << 20;        // bunches; the stage takes fewer
  static constexpr double kRoundingOfCosines = 1e-9;  // of w, with some to spare

  // beta n of light of a wavelength, nm, with CERENK's bits.
  [[nodiscard]] double beta_n(const Step::Point& at, double wavelength, const Emission& emission) const {
    if (!dispersed_) return loop_.beta_n(at, emission);
    return beta_of(loop_.mass, loop_.energy + loop_.energy_slope * at.path) *
           dispersed_at(refractive_index(emission, at.z), wavelength);
  }

  static double w_of(const Step& step, const BunchLight& light, const ObservationContext& context) {
    return std::min(1., light_direction(step, light.cosine, light.sine2, light.azimuth * context.two_pi).w);
  }

  // Draws, and finds the photons that are detected, but for absorption in air. Returns the number drawn last.
  double draw_photons(const Emission& emission, const ObservationContext& context, LightNumbers& sequence,
                      LitBunches& lit) const {
    const Step& step = loop_.step;
    lit.begin(static_cast<std::size_t>(step.bunches));
    const bool looks = losses_.telescope_loses();
    PhotonDraws draws(sequence, step.bunches, looks ? 2 : 1, dispersed_ ? 2 : 1, lit.drawn);
    Step::Point at = step.before;
    int place = 0;
    while (draws.find(losses_)) {
      const std::size_t k = lit.count;
      const double wavelength = losses_.wavelength(draws.wavelength());
      if (looks && !losses_.detects(wavelength, draws.loss())) continue;
      at = next_point(at, step.between);
      ++place;
      lit.set_light(k, beta_n(at, wavelength, emission), step);
      if (lit.is_dark(k)) {
        draws.skip_dark();
        continue;
      }
      lit.wavelength[k] = -wavelength;  // so TELOUT knows that it was looked at
      lit.height[k] = at.z;
      lit.azimuth[k] = draws.azimuth();
      const double middle = step.w0 * lit.cosine[k], around = std::fabs(step.sw) * std::sqrt(lit.sine2[k]);
      lit.low_w[k] = middle - around;
      lit.high_w[k] = std::min(1., middle + around);
      if (!(lit.low_w[k] > context.cut_w + kRoundingOfCosines)) {
        lit.low_w[k] = lit.high_w[k] = w_of(step, lit[k], context);
        if (lit.low_w[k] < context.cut_w) continue;
      }
      if (losses_.air_absorbs()) {
        lit.random[k] = draws.absorption();
        lit.extinction[k] = losses_.near_extinction(wavelength, at.z);
      }
      lit.keep(k, place - 1);
    }
    return draws.last();
  }

  // Takes out the photons that air absorbs.
  void absorb_in_air(const ObservationContext& context, LitBunches& lit) const {
    const Step& step = loop_.step;
    const std::size_t n = std::exchange(lit.count, 0);
    for (std::size_t k = n; k < n + kMostLanes; ++k) {
      lit.random[k] = lit.low_w[k] = lit.high_w[k] = 1.;
      lit.extinction[k] = 0.;
    }
    passages(lit.random.data(), lit.extinction.data(), lit.low_w.data(), lit.high_w.data(), n,
             lit.passage.data());
    for (std::size_t k = 0; k < n; ++k) {
      bool passes = lit.passage[k] == kPasses;
      if (lit.passage[k] == kUndecided)
        passes = lit.random[k] <= std::exp(-losses_.extinction(-lit.wavelength[k], lit.height[k]) /
                                           w_of(step, lit[k], context));
      if (passes) lit.keep(k, lit.number[k]);
    }
  }

  const PhotonLosses losses_;
  double* const last_number_;
  const std::unique_ptr<Wavelengths> wavelengths_;
};

}  // namespace cherenkov::corsika
