// Emits steps for which a device has found the members of Step, the azimuths to test and the sums. Compiled
// with -ffp-contract=off, as stage.cpp.
#include <algorithm>
#include <cmath>

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "stage_limits.hpp"
#include "step_geometry.hpp"

namespace cherenkov::corsika {
namespace {

Step step_of(const StepDetails& d, int n, double begin_time, double end_time) {
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

// Goes from one bunch of a step to a later one.
struct Bunches {
  const Step& step;
  Step::Point at = step.before;
  int passed = 0;  // up to and including the one at `at`

  void go_to(int bunch) {
    for (; passed <= bunch; ++passed) at = next_point(at, step.between);
  }
  [[nodiscard]] BunchYield light() const {
    const double cosine = 1. / (step.beta_n + step.beta_n_slope * at.path);
    const double sine2 = (1. - cosine) * (1. + cosine);
    return {cosine, sine2, step.photons_per_sin2 * sine2};
  }
};

// Adds the photons of the bunches from `begin` to before `end` to a sum. terms: what a device has found for
// them and this power of two.
void add_photons(const Step& step, int begin, int end, const SumTerms& terms, double power, double& sum) {
  if (const double known = terms.added_to(sum, power); !std::isnan(known)) {
    sum = known;
    return;
  }
  Bunches bunches{step};
  for (int k = begin; k < end; ++k) {
    bunches.go_to(k);
    sum += bunches.light().photons;
  }
}

}  // namespace

bool Stage::try_add(const AnsweredSteps& answered, std::size_t i, const ObservationContext& context) {
  const StepAnswer& answer = answered.answers[i];
  if (answer.verdict != Verdict::kUnseen) return false;
  const double total = answer.total.added_to(*photons_, answered.total_power);
  const double in_bin = answer.bin == 0 ? 0.
                                        : answer.in_bin.added_to(context.profile.photons[answer.bin],
                                                                 answered.bin_powers[answer.bin]);
  if (std::isnan(total + in_bin)) return false;
  add_unseen(answer.bunches, total, answer.bin, in_bin, context);
  return true;
}

void Stage::emit_detailed(const AnsweredSteps& answered, std::size_t i, const RecordedSteps& steps,
                          int in_chunk, ObservationContext context) {
  const StepAnswer& answer = answered.answers[i];
  const StepDetails& details = answered.details[i];
  const int n = answer.bunches;
  const Step step = step_of(details, n, steps.begin_time[in_chunk], steps.end_time[in_chunk]);
  const double bunches_after = *bunches_ + n;
  double total = *photons_;
  add_photons(step, 0, n, answer.total, answered.total_power, total);
  set_straight(steps, in_chunk, context);
  irrevocably([&] {
    if (details.sectors == 0)
      step_over_azimuths(n);
    else
      follow_sectors(step, details.sectors, context);
    fill_profile(step, answered, i, context);
  });
  // collect() counts what it is given; the sums are of all bunches, in their order.
  *photons_ = total;
  *bunches_ = bunches_seen_ = bunches_after;
  ++counts_.steps;
  counts_.bunches += static_cast<std::uint64_t>(n);
}

void Stage::follow_sectors(const Step& step, std::uint64_t sectors, const ObservationContext& context) {
  ++counts_.rings;
  Bunches bunches{step};
  for (int done = 0; done < step.bunches; done += kMaxBunches) {
    numbers_->draw(azimuth_, std::min(step.bunches, kMaxBunches));
    const int here = std::min(step.bunches - done, kMaxBunches);
    for (int k = 0; k < here; ++k) {
      const auto sector = static_cast<unsigned>(azimuth_[k] * StepDetails::kSectors) % StepDetails::kSectors;
      if ((sectors >> sector & 1U) == 0) continue;
      bunches.go_to(done + k);
      const Bunch bunch = bunch_of(step, {bunches.at, bunches.light(), azimuth_[k]}, context);
      if (!cannot_hit(bunch)) follow(bunch, context);
    }
  }
}

void Stage::fill_profile(const Step& step, const AnsweredSteps& answered, std::size_t i,
                         const ObservationContext& context) {
  const StepAnswer& answer = answered.answers[i];
  const StepDetails& details = answered.details[i];
  if (answer.bin == 0) return;
  double* const photons = context.profile.photons;
  add_photons(step, 0, details.bin_end, answer.in_bin, answered.bin_powers[answer.bin], photons[answer.bin]);
  if (details.next_bin == 0) return;
  const Step::Point half = half_of(step.between);
  Bunches bunches{step};
  for (int k = details.bin_end; k < details.next_begin; ++k) {
    bunches.go_to(k);
    context.profile.add(bunches.at, half, bunches.light().photons, routines_.thickness);
  }
  add_photons(step, details.next_begin, step.bunches, details.in_next_bin,
              answered.bin_powers[details.next_bin], photons[details.next_bin]);
}

}  // namespace cherenkov::corsika
