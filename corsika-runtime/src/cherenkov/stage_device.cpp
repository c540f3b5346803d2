// The part of the stage that uses a device: when it is started, and how the light that it chose among is
// followed. Compiled with -ffp-contract=off, as stage.cpp.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

#include "corsika_runtime/cherenkov/sequence_copy.hpp"
#include "corsika_runtime/cherenkov/stage.hpp"
#include "kept_floating_point_state.hpp"
#include "ranmar/rmmaqd_state.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {

bool Stage::use_device(const ObservationContext& context, int bunches) {
  if (start_device_ && counts_.steps >= device_from_ &&
      (device_from_ == 0 || spheres_.size() > kMaxTelescopesOnHost))
    start_device(context.straight != nullptr);
  if (!deferred_) return false;
  if (context.straight != nullptr || !deferred_->works() ||
      static_cast<std::uint64_t>(bunches) > kBatchNumbers / 2) {
    flush();
    return false;
  }
  if (!geometry_known_ || plane_ != geometry_.plane || context.two_pi != geometry_.two_pi)
    begin_geometry(context.two_pi);
  return deferred_->works();
}

void Stage::start_device(bool straight) {
  const StartDevice start = std::exchange(start_device_, {});
  const KeptFloatingPointState kept;
  if (straight) {
    std::fprintf(stderr, "cherenkov: light goes straight; going on on the CPU\n");
    return;
  }
  try {
    if (routines_.step_over == nullptr) throw std::runtime_error("the generator is CORSIKA's own");
    auto device = start();
    if (device == nullptr) return;
    deferred_ = std::make_unique<DeferredLight>(
        std::move(device),
        DeferredLight::Follow{[this](const StepSegment& segment, std::span<const CandidateBunch> chosen) {
                                follow_later(segment, chosen);
                              },
                              [this](const Bunch& bunch) { follow_later(bunch); }});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cherenkov: no device: %s; going on on the CPU\n", e.what());
  }
}

void Stage::begin_geometry(double two_pi) {
  flush();
  geometry_known_ = true;
  geometry_ = {};
  geometry_.plane = plane_;
  geometry_.two_pi = two_pi;
  drawn_before_ = drawn();
  ranmar::RmmaqdState classic;
  int indices[2] = {0, 0}, iseed[3] = {0, 0, 0};
  routines_.sequence_state(&kCherenkovSequence, classic.u.data(), &classic.c, indices, iseed);
  classic.i97 = indices[0];
  classic.j97 = indices[1];
  deferred_->begin(ranmar::from_rmmaqd(classic), {plane_, ground_, spheres_});
}

std::uint64_t Stage::drawn() const { return drawn_for_light(routines_); }

void Stage::flush() {
  if (deferred_ && deferred_->has_pending()) irrevocably([this] { deferred_->flush(); });
}

// The sums have counted it when it was emitted.
void Stage::follow_later(const StepSegment& segment, std::span<const CandidateBunch> chosen) {
  const double photons = *photons_;
  const double bunches = *bunches_;
  const Step& step = segment.step;
  Step::Point at = step.before;
  int next = 0;
  for (const CandidateBunch& c : chosen) {
    for (; next <= c.bunch; ++next) at = next_point(at, step.between);
    // As in emit(), operation by operation.
    const double cos_theta = 1. / (step.beta_n + step.beta_n_slope * at.path);
    const double sin2_theta = (1. - cos_theta) * (1. + cos_theta);
    follow(step, at, {cos_theta, sin2_theta, step.photons_per_sin2 * sin2_theta}, c.azimuth, geometry_);
  }
  *photons_ = photons;
  *bunches_ = bunches;
}

void Stage::follow_later(const Bunch& bunch) {
  const double photons = *photons_;
  const double bunches = *bunches_;
  Bunch b = bunch;
  routines_.refract(&b.height, &b.u, &b.v, &b.w, &b.x, &b.y, &b.time);
  collect(b.photons, b.x, b.y, b.u, b.v, b.time, b.height);
  *photons_ = photons;
  *bunches_ = bunches;
}

}  // namespace cherenkov::corsika
