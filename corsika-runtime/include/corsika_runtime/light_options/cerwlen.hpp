// Option CERWLEN: each bunch has a wavelength, and so a refractive index, of its own.
#pragma once

#include "corsika_runtime/light_options/light_option.hpp"

namespace cherenkov::corsika {

/// Why steps of one bunch are left to CORSIKA.
inline constexpr const char* kOneBunch =
    "steps of one bunch, which CORSIKA does with CERWLEN; a smaller CERSIZ makes more bunches";

/// The wavelengths of Cherenkov light, nm: WAVLGL and WAVLGU.
struct WavelengthBand {
  double shortest, longest;

  /// The wavelength that CERENK makes of a random number, with its bits.
  [[nodiscard]] double at(double random) const {
    return 1. / (1. / longest + (1. / shortest - 1. / longest) * random);
  }
};

/// The factor of n - 1 at a wavelength in nm: how CERENK makes refraction depend on it, with its bits.
inline double dispersion(double wavelength) { return 0.967 + 0.033 * std::pow(400. / wavelength, 2.5); }

/// The refractive index at a wavelength where it is `index` without dispersion, with CERENK's bits.
inline double dispersed(double index, double factor) { return 1. + (index - 1.) * factor; }

/// dispersed() with the factor of a wavelength. Its pow() is called only where the last bit is in doubt.
inline double dispersed_at(double index, double wavelength) {
  const IndexRange<double> range = dispersed_range(index, 400. / wavelength);
  return range.is_certain() ? range.least : dispersed(index, dispersion(wavelength));
}

// CERENK draws two numbers a bunch, for its wavelength and for its azimuth, in groups of 100. A bunch below
// threshold uses the first alone, and takes two off the numbers that are still to be drawn. So a group may
// be shorter than what is used of it, even empty: then numbers of the group before are used again.
class WavelengthDraws {
 public:
  WavelengthDraws(LightNumbers& numbers, int bunches) : numbers_(numbers), left_(2 * bunches) {
    numbers_.draw(group_, std::min(left_, kMaxBunches));
  }

  // How many bunches the group has both numbers for.
  [[nodiscard]] int whole() const { return (kMaxBunches - used_) / 2; }
  // The two numbers of bunch k of these.
  [[nodiscard]] double wavelength(int k) const { return group_[used_ + 2 * k]; }
  [[nodiscard]] double azimuth(int k) const { return group_[used_ + 2 * k + 1]; }
  void step_over(int numbers) { used_ += numbers; }

  double next() {
    if (used_ == kMaxBunches) {
      const int count = std::min(left_, kMaxBunches);
      numbers_.draw(group_, count);
      left_ -= count;
      used_ = 0;
    }
    return group_[used_++];
  }
  // A bunch below threshold.
  void skip_dark() { left_ -= 2; }

 private:
  LightNumbers& numbers_;
  int left_, used_ = 0;
  double group_[kMaxBunches];
};

/// Light of builds with CERWLEN and without CEFFIC.
class Wavelengths : public LightOption {
 public:
  explicit Wavelengths(const WavelengthBand& band) : band_(band) {}

  /// Computes the change of energy per cm only in steps of one bunch, as CERENK does, and takes that of the
  /// last such step for all others. beta n of the loop's step is that of the shortest wavelength at the
  /// step's two ends, and linear between them; only the check's counts use it.
  LightKind look_at(const ChargedStep& c, const Emission& emission) override {
    if (c.w < emission.cut_w || c.length <= 0.) return LightKind::kNone;
    const double begin =
        beta_of(c.mass, c.begin_energy) * dispersed(last_.at(emission, c.z_begin), dispersion_of_steps_);
    const double end =
        beta_of(c.mass, c.end_energy) * dispersed(last_.at(emission, c.z_end), dispersion_of_steps_);
    if (begin < 1. && end < 1.) return LightKind::kNone;
    if (std::isnan(begin + end)) {
      // CERENK may find any number of bunches. Steps are left to it up to the next one that it finds one of.
      energy_slope_ = NAN;
      return LightKind::kOther;
    }
    const StepYield<double> yield = yield_of(emission, c.charge, c.length, begin, end);
    if (!(yield.bunches < kMaxBunchesOfAStep)) return LightKind::kOther;
    const int n = static_cast<int>(yield.bunches);
    if (n < 1) return LightKind::kNone;
    if (n == 1) energy_slope_ = (c.end_energy - c.begin_energy) / c.length;
    if (!(c.w > 0.)) return LightKind::kOther;

    loop_ = {};
    loop_.kind = BunchLoop::Index::kAtBunch;
    loop_.energy = c.begin_energy;
    loop_.energy_slope = energy_slope_;
    loop_.mass = c.mass;
    loop_.step.beta_n = begin;
    loop_.step.beta_n_slope = (end - begin) / c.length;
    set_spacing(c, n, yield.per_cm, loop_.step);
    set_frame_of_any({c.u, c.v, c.w}, loop_.step);
    return LightKind::kWhole;
  }

