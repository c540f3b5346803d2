// What CERENK computes before its loop, operation by operation. Compiled with -ffp-contract=off.
#include "corsika_runtime/cherenkov/charged_step.hpp"

#include <cmath>

#include "corsika_runtime/cherenkov/step_geometry.hpp"

namespace cherenkov::corsika {
namespace {

StepInput<double> particle(const ChargedStep& c, const IndicesOfStep& indices) {
  return {c.length,   c.u,     c.v,     c.w,     c.begin_energy, c.end_energy, c.x_begin,     c.y_begin,
          c.z_begin,  c.x_end, c.y_end, c.z_end, c.mass,         c.charge,     indices.begin, indices.middle,
          indices.end};
}

}  // namespace

LightKind light_of(const ChargedStep& c, const Emission& emission, Step& step) {
  if (c.w < emission.cut_w || c.length <= 0.) return LightKind::kNone;
  StepInput<double> in =
      particle(c, {refractive_index(emission, c.z_begin), 0., refractive_index(emission, c.z_end)});
  FlatStep<double> flat;
  flat.find_ends(in, emission.cut_w);
  if (flat.dark) return LightKind::kNone;
  in.index_middle = refractive_index(emission, 0.5 * (c.z_begin + c.z_end));
  flat.find_light(in, emission);
  const auto kind = static_cast<LightKind>(static_cast<int>(flat.kind));
  if (kind != LightKind::kWhole) return kind;
  step.beta_n = flat.beta_n;
  step.beta_n_slope = flat.slope;
  set_spacing(c, static_cast<int>(flat.n), flat.yield.per_cm, step);
  set_frame({c.u, c.v, c.w}, flat.sin2, step);
  return kind;
}

double BunchLoop::not_linear(const Step::Point& at, const Emission& emission) const {
  const double index = kind == Index::kAtBunch ? refractive_index(emission, at.z)
                                               : 1. + std::exp(log_excess + log_excess_slope * at.path);
  return beta_of(mass, energy + energy_slope * at.path) * index;
}

std::optional<BunchLoop> bunch_loop_of(const ChargedStep& c, const IndicesOfStep& indices,
                                       const Emission& emission, int most) {
  const StepInput<double> in = particle(c, indices);
  FlatStep<double> flat;
  flat.find_ends(in, emission.cut_w);
  flat.find_light(in, emission);
  if (!(flat.yield.bunches >= 1. && flat.yield.bunches < most + 1.) ||
      !std::isfinite(flat.begin + flat.middle + flat.end))
    return std::nullopt;
  BunchLoop loop{};
  if (flat.single || flat.linear) {
    loop.step.beta_n = flat.beta_n;
    loop.step.beta_n_slope = flat.slope;
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
  set_spacing(c, static_cast<int>(flat.n), flat.yield.per_cm, loop.step);
  set_frame_of_any({c.u, c.v, c.w}, loop.step);
  return loop;
}

}  // namespace cherenkov::corsika
