// What CERENK of option CURVED computes before its loop, operation by operation. Compiled with
// -ffp-contract=off.
#include "corsika_runtime/cherenkov/curved_step.hpp"

#include <algorithm>
#include <cmath>

#include "stage_limits.hpp"

namespace cherenkov::corsika {
namespace {

constexpr double kMaxBunchesOfACurvedStep = 2e9;  // more than CORSIKA's integers hold, or not a number

struct Direction {
  double u, v, w;
};

double curved_beta(double mass, double energy) {
  return std::sqrt((1. - mass / energy) * (1. + mass / energy));
}

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
  const double here = std::cos(horizontal(c.x_begin, c.y_begin) / radius);
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

void set_curved_frame(const Direction& d, Step& step) {
  const double sin2 = std::max(1e-20, d.u * d.u + d.v * d.v);
  if (sin2 <= kVerticalSin2) {
    step.cu = step.sv = step.w0 = 1.;
    return;
  }
  const double sine = std::sqrt(sin2);
  const double over_sine = 1. / sine;
  step.cu = d.v * over_sine;
  step.su = d.u * d.w * over_sine;
  step.u0 = d.u;
  step.cv = -d.u * over_sine;
  step.sv = d.v * d.w * over_sine;
  step.v0 = d.v;
  step.sw = -sine;
  step.w0 = d.w;
}

}  // namespace

LightKind curved_loop_of(ChargedStep& c, const CurvedFrame& frame, const Emission& emission, LastIndex& last,
                         CurvedLoop& loop) {
  if (c.w < emission.cut_w || c.length <= 0.) return LightKind::kNone;
  const double begin = curved_beta(c.mass, c.begin_energy) * last.at(emission, c.z_begin);
  const double end = curved_beta(c.mass, c.end_energy) * last.at(emission, c.z_end);
  if (begin < 1. && end < 1.) return LightKind::kNone;
  const double most = std::max(end, begin);
  const double per_cm = emission.yield * (c.charge * c.charge);
  const double photons = per_cm * c.length * (1. - 1. / (most * most));
  const double bunches = photons / emission.bunch_size + 1.;
  if (!(bunches < kMaxBunchesOfACurvedStep)) return LightKind::kOther;
  const int n = static_cast<int>(bunches);
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
  const double part = 1. / static_cast<double>(n);
  Step& step = loop.step;
  step = {};
  step.bunches = n;
  step.between = {c.length * part, (c.x_end - c.x_begin) * part, (c.y_end - c.y_begin) * part,
                  (c.z_end - c.z_begin) * part, (c.end_time - c.begin_time) * part};
  const Step::Point& d = step.between;
  step.before = {-0.5 * d.path, c.x_begin - 0.5 * d.x, c.y_begin - 0.5 * d.y, c.z_begin - 0.5 * d.z,
                 c.begin_time - 0.5 * d.time};
  step.photons_per_sin2 = per_cm * d.path;
  step.beta_n = begin;
  step.beta_n_slope = (end - begin) / c.length;
  loop.half_z = 0.5 * d.z;
  loop.apparent_before = step.before.z;
  loop.apparent_between = d.z;
  loop.stops_at_plane = !frame.in_detector_frame;
  if (!frame.in_detector_frame) {
    loop.apparent_between = (apparent.end - apparent.begin) * part;
    loop.apparent_before = apparent.begin - 0.5 * loop.apparent_between;
    if (loop.apparent_before <= frame.plane_height) return LightKind::kNone;
  }
  set_curved_frame(direction, step);
  return LightKind::kLinear;
}

}  // namespace cherenkov::corsika
