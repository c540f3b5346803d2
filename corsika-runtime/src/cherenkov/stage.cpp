// The loop over the bunches of a step. Compiled with -ffp-contract=off, and each operation in
// CERENK's order: every bunch that is not skipped, and every sum, must come out with the same bits.
#include "corsika_runtime/cherenkov/stage.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "arrival_shift.hpp"
#include "cherenkov/running_sum.hpp"
#include "corsika_runtime/message.hpp"
#include "kept_floating_point_state.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {
namespace {

constexpr std::size_t kMaxTelescopes = 100000;

}  // namespace

const char* const Stage::kUnbounded =
    "light near threshold, nearly horizontal or upwards, or steps of very many bunches: CORSIKA must do it";

void Stage::detect_new_event() {
  if (bunches_ == nullptr) routines_.counters(&photons_, &bunches_);
  if (*bunches_ == 0. || *bunches_ < bunches_seen_) event_known_ = false;
  bunches_seen_ = *bunches_;
}

void Stage::left_to_corsika() {
  detect_new_event();
  ++counts_.left_to_corsika;
}

bool Stage::prepare_event(double plane_height, bool refracted) {
  const auto known = [&] {
    return refraction_model_ && refraction_model_->low() == plane_height &&
           refraction_model_->is_none() != refracted;
  };
  if (event_known_ && disabled_reason_.empty() && known()) return true;
  if (disabled_reason_.empty() && !event_known_) read_telescopes();
  if (disabled_reason_.empty() && !known()) find_refraction(plane_height, refracted);
  return disabled_reason_.empty();
}

void Stage::find_refraction(double plane_height, bool refracted) {
  const KeptFloatingPointState kept;
  const auto trace = [this](double height, double u, double w) {
    double v = 0., x = 0., y = 0., t = 0.;
    routines_.refract(&height, &u, &v, &w, &x, &y, &t);
    return RefractionModel::Arrival{x, u};
  };
  try {
    refraction_model_ = refracted ? RefractionModel::measured(plane_height, kTopOfAtmosphere_cm, trace)
                                  : RefractionModel::none(plane_height, kTopOfAtmosphere_cm);
  } catch (const std::exception& e) {
    disable(e.what());
  }
}

void Stage::read_telescopes() {
  const KeptFloatingPointState kept;
  ++counts_.maps;
  event_known_ = true;
  edges_known_ = false;
  curved_bins_.clear();
  try {
    // Left as they are: pages that are not written cost nothing.
    const auto footprints = std::make_unique_for_overwrite<double[]>(3 * kMaxTelescopes);
    const auto spheres = std::make_unique_for_overwrite<double[]>(4 * kMaxTelescopes);
    constexpr int kMax = kMaxTelescopes;
    const int n = routines_.telescopes(footprints.get(), spheres.get(), impact_, kMax);
    if (n < 0 || n > kMax) {
      disable(
          "the telescopes of this IACT package cannot be read; compile it without CORSIKA_SAVES_PHOTONS, "
          "EXTENDED_TELOUT and IACT_NO_GRID");
      return;
    }
    std::vector<Footprint> on_ground;
    std::vector<Sphere> in_space;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const double* f = &footprints[3 * i];
      const double* s = &spheres[4 * i];
      on_ground.push_back({f[0], f[1], f[2]});
      in_space.push_back({s[0], s[1], s[2], s[3]});
    }
    ground_ = FootprintMap(on_ground, kFootprintMargin_cm);
    wide_ground_is_known_ = false;
    spheres_ = Spheres(in_space);
    footprints_ = std::move(on_ground);
  } catch (const std::exception& e) {
    disable(e.what());
  }
}

void Stage::disable(const std::string& why) {
  disabled_reason_ = why;
  corsika_runtime::say("cherenkov: %s; CORSIKA's own code goes on", why.c_str());
}

bool Stage::cannot_hit(const Bunch& bunch) const {
  if (!(bunch.w > 0.)) return false;
  if (!refraction_model_ ||
      !(bunch.height >= refraction_model_->low() && bunch.height <= refraction_model_->high()))
    return false;
  // RAYBND goes by u and v alone.
  const double sin2 = bunch.u * bunch.u + bunch.v * bunch.v;
  const double cos2 = 1. - sin2;
  if (!(cos2 > RefractionModel::kMinW * RefractionModel::kMinW)) return false;
  const double cosine = std::sqrt(cos2);
  const RefractionModel::RefractionRange range = refraction_model_->between(bunch.height, bunch.height);
  const double relative = RefractionModel::relative_error(1. / cosine);
  const double error =
      std::sqrt(sin2) / (cosine * cos2) * (std::fabs(range.k) * relative + range.error * (1. + relative));
  if (!(error + kChooseRounding_cm <= kFootprintMargin_cm)) return false;
  const double scale = range.k / (cosine * cos2);
  const double x = bunch.x - impact_[0] - scale * bunch.u;
  const double y = bunch.y - impact_[1] - scale * bunch.v;
  if (!(std::isfinite(x) && std::isfinite(y))) return false;
  if (!ground_.reachable(x, y)) return true;
  const double tilt = std::sqrt(sin2) / (cosine * cos2) * RefractionModel::kMaxSlopeChange + kSlopeRounding;
  return spheres_.size() <= kMaxFilteredSpheres &&
         !spheres_.passed_by({x, y, bunch.u / cosine, bunch.v / cosine},
                             {kSqrt2 * (error + kChooseRounding_cm), tilt});
}

