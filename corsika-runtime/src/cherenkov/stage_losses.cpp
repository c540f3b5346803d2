// Steps whose bunches or photons are drawn for one by one: with option CERWLEN each bunch has a wavelength of
// its own; with CEFFIC most photons are lost, in mirror, photocathode or air. Compiled with
// -ffp-contract=off, as stage.cpp.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "cherenkov/bunch_lanes.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "corsika_runtime/efficiency/photon_losses.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {
namespace {

constexpr int kMost = 65536;                 // bunches or photons of a step; longer ones are left to CORSIKA
constexpr int kFewBunches = 8;               // looked at in one go behind a bunch that emits nothing
constexpr double kRoundingOfCosines = 1e-9;  // of w, with some to spare

double w_of(const Step& step, const BunchLight& light, const ObservationContext& context) {
  return std::min(1., light_direction(step, light.cosine, light.sine2, light.azimuth * context.two_pi).w);
}

// CERENK draws two numbers a bunch, for its wavelength and for its azimuth, in chunks of 100. A bunch below
// threshold uses the first alone, and takes two off the numbers that are still to be drawn. So a chunk may
// be shorter than what is used of it, even empty: then numbers of the chunk before are used again.
class WavelengthDraws {
 public:
  WavelengthDraws(LightNumbers& numbers, int bunches) : numbers_(numbers), left_(2 * bunches) {
    draw(std::min(left_, kMaxBunches));
  }

  // How many bunches the chunk has both numbers for.
  [[nodiscard]] int whole() const { return (kMaxBunches - used_) / 2; }
  // The two numbers of bunch k of these.
  [[nodiscard]] double wavelength(int k) const { return chunk_[used_ + 2 * k]; }
  [[nodiscard]] double azimuth(int k) const { return chunk_[used_ + 2 * k + 1]; }
  void step_over(int numbers) { used_ += numbers; }

  double next() {
    if (used_ == kMaxBunches) {
      const bool more = left_ > kMaxBunches;
      draw(more ? kMaxBunches : left_);
      left_ = more ? left_ - kMaxBunches : 0;
      used_ = 0;
    }
    return chunk_[used_++];
  }
  // A bunch below threshold.
  void unlit() { left_ -= 2; }

 private:
  void draw(int count) { numbers_.draw(chunk_, count); }

