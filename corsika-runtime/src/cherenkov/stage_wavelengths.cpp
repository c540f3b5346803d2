// Steps of builds with option CERWLEN: each bunch has a wavelength of its own. Compiled with
// -ffp-contract=off, as stage.cpp.
#include <algorithm>
#include <cmath>

#include "arrival_shift.hpp"
#include "cherenkov/bunch_lanes.hpp"
#include "cherenkov/running_sum.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {
namespace {

constexpr int kMostWavelengthBunches = 65536;  // of a step; longer ones are left to CORSIKA
constexpr std::size_t kPadding = 8;            // readable behind the terms of running_sum()
constexpr int kFewBunches = 8;                 // looked at in one go behind a bunch that emits nothing

}  // namespace

void Stage::WavelengthBunches::make_room(std::size_t n) {
  if (path.size() >= n) return;
  for (auto* values : {&path, &height, &index, &beta, &random, &azimuth, &beta_n, &cosine, &sine2})
    values->resize(n);
  number.resize(n);
  photons.resize(n + kPadding);
}

// CERENK draws two numbers a bunch, for its wavelength and for its azimuth, in chunks of 100. A bunch below
// threshold uses the first alone, and takes two off the numbers that are still to be drawn. So a chunk may
// be shorter than what is used of it, even empty: then numbers of the chunk before are used again.
class Stage::WavelengthDraws {
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

bool Stage::find_betas(const WavelengthLoop& loop, const Emission& emission) {
  const Step& step = loop.step;
  const auto n = static_cast<std::size_t>(step.bunches);
  WavelengthBunches& w = waves_;
  w.make_room(n);
  double path = step.before.path, height = step.before.z;
  for (std::size_t k = 0; k < n; ++k) {
    w.path[k] = path += step.between.path;
    w.height[k] = height += step.between.z;
  }
  // Coordinates that are not finite stay so from bunch to bunch.
  if (!std::isfinite(step.before.x + step.between.x + step.before.y + step.between.y + path + height))
    return false;
  for (std::size_t k = 0; k < n; ++k) w.index[k] = refractive_index(emission, w.height[k]);
  bunch_betas(loop.mass, loop.energy, loop.energy_slope, w.path.data(), n, w.beta.data());
  double sum = 0.;
  for (std::size_t k = 0; k < n; ++k) sum += w.beta[k] * w.index[k];
  // Where the sum is finite, so are all terms, for none is negative.
  return std::isfinite(sum);
}

void Stage::draw_wavelengths(const WavelengthLoop& loop, const WavelengthBand& band) {
  const int n = loop.step.bunches;
  WavelengthBunches& w = waves_;
  const DispersedBand lanes{1. / band.longest, 1. / band.shortest - 1. / band.longest,
                            loop.step.photons_per_sin2};
  WavelengthDraws draws(*numbers_, n);
  w.count = 0;
  const auto find_light = [&](int first, int count) {
    const auto at = static_cast<std::size_t>(first);
    const std::size_t to = w.count;
    dispersed_light(lanes, &w.random[to], &w.beta[at], &w.index[at], static_cast<std::size_t>(count),
                    &w.beta_n[to], &w.cosine[to], &w.sine2[to], &w.photons[to]);
    for (std::size_t k = to; k < to + static_cast<std::size_t>(count); ++k) {
      if (w.beta_n[k] != 0.) continue;
      const std::size_t bunch = at + (k - to);
      w.beta_n[k] = w.beta[bunch] * dispersed(w.index[bunch], dispersion(band.at(w.random[k])));
      w.cosine[k] = 1. / w.beta_n[k];
      w.sine2[k] = (1. - w.cosine[k]) * (1. + w.cosine[k]);
      w.photons[k] = lanes.photons_per_sin2 * w.sine2[k];
    }
  };
  const auto is_lit = [&w](std::size_t k) { return w.cosine[k] <= 1. && w.sine2[k] > 0.; };
  int done = 0;
  const auto keep = [&](double azimuth) {
    w.azimuth[w.count] = azimuth;
    w.number[w.count++] = done++;
  };
  int most = kMaxBunches;
  while (done < n) {
    // As if all bunches emitted light. Behind one that does not, the numbers are those of others.
    const int whole = std::min({draws.whole(), n - done, most});
    for (int k = 0; k < whole; ++k) w.random[w.count + static_cast<std::size_t>(k)] = draws.wavelength(k);
    find_light(done, whole);
    int lit = 0;
    while (lit < whole && is_lit(w.count)) keep(draws.azimuth(lit++));
    draws.step_over(2 * lit);
    most = lit < whole ? kFewBunches : std::min(2 * most, kMaxBunches);
    if (done == n || (lit == whole && draws.whole() > 0)) continue;
    // A bunch below threshold, or one whose numbers are in two chunks.
    w.random[w.count] = draws.next();
    find_light(done, 1);
    if (is_lit(w.count)) {
      keep(draws.next());
    } else {
      draws.unlit();
      ++done;
    }
  }
  std::fill_n(w.photons.data() + w.count, kPadding, 0.);
  w.least = HUGE_VAL;
  w.most = 0.;
  for (std::size_t k = 0; k < w.count; ++k) {
    w.least = std::min(w.least, w.beta_n[k]);
    w.most = std::max(w.most, w.beta_n[k]);
  }
}

// The test of a whole step (docs/cherenkov-bound.md), with the least and the most beta n of its bunches.
bool Stage::surely_unseen(const Step& step, double least, double most,
                          const ObservationContext& context) const {
  const Plane plane = plane_of(context);
  const auto bound = step_bound_of(step, least, most, -step.sw, plane, context.cut_w, *refraction_model_);
  return step.sw < 0. && bound && bound->lowest() > plane.height + spheres_.top() &&
         StepBound::is_known(bound->whole) &&
         !spheres_.touched_by(bound->ring(step, plane), bound->lowest() - plane.height);
}

// Light that no telescope sees: only the sums.
void Stage::add_bunches(const Step& step, int places, const int* number, const double* photons,
                        std::size_t count, const ObservationContext& context) {
  const int n = static_cast<int>(count);
  *photons_ = running_sum(*photons_, photons, n);
  *bunches_ += n;
  if (!context.fill_profile || n == 0) return;
  const auto edge_at = [&](double steps) {
    return Step::Point{0., step.before.x + steps * step.between.x, step.before.y + steps * step.between.y,
                       step.before.z + steps * step.between.z, 0.};
  };
  if (const int bin = context.profile.only_bin(edge_at(0.5), edge_at(places + 0.5)); bin != 0) {
    context.profile.photons[bin] = running_sum(context.profile.photons[bin], photons, n);
    return;
  }
  const Step::Point half = half_of(step.between);
  Step::Point at = step.before;
  int done = 0;
  for (std::size_t k = 0; k < count; ++k) {
    for (; done <= number[k]; ++done) at = next_point(at, step.between);
    const int own = context.profile.only_bin(edge_at(done - 0.5), edge_at(done + 0.5));
    if (own != 0)
      context.profile.photons[own] += photons[k];
    else
      context.profile.add(at, half, photons[k], routines_.thickness);
  }
}

void Stage::follow_wavelengths(const WavelengthLoop& loop, const WavelengthBand& band,
                               const ObservationContext& context) {
  const Step& step = loop.step;
  const WavelengthBunches& w = waves_;
  Step::Point at = step.before;
  int done = 0;
  emit_one_by_one(step, w.count, context, [&](std::size_t k) {
    for (; done <= w.number[k]; ++done) at = next_point(at, step.between);
    return LitBunch{at, {w.cosine[k], w.sine2[k], w.photons[k]}, w.azimuth[k], band.at(w.random[k])};
  });
}

bool Stage::emit(const WavelengthLoop& loop, const WavelengthBand& band, const Emission& emission,
                 const ObservationContext& context) {
  detect_new_event();
  const bool possible = loop.step.bunches > 1 && loop.step.bunches <= kMostWavelengthBunches &&
                        !context.straight && prepare_event(context.plane.height, true) &&
                        check_depth_bins(context) && find_betas(loop, emission);
  if (!possible) {
    why_left_ = context.straight ? kStraightWavelengths : loop.step.bunches == 1 ? kOneBunch : kUnbounded;
    ++counts_.left_to_corsika;
    bunches_seen_ = *bunches_;
    return false;
  }
  irrevocably([&] {
    draw_wavelengths(loop, band);
    const bool unseen = waves_.count == 0 || surely_unseen(loop.step, waves_.least, waves_.most, context);
    ++counts_.steps;
    counts_.bunches += waves_.count;
    counts_.rings += unseen ? 0U : 1U;
    if (unseen)
      add_bunches(loop.step, loop.step.bunches, waves_.number.data(), waves_.photons.data(), waves_.count,
                  context);
    else
      follow_wavelengths(loop, band, context);
  });
  bunches_seen_ = *bunches_;
  return true;
}

}  // namespace cherenkov::corsika
