// What CERENK computes before its loop, operation by operation. Compiled with -ffp-contract=off.
#include "corsika_runtime/cherenkov/charged_step.hpp"

#include <algorithm>
#include <cmath>

#include "stage_limits.hpp"
#include "step_geometry.hpp"

namespace cherenkov::corsika {
namespace {

// Of beta n where the step begins, in its middle and where it ends, and the least direction cosine downwards.
bool is_linear(double begin, double middle, double end, double w) {
  return end > 1. && begin > 1. && middle > 1. &&
         std::fabs((2. - 1. / square(begin) - 1. / square(end)) / (1. - 1. / square(middle)) - 2.) < 2e-3 * w;
}

}  // namespace

LightKind bunches_of(const ChargedStep& c, const Emission& emission, Step& step) {
  if (c.w < emission.cut_w || c.length <= 0.) return LightKind::kNone;
  const double begin = beta(c.mass, c.begin_energy) * refractive_index(emission, c.z_begin);
  const double end = beta(c.mass, c.end_energy) * refractive_index(emission, c.z_end);
  if (begin < 1. && end < 1.) return LightKind::kNone;
  const double middle_beta = std::sqrt(1. - square(c.mass * 2. / (c.begin_energy + c.end_energy)));
  const double middle = middle_beta * refractive_index(emission, 0.5 * (c.z_begin + c.z_end));
  const double per_cm = emission.yield * square(c.charge);
  const double photons = per_cm * c.length * (1. - 1. / square(std::max(end, begin)));
  const double bunches = photons / emission.bunch_size + 1.;
  if (!(bunches < kMaxBunchesOfAStep)) return LightKind::kOther;
  const int n = static_cast<int>(bunches);
  if (n < 1) return LightKind::kNone;

  const Direction direction{c.u, c.v, c.w};
  const double sin2 = sin2_of(direction);
  if (!(sin2 > kVerticalSin2)) return LightKind::kOther;
  if (n == 1) {
    step.beta_n = middle;
    step.beta_n_slope = 0.;
  } else if (is_linear(begin, middle, end, c.w)) {
    step.beta_n = begin;
    step.beta_n_slope = (end - begin) / c.length;
  } else {
    return LightKind::kOther;
  }

  set_spacing(c, n, per_cm, step);
  set_frame(direction, sin2, step);
  return LightKind::kLinear;
}

std::optional<BunchLoop> bunch_loop_of(const ChargedStep& c, const IndicesOfStep& indices,
                                       const Emission& emission, int most) {
  const double begin = beta(c.mass, c.begin_energy) * indices.begin;
  const double end = beta(c.mass, c.end_energy) * indices.end;
  const double middle =
      std::sqrt(1. - square(c.mass * 2. / (c.begin_energy + c.end_energy))) * indices.middle;
  const double per_cm = emission.yield * square(c.charge);
  const double photons = per_cm * c.length * (1. - 1. / square(std::max(end, begin)));
  const double bunches = photons / emission.bunch_size + 1.;
  if (!(bunches >= 1. && bunches < most + 1.) || !std::isfinite(begin + middle + end)) return std::nullopt;
  BunchLoop loop{};
  const int n = static_cast<int>(bunches);
  if (n == 1) {
    loop.step.beta_n = middle;
  } else if (is_linear(begin, middle, end, c.w)) {
    loop.step.beta_n = begin;
    loop.step.beta_n_slope = (end - begin) / c.length;
  } else {
    const double excess = (indices.begin - 1.) * (indices.end - 1.) / square(indices.middle - 1.) - 1.;
    loop.kind = BunchLoop::Index::kAtBunch;
    if (square(c.z_begin) * std::fabs(excess) < square(10. * std::fabs(c.w))) {
      loop.kind = BunchLoop::Index::kExponential;
      loop.log_excess = std::log(indices.begin - 1.);
      loop.log_excess_slope = (std::log(indices.end - 1.) - loop.log_excess) / c.length;
    }
    if (loop.kind == BunchLoop::Index::kAtBunch && !emission.tables && emission.density == nullptr)
      return std::nullopt;
    loop.energy = c.begin_energy;
    loop.energy_slope = (c.end_energy - c.begin_energy) / c.length;
    loop.mass = c.mass;
  }
  set_spacing(c, n, per_cm, loop.step);
  set_frame_of_any({c.u, c.v, c.w}, loop.step);
  return loop;
}

}  // namespace cherenkov::corsika
