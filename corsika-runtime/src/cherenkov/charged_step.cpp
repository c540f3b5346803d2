// What CERENK computes before its loop, operation by operation. Compiled with -ffp-contract=off.

#include "corsika_runtime/cherenkov/curved_step.hpp"

namespace cherenkov::corsika {
namespace {

StepInput<double> particle(const ChargedStep& c, const IndicesOfStep& indices) {
  return {c.length,  c.u,       c.v,       c.w,           c.begin_energy, c.end_energy,
          c.x_begin, c.y_begin, c.z_begin, c.x_end,       c.y_end,        c.z_end,
          c.mass,    c.charge,  c.weight,  indices.begin, indices.middle, indices.end};
}

// What CERENK of option CURVED computes before its loop, operation by operation. Compiled with
// -ffp-contract=off.

double horizontal(double x, double y) { return std::sqrt(x * x + y * y); }

// The direction of a step at the detector: turned by the angle at the Earth's centre.
Direction at_detector(const ChargedStep& c, double cos_earth) {
  const double cosine = std::min(1., cos_earth);
  const double sine = std::min(1., std::sqrt((1. - cos_earth) * (1. + cos_earth)));
  const double across = horizontal(c.u, c.v);
  if (!(across > 0.)) return {c.w * sine * c.u, c.w * sine * c.v, c.w * cosine};
  const double u = c.u / across;
  const double v = c.v / across;
  return {c.w * sine * u + cosine * across * u, c.w * sine * v + cosine * across * v,
          c.w * cosine - sine * across};
}

struct ApparentHeights {
  double begin, end;
};

// Brings the ends of a step into the detector's frame; false where its beginning is at or below the plane.
bool to_detector(ChargedStep& c, const CurvedFrame& frame, ApparentHeights& apparent) {
  const double radius = frame.earth_radius, earth = frame.cos_earth;
  const double here = frame.angle_of_begin ? earth : std::cos(horizontal(c.x_begin, c.y_begin) / radius);
  if (here > earth) {
    const double turned = earth * here + std::sqrt((1. - earth) * (1. + earth) * (1. - here) * (1. + here));
    c.z_begin = (c.z_begin + radius) / turned - radius;
    c.z_end = (c.z_end + radius) / turned - radius;
  }
  apparent.begin = (c.z_begin + radius) * here - radius;
  if (apparent.begin <= frame.plane_height) return false;
  apparent.end = (c.z_end + radius) * std::cos(horizontal(c.x_end, c.y_end) / radius) - radius;
  c.x_begin = (apparent.begin + radius) * std::tan(c.x_begin / radius);
  c.y_begin = (apparent.begin + radius) * std::tan(c.y_begin / radius);
  c.x_end = (apparent.end + radius) * std::tan(c.x_end / radius);
  c.y_end = (apparent.end + radius) * std::tan(c.y_end / radius);
  return true;
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

LightKind curved_loop_of(ChargedStep& c, const CurvedFrame& frame, const Emission& emission, LastIndex& last,
                         CurvedLoop& loop, double dispersion) {
  if (c.w < emission.cut_w || c.length <= 0.) return LightKind::kNone;
  // Without dispersion that is the index, with its bits.
  const auto index_at = [&](double height) { return 1. + (last.at(emission, height) - 1.) * dispersion; };
  const double begin = beta_of(c.mass, c.begin_energy) * index_at(c.z_begin);
  const double end = beta_of(c.mass, c.end_energy) * index_at(c.z_end);
  if (begin < 1. && end < 1.) return LightKind::kNone;
  const StepYield<double> yield = yield_of(emission, c.charge, c.length, begin, end);
  if (!(yield.bunches < kMaxBunchesOfAStep)) return LightKind::kOther;
  const int n = static_cast<int>(yield.bunches);
  if (n < 1) return LightKind::kNone;

  Direction direction{c.u, c.v, c.w};
  ApparentHeights apparent{};
  if (!frame.in_detector_frame) {
    direction = at_detector(c, frame.cos_earth);
    if (direction.w < emission.cut_w || !to_detector(c, frame, apparent)) return LightKind::kNone;
  }
  loop.energy = c.begin_energy;
  loop.energy_slope = (c.end_energy - c.begin_energy) / c.length;
  loop.mass = c.mass;
  loop.index_height = last.height();
  loop.index_excess = last.excess();
  Step& step = loop.step;
  step = {};
  set_spacing(c, n, yield.per_cm, step);
  step.beta_n = begin;
  step.beta_n_slope = (end - begin) / c.length;
  loop.half_z = 0.5 * step.between.z;
  loop.apparent_before = step.before.z;
  loop.apparent_between = step.between.z;
  loop.stops_at_plane = !frame.in_detector_frame;
  if (!frame.in_detector_frame) {
    loop.apparent_between = (apparent.end - apparent.begin) * (1. / static_cast<double>(n));
    loop.apparent_before = apparent.begin - 0.5 * loop.apparent_between;
    if (loop.apparent_before <= frame.plane_height) return LightKind::kNone;
  }
  set_frame_of_any(direction, step);
  return LightKind::kWhole;
}

double find_end(ChargedStep& c, double earth_radius) {
  const double length = c.x_end;
  const Chord<double> chord = chord_of(length, c.u, c.v, earth_radius + c.z_end);
  const double ratio = chord.ratio(std::asin(chord.sine), earth_radius);
  c.x_end = c.x_begin + c.u * length * ratio;
  c.y_end = c.y_begin + c.v * length * ratio;
  return std::cos(horizontal(c.x_begin, c.y_begin) / earth_radius);
}

void curved_loops_of(const RecordedSteps& steps, int count, CurvedFrame frame, const Emission& emission,
                     LastIndex& last, CurvedLoop* loops) {
  ElectronEnds ends;
  find_ends(steps, count, frame.earth_radius, ends);
  for (int i = 0; i < count; ++i) {
    ChargedStep charged = steps.step(i);
    frame.cos_earth = steps.cos_earth[i];
    frame.in_detector_frame = frame.cos_earth == kInDetectorFrame;
    frame.angle_of_begin = frame.cos_earth == kWithoutEnd;
    if (frame.angle_of_begin) {
      charged.x_end = ends.x[i];
      charged.y_end = ends.y[i];
      frame.cos_earth = std::cos(ends.angle[i]);
    }
    const LightKind light = curved_loop_of(charged, frame, emission, last, loops[i]);
    if (light != LightKind::kWhole) loops[i].step.bunches = light == LightKind::kNone ? 0 : -1;
  }
}

}  // namespace cherenkov::corsika