bool Stage::can_skip(const Bunch& bunch, double plane_height) {
  detect_new_event();
  return prepare_event(plane_height, true) && cannot_hit(bunch);
}

void Stage::skip(double photons) {
  ++counts_.skipped;
  *photons_ += photons;
  *bunches_ += 1.;
  bunches_seen_ = *bunches_;
}

void Stage::step_over_azimuths(int bunches) {
  numbers_->step_over(static_cast<std::uint64_t>(azimuths_drawn(bunches)));
}

void Stage::emit_along(const Step& step, double path, int n) {
  for (int i = 0; i < n; ++i) path_[i] = path += step.between.path;
  std::fill_n(path_ + n, std::min(8, kPaddedBunches - n), path);
  cherenkov::emit(step, path_, n, light_);
}

void Stage::fill_profile(const Step& step, const ObservationContext& context, const Step::Point& from,
                         int n) {
  const Step::Point half = half_of(step.between);
  const auto edge_at = [&](double steps) {
    return Step::Point{0., from.x + steps * step.between.x, from.y + steps * step.between.y,
                       from.z + steps * step.between.z, 0.};
  };
  const double* photons = light_.photons;
  if (const int bin = context.profile.only_bin(edge_at(0.5), edge_at(n + 0.5), likely_bin_); bin != 0) {
    context.profile.photons[bin] = running_sum(context.profile.photons[bin], photons, n);
    return;
  }
  Step::Point at = from;
  for (int i = 0; i < n; ++i) {
    at = next_point(at, step.between);
    if (const int own = context.profile.only_bin(edge_at(i + 0.5), edge_at(i + 1.5), likely_bin_); own != 0)
      context.profile.photons[likely_bin_ = own] += photons[i];
    else
      context.profile.add(at, half, photons[i], routines_.thickness);
  }
}

bool Stage::emit(const Step& step, const ObservationContext& context) {
  detect_new_event();
  const bool taken = try_step(step, context);
  if (!taken) ++counts_.left_to_corsika;
  bunches_seen_ = *bunches_;
  return taken;
}

// What is known of a step before anything is drawn.
struct Stage::Plan {
  StepBound bound;
  bool one_segment;  // its shift serves all bunches
  bool near_telescopes;
};

bool Stage::check_depth_bins(const ObservationContext& context) {
  if (!context.fill_profile || edges_known_) return true;
  edges_known_ = true;
  const DepthProfile& profile = context.profile;
  const int last = std::min(profile.bins + 1, profile.max_bins);  // what follows is another variable
  if (profile.kind == DepthProfile::Kind::kHeight || std::is_sorted(profile.edge, profile.edge + last + 1))
    return true;
  disable("the bins of the longitudinal distribution are not in order; give LONGI another step");
  return false;
}

std::optional<Stage::Plan> Stage::plan_of(const Step& step, const ObservationContext& context) {
  if (!prepare_event(context.plane.height, !context.straight) || !check_depth_bins(context))
    return std::nullopt;
  // All bunches above threshold, and all light well downwards, or each bunch is tested by itself.
  plane_ = plane_of(context);
  const Step::Point &before = step.before, &between = step.between;
  const auto beta_n = [&](double path) { return step.beta_n + step.beta_n_slope * path; };
  const auto [least, most] =
      std::minmax({beta_n(before.path + between.path), beta_n(before.path + step.bunches * between.path)});
  const auto bound =
      step_bound_of(step, least, most, context.sin_particle, plane_, context.cut_w, *refraction_model_);
  if (!bound) return std::nullopt;
  const bool one_segment = StepBound::is_known(bound->whole);
  for (int done = 0; !one_segment && done < step.bunches; done += kMaxBunches)
    if (!StepBound::is_known(bound->refraction.of_segment(step, done))) return std::nullopt;
  return Plan{*bound, one_segment, false};
}

