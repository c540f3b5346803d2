// Steps of which a device has found that a telescope may see them. Compiled with -ffp-contract=off, as
// stage.cpp.
#include <algorithm>
#include <optional>

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "stage_limits.hpp"
#include "step_geometry.hpp"

namespace cherenkov::corsika {
namespace {

Step step_of(const SeenStep& s, int n, double begin_time, double end_time) {
  const double time = (end_time - begin_time) * (1. / static_cast<double>(n));
  Step step{};
  step.bunches = n;
  step.before = {s.path_before, s.x_before, s.y_before, s.z_before, begin_time - 0.5 * time};
  step.between = {s.path, s.x, s.y, s.z, time};
  step.beta_n = s.beta_n;
  step.beta_n_slope = s.beta_n_slope;
  step.photons_per_sin2 = s.photons_per_sin2;
  const Direction direction{s.u, s.v, s.w};
  set_frame(direction, sin2_of(direction), step);
  return step;
}

// The bunches of a step, in rising order.
struct Bunches {
  Step step;
  Step::Point at = step.before;
  int count = 0;  // up to the one at `at`

  void go_to(int bunch) {
    for (; count <= bunch; ++count) at = next_point(at, step.between);
  }
  [[nodiscard]] BunchYield light() const {
    const double cosine = 1. / (step.beta_n + step.beta_n_slope * at.path);
    const double sine2 = (1. - cosine) * (1. + cosine);
    return {cosine, sine2, step.photons_per_sin2 * sine2};
  }
};

}  // namespace

void Stage::emit_seen(const SeenStep& seen, int n, const RecordedSteps& steps, int i, const SumsOfStep& sums,
                      ObservationContext context) {
  const double bunches_after = *bunches_ + n;
  std::optional<Bunches> bunches;  // from the first one on that may hit
  set_straight(steps, i, context);
  irrevocably([&] {
    int at_once = std::min(n, kMaxBunches), sequence = kCherenkovSequence;
    for (int done = 0; done < n; done += kMaxBunches) {
      routines_.draw(azimuth_, &at_once, &sequence);
      const int here = std::min(n - done, kMaxBunches);
      for (int k = 0; k < here; ++k) {
        const auto sector = static_cast<unsigned>(azimuth_[k] * SeenStep::kSectors) % SeenStep::kSectors;
        if ((seen.sectors >> sector & 1U) == 0) continue;
        if (!bunches) bunches = {step_of(seen, n, steps.begin_time[i], steps.end_time[i])};
        bunches->go_to(done + k);
        double away = 0.;
        const Bunch bunch =
            bunch_of(bunches->step, bunches->at, bunches->light(), azimuth_[k], context, away);
        if (!cannot_hit(bunch)) follow_emitted(bunch, bunches->step, bunches->at, away, context);
      }
    }
  });
  // collect() counts what it is given; the sums are of all bunches, in their order.
  if (sums.bin != 0) context.profile.photons[sums.bin] = sums.in_bin;
  *photons_ = sums.total;
  *bunches_ = bunches_seen_ = bunches_after;
  ++counts_.rings;
  ++counts_.steps;
  counts_.bunches += static_cast<std::uint64_t>(n);
}

}  // namespace cherenkov::corsika