  LightNumbers& numbers_;
  int left_, used_ = 0;
  double chunk_[kMaxBunches];
};

// What does not depend on wavelengths. False where a value is not a number; nothing is drawn.
bool find_betas(const WavelengthLoop& loop, const Emission& emission, LitBunches& lit) {
  const Step& step = loop.step;
  const auto n = static_cast<std::size_t>(step.bunches);
  lit.begin(n);
  lit.find_places(step);
  // Coordinates that are not finite stay so from bunch to bunch.
  if (!std::isfinite(step.before.x + step.between.x + step.before.y + step.between.y + lit.path[n - 1] +
                     lit.height[n - 1]))
    return false;
  for (std::size_t k = 0; k < n; ++k) lit.index[k] = refractive_index(emission, lit.height[k]);
  bunch_betas(loop.mass, loop.energy, loop.energy_slope, lit.path.data(), n, lit.beta.data());
  double sum = 0.;
  for (std::size_t k = 0; k < n; ++k) sum += lit.beta[k] * lit.index[k];
  // Where the sum is finite, so are all terms, for none is negative.
  return std::isfinite(sum);
}

void draw_wavelengths(const WavelengthLoop& loop, const WavelengthBand& band, LightNumbers& numbers,
                      LitBunches& lit) {
  const int n = loop.step.bunches;
  const DispersedBand lanes{1. / band.longest, 1. / band.shortest - 1. / band.longest,
                            loop.step.photons_per_sin2};
  WavelengthDraws draws(numbers, n);
  // Of `count` bunches from number `first` on, in the rows behind those that are kept.
  const auto find_light = [&](int first, int count) {
    const auto at = static_cast<std::size_t>(first);
    const std::size_t to = lit.count;
    dispersed_light(lanes, &lit.random[to], &lit.beta[at], &lit.index[at], static_cast<std::size_t>(count),
                    &lit.beta_n[to], &lit.cosine[to], &lit.sine2[to], &lit.photons[to]);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
      if (lit.beta_n[to + k] == 0.)
        lit.set_light(
            to + k, lit.beta[at + k] * dispersed(lit.index[at + k], dispersion(band.at(lit.random[to + k]))),
            lanes.photons_per_sin2);
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
    for (int k = 0; k < whole; ++k) lit.random[lit.count + static_cast<std::size_t>(k)] = draws.wavelength(k);
    find_light(done, whole);
    int kept = 0;
    while (kept < whole && !lit.is_dark(lit.count)) keep(draws.azimuth(kept++));
    draws.step_over(2 * kept);
    most = kept < whole ? kFewBunches : std::min(2 * most, kMaxBunches);
    if (done == n || (kept == whole && draws.whole() > 0)) continue;
    // A bunch below threshold, or one whose numbers are in two chunks.
    lit.random[lit.count] = draws.next();
    find_light(done, 1);
    if (!lit.is_dark(lit.count)) {
      keep(draws.next());
    } else {
      draws.unlit();
      ++done;
    }
  }
}

// Numbers of a step in the order in which CERENK uses them: azimuths, in chunks; two of each photon; between
// photons what a detected one needs in addition. All photons to come need two numbers each, so that many are
// drawn ahead: in the end as many are drawn as CERENK draws.
class PhotonDraws {
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

// Draws, and finds the photons that are detected, but for absorption in air. Returns the number drawn last.
double draw_photons(const PhotonLoop& loop, const PhotonLosses& losses, const Emission& emission,
                    const ObservationContext& context, LightNumbers& sequence, LitBunches& lit) {
  const Step& step = loop.loop.step;
  lit.begin(static_cast<std::size_t>(step.bunches));
  PhotonDraws draws(sequence, step.bunches, loop.dispersed ? 2 : 1, lit.drawn);
  Step::Point at = step.before;
  int place = 0;
  while (draws.find(losses.lost())) {
    const std::size_t k = lit.count;
    const double wavelength = losses.wavelength(draws.wavelength());
    if (!losses.detects(wavelength, draws.loss())) continue;
    at = next_point(at, step.between);
    ++place;
    lit.set_light(k, loop.beta_n(at, wavelength, emission), step.photons_per_sin2);
    if (lit.is_dark(k)) {
      draws.unlit();
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
    if (losses.air_absorbs()) {
      lit.random[k] = draws.absorption();
      lit.extinction[k] = losses.near_extinction(wavelength, at.z);
    }
    lit.keep(k, place - 1);
  }
  return draws.last();
}

// Takes out the photons that air absorbs.
void absorb_in_air(const Step& step, const PhotonLosses& losses, const ObservationContext& context,
                   LitBunches& lit) {
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
      passes = lit.random[k] <=
               std::exp(-losses.extinction(-lit.wavelength[k], lit.height[k]) / w_of(step, lit[k], context));
    if (passes) lit.keep(k, lit.number[k]);
  }
}

}  // namespace

bool Stage::emit(const WavelengthLoop& loop, const WavelengthBand& band, const Emission& emission,
                 const ObservationContext& context) {
  const int n = loop.step.bunches;
  if (!(n > 1 && n <= kMost && !context.straight && prepare(context) && find_betas(loop, emission, lit_)))
    return leave(context.straight ? kStraightWavelengths : n == 1 ? kOneBunch : kUnbounded);
  irrevocably(context, [&] {
    draw_wavelengths(loop, band, *numbers_, lit_);
    emit_drawn(loop.step, context, &band);
  });
  return true;
}

bool Stage::emit(const PhotonLoop& loop, const PhotonLosses& losses, const Emission& emission,
                 const ObservationContext& context, double& last_number) {
  const Step& step = loop.loop.step;
  const bool is_one = loop.dispersed && step.bunches == 1;
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
  if (!(!is_one && step.bunches <= kMost && !context.straight && context.cut_w > 0. &&
        losses.why_not() == nullptr && prepare(context) && is_finite()))
    return leave(context.straight              ? kStraightWavelengths
                 : losses.why_not() != nullptr ? losses.why_not()
                 : is_one                      ? kOneBunch
                                               : kUnbounded);
  irrevocably(context, [&] {
    last_number = draw_photons(loop, losses, emission, context, *numbers_, lit_);
    if (losses.air_absorbs()) absorb_in_air(step, losses, context, lit_);
    emit_drawn(step, context);
  });
  return true;
}

}  // namespace cherenkov::corsika