bool Stage::try_step(const Step& step, const ObservationContext& context) {
  std::optional<Plan> known = plan_of(step, context);
  if (!known) return false;
  Plan& plan = *known;
  // Lines are followed to either side, so light may pass a sphere above it.
  plan.near_telescopes = !(plan.bound.lowest() > plane_.height + spheres_.top()) ||
                         spheres_.touched_by(plan.bound.ring(step, plane_));
  counts_.rings += plan.near_telescopes ? 1U : 0U;
  irrevocably([&] { emit_bunches(step, context, plan); });
  return true;
}

void Stage::emit_bunches(const Step& step, const ObservationContext& context, const Plan& plan) {
  const int n = step.bunches;
  ++counts_.steps;
  counts_.bunches += static_cast<std::uint64_t>(n);
  double total = *photons_;
  const double bunches = *bunches_ + n;
  const int drawn_at_once = std::min(n, kMaxBunches);
  if (!plan.near_telescopes) step_over_azimuths(n);
  // The emission point after so many sums, from one that is needed to the next.
  Step::Point at = step.before;
  int sums = 0;
  const auto go_on_to = [&](int bunch) -> const Step::Point& {
    for (; sums < bunch; ++sums) at = next_point(at, step.between);
    return at;
  };
  for (int done = 0; done < n; done += kMaxBunches) {
    const int here = std::min(n - done, kMaxBunches);
    if (plan.near_telescopes) numbers_->draw(azimuth_, drawn_at_once);
    if (!try_emit(step, done, here, light_)) emit_along(step, go_on_to(done).path, here);
    if (context.fill_profile) fill_profile(step, context, go_on_to(done), here);
    total = running_sum(total, light_.photons, here);
    if (!plan.near_telescopes) continue;
    const ArrivalShift shift =
        plan.one_segment ? plan.bound.whole : plan.bound.refraction.of_segment(step, done);
    const SphereFilter filter{
        spheres_.size() > kMaxFilteredSpheres ? nullptr : &spheres_,
        {kSqrt2 * (shift.error + kChooseRounding_cm + kMaxStepRounding_cm), plan.bound.refraction.tilt()}};
    const int chosen =
        choose(step, done, here, light_, azimuth_, plane_, shift.refraction_k, ground_, candidates_, filter);
    for (int c = 0; c < chosen; ++c) {
      const int i = candidates_[c];
      const BunchYield light{light_.cos_theta[i], light_.sin2_theta[i], light_.photons[i]};
      follow(bunch_of(step, {go_on_to(done + i + 1), light, azimuth_[i]}, context), context);
    }
  }
  // collect() counts what it is given; the sums are of all bunches, in their order.
  *photons_ = total;
  *bunches_ = bunches;
}

Bunch Stage::bunch_of(const Step& step, const LitBunch& lit, const ObservationContext& context) const {
  const Plane& plane = context.plane;
  const Step::Point& at = lit.at;
  const double phi = lit.azimuth * context.two_pi;
  const double sin_theta = std::sqrt(lit.light.sin2_theta), cos_theta = lit.light.cos_theta;
  const double x_turn = sin_theta * std::cos(phi);
  const double y_turn = sin_theta * std::sin(phi);
  const double u2 = step.cu * x_turn + step.su * y_turn + step.u0 * cos_theta;
  const double v2 = step.cv * x_turn + step.sv * y_turn + step.v0 * cos_theta;
  const double w = std::min(1., step.sw * y_turn + step.w0 * cos_theta);
  const double away = (at.z - plane.height) / w;
  const double x2 = at.x + away * u2 - plane.x0;
  const double y2 = at.y + away * v2 - plane.y0;
  Bunch bunch{lit.light.photons,
              x2 * plane.cos_turn + y2 * plane.sin_turn,
              y2 * plane.cos_turn - x2 * plane.sin_turn,
              u2 * plane.cos_turn + v2 * plane.sin_turn,
              v2 * plane.cos_turn - u2 * plane.sin_turn,
              w,
              at.z,
              at.time * 1e9,
              lit.wavelength};
  if (const auto& straight = context.straight)
    bunch.way = {straight->begin, straight->end, straight->length, step.bunches, at.path, at.time, away};
  return bunch;
}

void Stage::follow(const Bunch& bunch, const ObservationContext& context) {
  if (kept_ != nullptr)
    kept_->push_back(bunch);
  else
    arrive(bunch, context);
}

void Stage::arrive(const Bunch& emitted, const ObservationContext& context) {
  Bunch b = emitted;
  if (context.curved) {
    if (!arrive_curved(b, context)) return;
  } else if (context.straight) {
    b.time = context.straight->arrival(b.way, b.height, b.w);
  } else {
    routines_.refract(&b.height, &b.u, &b.v, &b.w, &b.x, &b.y, &b.time);
  }
  ++counts_.traced;
  Arrival arrival{b.photons, 1., b.x, b.y, b.u, b.v, b.time, b.height, b.wavelength};
  target_.collect(arrival);
}

}  // namespace cherenkov::corsika