  /// In flat air a step of one bunch is CORSIKA's: CERENK must see it, to know the change of energy for steps
  /// to come.
  [[nodiscard]] const char* why_left(const Emission& emission, const ObservationContext& context,
                                     LitBunches& lit) const override {
    if (!curved_ && loop_.step.bunches == 1) return kOneBunch;
    const bool is_left =
        loop_.step.bunches > kMost || may_end_at_plane(context) || !find_betas(emission, lit);
    return is_left ? kUnbounded : nullptr;
  }

  void draw(const Emission& /*emission*/, const ObservationContext& /*context*/, LightNumbers& sequence,
            LitBunches& lit) const override {
    const int n = loop_.step.bunches;
    const DispersedBand lanes{1. / band_.longest, 1. / band_.shortest - 1. / band_.longest,
                              loop_.step.photons_per_sin2, loop_.step.weight};
    WavelengthDraws draws(sequence, n);
    // Of `count` bunches from number `first` on, in the rows behind those that are kept.
    const auto find_light = [&](int first, int count) {
      const auto at = static_cast<std::size_t>(first);
      const std::size_t to = lit.count;
      dispersed_light(lanes, &lit.random[to], &lit.beta[at], &lit.index[at], static_cast<std::size_t>(count),
                      &lit.beta_n[to], &lit.cosine[to], &lit.sine2[to], &lit.photons[to]);
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
        if (lit.beta_n[to + k] == 0.)
          lit.set_light(
              to + k,
              lit.beta[at + k] * dispersed(lit.index[at + k], dispersion(band_.at(lit.random[to + k]))),
              loop_.step);
    };
    int done = 0;
    const auto keep = [&](double azimuth) {
      lit.azimuth[lit.count] = azimuth;
      lit.keep(lit.count, done++);
    };
    int most = kMaxBunches;
    while (done < n) {
      // As if all bunches emitted light. Behind one that does not, the numbers are those of others.
      const int whole = std::min({draws.whole(), n - done, most});
      for (int k = 0; k < whole; ++k)
        lit.random[lit.count + static_cast<std::size_t>(k)] = draws.wavelength(k);
      find_light(done, whole);
      int kept = 0;
      while (kept < whole && !lit.is_dark(lit.count)) keep(draws.azimuth(kept++));
      draws.step_over(2 * kept);
      most = kept < whole ? kFewBunches : std::min(2 * most, kMaxBunches);
      if (done == n || (kept == whole && draws.whole() > 0)) continue;
      // A bunch below threshold, or one whose numbers are in two groups.
      lit.random[lit.count] = draws.next();
      find_light(done, 1);
      if (!lit.is_dark(lit.count)) {
        keep(draws.next());
      } else {
        draws.skip_dark();
        ++done;
      }
    }
  }

  void set_wavelengths(LitBunches& lit) const override {
    for (std::size_t k = 0; k < lit.count; ++k) lit.wavelength[k] = band_.at(lit.random[k]);
  }

  [[nodiscard]] double dispersion_of_steps() const override { return dispersion_of_steps_; }

 private:
  static constexpr int kFewBunches = 8;  // looked at in one go behind a bunch that emits nothing

  // Whether CERENK of option CURVED may end the loop at the detection plane before the last bunch.
  [[nodiscard]] bool may_end_at_plane(const ObservationContext& context) const {
    constexpr double kRounding_cm = 1.;  // of CERENK's running sum
    return curved_ && curved_->stops_at_plane &&
           !(curved_->apparent_before + loop_.step.bunches * curved_->apparent_between >
             context.plane.height + kRounding_cm);
  }

  // Finds what does not depend on wavelengths. False where a value is not a number.
  bool find_betas(const Emission& emission, LitBunches& lit) const {
    const Step& step = loop_.step;
    const auto n = static_cast<std::size_t>(step.bunches);
    lit.begin(n);
    lit.find_places(step);
    // Coordinates that are not finite stay so from bunch to bunch.
    if (!std::isfinite(step.before.x + step.between.x + step.before.y + step.between.y + lit.path[n - 1] +
                       lit.height[n - 1]))
      return false;
    if (curved_ && emission.air != nullptr)
      emission.air->find_indices(emission, {curved_->index_height, curved_->index_excess}, lit.height.data(),
                                 n, lit.index.data());
    else
      for (std::size_t k = 0; k < n; ++k) lit.index[k] = refractive_index(emission, lit.height[k]);
    bunch_betas(loop_.mass, loop_.energy, loop_.energy_slope, lit.path.data(), n, lit.beta.data());
    double sum = 0.;
    for (std::size_t k = 0; k < n; ++k) sum += lit.beta[k] * lit.index[k];
    // Where the sum is finite, so are all terms, for none is negative.
    return std::isfinite(sum);
  }

  const WavelengthBand band_;
  const double dispersion_of_steps_ = dispersion(band_.shortest);
  double energy_slope_ = 0.;
  LastIndex last_;
};

}  // namespace cherenkov::corsika
