#include "corsika_runtime/cherenkov/event.hpp"

#include <exception>
#include <memory>

#include "corsika_runtime/message.hpp"

namespace cherenkov::corsika {

bool Event::measure(double plane_height, bool refracted) {
  const auto is_measured = [&] {
    return refraction_ && refraction_->low() == plane_height && is_refracted_ == refracted;
  };
  if (known_ && why_not_.empty() && is_measured()) return true;
  const KeptFloatingPointState kept;
  try {
    if (why_not_.empty() && !known_) read_telescopes();
    if (why_not_.empty() && !is_measured()) {
      const auto trace = [&](double height, double u, double w) {
        double v = 0., x = 0., y = 0., t = 0.;
        if (refracted) routines_.refract(&height, &u, &v, &w, &x, &y, &t);
        return RefractionModel::Arrival{x, u};
      };
      refraction_ = RefractionModel::measured(plane_height, kTopOfAtmosphere_cm, trace);
      is_refracted_ = refracted;
    }
  } catch (const std::exception& e) {
    disable(e.what());
  }
  return why_not_.empty();
}

bool Event::prepare(const ObservationContext& context) {
  look();
  if (const auto& grid = context.grid) {  // in place of telescopes: a sphere around all light that is counted
    known_ = true, edges_known_ = false;
    const Sphere all{0., 0., 0., std::hypot(grid->x.counted, grid->y.counted)};
    spheres_ = Spheres({&all, 1});
  }
  return measure(context.plane.height, !context.straight && !context.curved && !context.grid) &&
         (context.curved ? find_curved(context) : check_depth_bins(context));
}

bool Event::find_curved(const ObservationContext& context) {
  if (edges_known_ && curved_arrival_ && curved_arrival_->plane_height() == context.plane.height) return true;
  const KeptFloatingPointState kept;
  if (context.fill_profile && context.profile.kind != DepthProfile::Kind::kHeight)
    curved_bins_ = context.profile.curved_bins(routines_.thickness);
  edges_known_ = true;
  try {
    if (!curved_arrival_ || curved_arrival_->plane_height() != context.plane.height)
      curved_arrival_ = CurvedArrival::measured(context.plane.height, context.curved->distance);
  } catch (const std::exception& e) {
    disable(e.what());
  }
  return why_not_.empty();
}

bool Event::check_depth_bins(const ObservationContext& context) {
  if (!context.fill_profile || edges_known_) return true;
  edges_known_ = true;
  const DepthProfile& profile = context.profile;
  // The end of bin bins + 1 may be anywhere: a parametrised atmosphere ends before it where OBSLEV is near 0.
  if (profile.kind == DepthProfile::Kind::kHeight ||
      std::is_sorted(profile.edge, profile.edge + std::min(profile.bins, profile.max_bins) + 1))
    return true;
  disable("the bins of the longitudinal distribution are not in order; give LONGI another step");
  return false;
}

void Event::read_telescopes() {
  constexpr int kMost = 100000;
  ++count_;
  known_ = true;
  edges_known_ = false;
  curved_bins_.clear();
  // Left as they are: pages that are not written cost nothing.
  const auto footprints = std::make_unique_for_overwrite<double[]>(3 * kMost);
  const auto spheres = std::make_unique_for_overwrite<double[]>(4 * kMost);
  const int n = routines_.telescopes(footprints.get(), spheres.get(), impact_, kMost);
  if (n < 0 || n > kMost)
    return disable(
        "the telescopes of this IACT package cannot be read; compile it without CORSIKA_SAVES_PHOTONS, "
        "STORE_EMITTER, MARK_DIRECT_LIGHT and IACT_NO_GRID");
  footprints_.clear();
  std::vector<Sphere> in_space;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    const double* f = &footprints[3 * i];
    const double* s = &spheres[4 * i];
    if (f[2] < 0.) continue;  // TELOUT stores light no farther away than that
    footprints_.push_back({f[0], f[1], f[2]});
    in_space.push_back({s[0], s[1], s[2], s[3]});
  }
  ground_ = FootprintMap(footprints_, kFootprintMargin_cm);
  wide_ground_.reset();
  spheres_ = Spheres(in_space);
}

void Event::disable(const std::string& why) {
  why_not_ = why;
  corsika_runtime::say("cherenkov: %s; CORSIKA's own code goes on", why.c_str());
}

const FootprintMap& Event::wide_ground() {
  if (!wide_ground_) wide_ground_.emplace(footprints_, kCurvedMargin_cm);
  return *wide_ground_;
}

Plane Event::plane_of(const ObservationContext& context) const {
  Plane plane = context.plane;
  if (context.curved) plane.x0 = plane.y0 = 0.;
  plane.x_impact = impact_[0];
  plane.y_impact = impact_[1];
  return plane;
}

bool Event::may_see(const StepBound& bound) const {
  // Lines are followed to either side, so light may pass a sphere above it.
  const double bottom = bound.lowest - refraction_->low();
  return !(bottom > spheres_.top()) || spheres_.touched_by(bound.ring, bottom);
}

bool Event::may_see(const Step& step, const CurvedRange& light, const ObservationContext& context,
                    CurvedBound& bound) const {
  const Plane plane = plane_of(context);
  bound = curved_bound_of(step, light, plane, context.cut_w, spheres_.top(), curved_arrival_->view());
  return !bound.is_bounded || spheres_.touched_by(bound.ring, light.low - plane.height);
}

bool Event::cannot_hit(const Bunch& bunch) const {
  if (!(bunch.w > 0.) || !refraction_ ||
      !(bunch.height >= refraction_->low() && bunch.height <= refraction_->high()))
    return false;
  // RAYBND goes by u and v alone.
  const double sin2 = bunch.u * bunch.u + bunch.v * bunch.v;
  const double cos2 = 1. - sin2;
  if (!(cos2 > RefractionModel::kMinW * RefractionModel::kMinW)) return false;
  const double cosine = std::sqrt(cos2), airmass3 = 1. / (cosine * cos2);
  const RefractionBound refraction{1. / cosine, std::sqrt(sin2) * airmass3, 0.};
  const ArrivalShift shift = refraction.of(refraction_->between(bunch.height, bunch.height));
  if (!shift.is_known()) return false;
  const double x = bunch.x - impact_[0] - shift.refraction_k * airmass3 * bunch.u;
  const double y = bunch.y - impact_[1] - shift.refraction_k * airmass3 * bunch.v;
  if (!(std::isfinite(x) && std::isfinite(y))) return false;
  if (!ground_.reachable(x, y)) return true;
  return spheres_.size() <= kMaxFilteredSpheres &&
         !spheres_.passed_by({x, y, bunch.u / cosine, bunch.v / cosine},
                             {kSqrt2 * shift.error, refraction.tilt()});
}

}  // namespace cherenkov::corsika
