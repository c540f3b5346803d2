// Emits steps for which a device has found the members of Step, the azimuths to test and the sums. Compiled
// with -ffp-contract=off, as stage.cpp.
#include <algorithm>
#include <cmath>

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "corsika_runtime/cherenkov/step_geometry.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {
namespace {

Step step_of(const StepAnswer& d, int n, double begin_time, double end_time) {
  const double time = (end_time - begin_time) * (1. / static_cast<double>(n));
  Step step{};
  step.bunches = n;
  step.before = {d.path_before, d.x_before, d.y_before, d.z_before, begin_time - 0.5 * time};
  step.between = {d.path, d.x, d.y, d.z, time};
  step.beta_n = d.beta_n;
  step.beta_n_slope = d.beta_n_slope;
  step.photons_per_sin2 = d.photons_per_sin2;
  const Direction direction{d.u, d.v, d.w};
  set_frame(direction, sin2_of(direction), step);
  return step;
}

BunchLight light_at(const Step& step, double path) {
  const LightAngle<double> angle = light_angle(step.beta_n + step.beta_n_slope * path);
  return {angle.cosine, angle.sine2, angle.photons(step.photons_per_sin2), 0.};
}

// Adds the photons of the bunches from `begin` to before `end` to a sum. terms: what a device has found for
// them.
void add_photons(const Step& step, int begin, int end, const SumTerms& terms, double& sum) {
  if (const double known = terms.added_to(sum); !std::isnan(known)) {
    sum = known;
    return;
  }
  BunchPlaces places(step.before, step.between);
  for (int k = begin; k < end; ++k) sum += light_at(step, places.go_to(k).path).photons;
}

}  // namespace

bool Stage::try_add(const StepAnswer& answer, const ObservationContext& context) {
  if (answer.verdict != Verdict::kUnseen) return false;
  const double total = answer.total.added_to(*photons_);
  const double in_bin = answer.bin == 0 ? 0. : answer.in_bin.added_to(context.profile.photons[answer.bin]);
  if (std::isnan(total + in_bin)) return false;
  add_skipped_step(answer.bunches, total, answer.bin, in_bin, context.profile);
  return true;
}

void Stage::emit_detailed(const StepAnswer& answer, const RecordedSteps& steps, int in_chunk,
                          ObservationContext& context) {
  const int n = answer.bunches;
  const Step step = step_of(answer, n, steps.begin_time[in_chunk], steps.end_time[in_chunk]);
  set_straight(steps, in_chunk, context);
  irrevocably(context, [&] {
    count_step(static_cast<std::size_t>(n));
    if (answer.sectors == 0)
      step_over_azimuths(n);
    else
      append_sectors({step, context}, answer.sectors);
    add_photons(step, 0, n, answer.total, *photons_);
    *bunches_ += n;
    if (answer.bin != 0) fill_two_bins({step, context}, answer);
  });
}

void Stage::append_sectors(const Course& course, std::uint64_t sectors) {
  const Step& step = course.step;
  ++counts_.near_telescopes;
  BunchPlaces places(step.before, step.between);
  lit_.begin(kMaxBunches);
  for (int done = 0; done < step.bunches; done += kMaxBunches) {
    numbers_->draw(lit_.azimuth.data(), std::min(step.bunches, kMaxBunches));
    for (int k = done; k < std::min(step.bunches, done + kMaxBunches); ++k) {
      const double azimuth = lit_.azimuth[static_cast<std::size_t>(k - done)];
      const auto sector = static_cast<unsigned>(azimuth * StepAnswer::kSectors) % StepAnswer::kSectors;
      if ((sectors >> sector & 1U) == 0) continue;
      const Step::Point& at = places.go_to(k);
      BunchLight lit = light_at(step, at.path);
      lit.azimuth = azimuth;
      const Bunch bunch = bunch_of(course, at, lit);
      if (!event_.cannot_hit(bunch)) light().push_back(bunch);
    }
  }
}

void Stage::fill_two_bins(const Course& course, const StepAnswer& answer) {
  const Step& step = course.step;
  double* const photons = course.context.profile.photons;
  add_photons(step, 0, answer.bin_end, answer.in_bin, photons[answer.bin]);
  if (answer.next_bin == 0) return;
  BunchPlaces places(step.before, step.between);
  for (int k = answer.bin_end; k < answer.next_begin; ++k) {
    const Step::Point& at = places.go_to(k);
    add_to_bins(course, at, light_at(step, at.path).photons);
  }
  add_photons(step, answer.next_begin, step.bunches, answer.in_next_bin, photons[answer.next_bin]);
}

}  // namespace cherenkov::corsika
