// Where the light of a step can arrive in the curved geometry. Compiled with -ffp-contract=off, as stage.cpp.
#include <algorithm>
#include <cmath>

#include "arrival_shift.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {
namespace {

// The cosine of the light's zenith angle at least and at most, and the cone's other bounds.
struct CurvedCone {
  ConeBounds bounds;
  double max_w;
  double sine;  // of the particle's zenith angle
};

CurvedCone curved_cone_of(const Step& step, double least_beta_n, double most_beta_n) {
  const double min_tan = std::sqrt((least_beta_n - 1.) * (least_beta_n + 1.));
  const double max_tan = std::sqrt((most_beta_n - 1.) * (most_beta_n + 1.));
  const double sine = -step.sw;
  return {{step.w0 * (2. - most_beta_n) - sine * max_tan, min_tan, max_tan, most_beta_n,
           1. - (step.u0 * step.u0 + step.v0 * step.v0 + step.w0 * step.w0)},
          std::min(1., step.w0 + sine * max_tan),
          sine};
}

}  // namespace

// docs/cherenkov-bound.md derives the test.
Stage::CurvedSight Stage::sight_of(const CurvedLoop& loop, const ObservationContext& context) const {
  const auto count = static_cast<std::size_t>(curved_.count);
  if (count == 0 || !(loop.step.sw < 0.)) return {};
  const CurvedCone cone = curved_cone_of(loop.step, curved_.least, curved_.most);
  const ConeBounds& bounds = cone.bounds;
  if (!(bounds.min_w > 0.03 && bounds.min_w > context.cut_w + 1e-6 &&
        bounds.short_of_unit > -kMaxLengthExcess && bounds.short_of_unit < 0.5))
    return {};
  const double one = curved_.apparent[0], other = curved_.apparent[count - 1];
  const double low = std::min(one, other), high = std::max(one, other);
  Plane plane = context.plane;
  plane.x_impact = impact_[0];
  plane.y_impact = impact_[1];
  plane.x0 = plane.y0 = 0.;
  if (!(low > plane.height + spheres_.top())) return {};
  const double airmass = 1. / bounds.min_w;
  // The apparent heights of bunches, in the place of their heights above sea level.
  Step apparent = loop.step;
  apparent.before.z = loop.apparent_before;
  apparent.between.z = loop.apparent_between;
  if (!(rounding(apparent, plane, airmass) < kMaxStepRounding_cm)) return {};
  const auto shift = curved_arrival_->shift(bounds.min_w, cone.max_w, low - 1., high + 1.);
  if (!shift) return {};

  // The shift points along the light's horizontal direction, which is within `turn` of the particle's.
  const double middle = 0.5 * (shift->low + shift->high), half = 0.5 * (shift->high - shift->low);
  const double turn = std::min(2., 2. * bounds.max_tan / cone.sine);
  // A direction that is shorter than 1: the straight line goes by u, v and w, DISTIP by w alone.
  const double shortness = std::max(0., bounds.short_of_unit);
  const double least_sine = cone.sine * (1. - bounds.max_tan * bounds.max_tan) - bounds.max_tan;
  const double difference =
      least_sine > 0. ? std::min(std::sqrt(shortness), shortness / (2. * least_sine)) : std::sqrt(shortness);
  CurvedSight sight;
  // 1e-8: of what choose() rounds, for paths longer than kChooseRounding_cm allows for.
  sight.error = half + std::fabs(middle) * turn + (high - plane.height) * airmass * (difference + 1e-8) +
                kChooseRounding_cm + kMaxStepRounding_cm;
  sight.tilt =
      std::min(1., cone.sine + bounds.max_tan) * airmass * airmass * airmass * shortness + kSlopeRounding;
  Ring ring = ring_of(apparent, plane, bounds, sight.error, sight.tilt);
  const double across = std::sqrt(ring.u * ring.u + ring.v * ring.v);
  if (!(across > 0.)) return {};
  sight.shift_x = middle * ring.u / across;
  sight.shift_y = middle * ring.v / across;
  ring.x += sight.shift_x;
  ring.y += sight.shift_y;
  sight.is_bounded = true;
  sight.touches = spheres_.touched_by(ring, low - plane.height);
  return sight;
}

}  // namespace cherenkov::corsika
