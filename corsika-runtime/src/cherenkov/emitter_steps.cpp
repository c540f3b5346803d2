// Steps in flat air, many at a time. Compiled with -ffp-contract=off, as emitter.cpp.
#include <numeric>

#include "corsika_runtime/cherenkov/device_steps.hpp"
#include "corsika_runtime/cherenkov/emitter.hpp"

namespace cherenkov::corsika {
namespace {

using Plan = StepPlan<double>;

YieldAlongStep yield_of(const StepPlans& plans, int i) {
  return {member(plans, i, offsetof(Plan, beta_n)),           member(plans, i, offsetof(Plan, beta_n_slope)),
          member(plans, i, offsetof(Plan, photons_per_sin2)), member(plans, i, offsetof(Plan, weight)),
          member(plans, i, offsetof(Plan, before.path)),      member(plans, i, offsetof(Plan, between.path))};
}

// Emits steps for which a device has found the members of Step, the azimuths to test and the sums.

Step step_of(const StepAnswer& d, int n, double begin_time, double end_time) {
  const double time = (end_time - begin_time) * (1. / static_cast<double>(n));
  Step step{};
  step.bunches = n;
  step.before = {d.path_before, d.x_before, d.y_before, d.z_before, begin_time - 0.5 * time};
  step.between = {d.path, d.x, d.y, d.z, time};
  step.beta_n = d.beta_n;
  step.beta_n_slope = d.beta_n_slope;
  step.photons_per_sin2 = d.photons_per_sin2;
  step.weight = d.weight;
  const Direction direction{d.u, d.v, d.w};
  set_frame(direction, sin2_of(direction), step);
  return step;
}

BunchLight light_at(const Step& step, double path) {
  const LightAngle<double> angle = light_angle(step.beta_n + step.beta_n_slope * path);
  return {angle.cosine, angle.sine2, angle.photons(step.photons_per_sin2, step.weight), 0.};
}

// Adds the photons of the bunches from `begin` to before `end` to a sum. terms: what a device has found for
// them.
void add_photons(const Step& step, int begin, int end, const SumTerms& terms, double& sum) {
  if (const double known = terms.added_to(sum); !std::isnan(known)) {
    sum = known;
    return;
  }
  BunchPlaces places(step.before, step.between);
  for (int k = begin; k < end; ++k) sum += light_at(step, places.go_to(k).path).photons;
}

}  // namespace

void find_indices(RecordedSteps& steps, int count, const Emission& emission,
                  const ObservationContext& context, LastIndex& last, CurvedLoop* loops) {
  if (context.curved)
    return curved_loops_of(steps, count, {context.curved->earth_radius, context.plane.height, 1., false},
                           emission, last, loops);
  for (int i = 0; i < count; ++i) {
    steps.index_begin[i] = last.at(emission, steps.z_begin[i]);
    steps.index_end[i] = last.at(emission, steps.z_end[i]);
    steps.index_middle[i] = refractive_index(emission, 0.5 * (steps.z_begin[i] + steps.z_end[i]));
  }
}

bool Emitter::emit(const Step& step, const ObservationContext& context) {
  if (!event_.prepare(context)) return leave(kUnbounded);
  const auto beta_n = [&](int bunch) {
    return step.beta_n + step.beta_n_slope * (step.before.path + bunch * step.between.path);
  };
  const auto [least, most] = std::minmax({beta_n(1), beta_n(step.bunches)});
  const auto bound =
      step_bound_of(step, least, most, event_.plane_of(context), context.cut_w, event_.refraction());
  return (bound && emit_bounded(step, *bound, context)) || leave(kUnbounded);
}

void Emitter::emit(RecordedSteps& steps, int count, const Emission& emission,
                   const ObservationContext& context, const std::function<void(int)>& corsika) {
  find_indices(steps, count, emission, context, last_index_, loops_.data());
  plan(steps, count, emission, context);
  ObservationContext own = context;
  for (int i = 0; (i = emit_planned(steps, i, count, own, loops_.data())) < count; ++i) corsika(i);
}

void Emitter::plan(const RecordedSteps& steps, int count, const Emission& emission,
                   const ObservationContext& context) {
  emission_ = emission;
  if (context.curved) return;
  is_prepared_ = event_.prepare(context);
  // Lanes compute for steps what CORSIKA does not, such as bounds of light below threshold.
  const KeptFloatingPointState kept;
  plan_steps(steps, count, plan_settings(event_, emission, context), plans_);
}

int Emitter::emit_planned(const RecordedSteps& steps, int first, int count, ObservationContext& context,
                          const CurvedLoop* loops) {
  event_.look();
  for (int i = first; i < count; ++i) {
    if (context.curved) {
      if (emit(loops[i], emission_, context)) continue;
      return i;
    }
    const LightKind light = plans_.kind(i);
    if (light == LightKind::kNone) continue;
    if (is_prepared_) {
      set_straight(steps, i, context);
      if (light == LightKind::kWhole && member(plans_, i, offsetof(Plan, bounded)) != 0.) {
        const StepBound bound = bound_of(plans_, i, event_.refraction());
        if (try_skip_step(i, bound, context) || emit_bounded(step_of(plans_, i), bound, context)) continue;
      }
      if (try_each_bunch(steps, i, context)) continue;
    }
    left_to_corsika();
    return i;
  }
  return count;
}

void set_straight(const RecordedSteps& steps, int i, ObservationContext& context) {
  context.by_electron = steps.mass[i] < 1e-3;
  if (!context.straight) return;
  context.straight->begin = steps.z_begin[i];
  context.straight->end = steps.z_end[i];
  context.straight->length = steps.length[i];
}

bool Emitter::emit_bounded(const Step& step, const StepBound& bound, const ObservationContext& context) {
  const int n = step.bunches;
  const auto shift_of = [&](int done) {
    const double from = step.before.z + done * step.between.z;
    return bound.refraction.of(event_.refraction().between(from, from + kMaxBunches * step.between.z));
  };
  const bool is_one = bound.whole.is_known();  // its shift serves all bunches
  for (int done = 0; !is_one && done < n; done += kMaxBunches)
    if (!shift_of(done).is_known()) return false;
  const bool is_near = event_.may_see(bound);
  irrevocably(context, [&] {
    count_step(static_cast<std::size_t>(n));
    if (is_near)
      ++counts_.near_telescopes;
    else
      step_over_azimuths(n);
    const Plane plane = event_.plane_of(context);
    BunchPlaces places(step.before, step.between);
    lit_.begin(kMaxBunches);
    std::iota(lit_.number.begin(), lit_.number.begin() + std::min(n, kMaxBunches), 0);
    Step part = step;
    for (int done = 0; done < n; done += kMaxBunches) {
      part.before = places.go_to(done - 1);
      const int here = std::min(n - done, kMaxBunches);
      lit_.count = static_cast<std::size_t>(here);
      set_yields(part, here, lit_.yields());
      add_sums({part, context});
      if (!is_near) continue;
      target_.numbers->draw(lit_.azimuth.data(), std::min(n, kMaxBunches));
      const ArrivalShift shift = is_one ? bound.whole : shift_of(done);
      choose({step, context}, done, here, 0, plane, shift.refraction_k, event_.ground(),
             {kSqrt2 * shift.error, bound.refraction.tilt()}, places);
    }
  });
  return true;
}

inline void Emitter::add_skipped_step(int bunches, double total, int bin, double in_bin,
                                      const ObservationContext& context) {
  halfway_ = true;
  step_over_azimuths(bunches);
  halfway_ = false;
  count_step(static_cast<std::size_t>(bunches));
  if (bin != 0) context.profile.photons[bin] = in_bin;
  *target_.photons = total;
  *target_.bunches += context.grid ? 0 : bunches;
  event_.look();
}

inline bool Emitter::try_skip_step(int i, const StepBound& bound, const ObservationContext& context) {
  const DepthProfile& profile = context.profile;
  if (profile.kind != DepthProfile::Kind::kSlant || !bound.whole.is_known() || event_.may_see(bound))
    return false;
  int bin = 0;
  if (context.fill_profile) {
    bin = profile.only_bin(member(plans_, i, offsetof(Plan, from)), member(plans_, i, offsetof(Plan, to)),
                           likely_bin_);
    if (bin == 0) return false;
    likely_bin_ = bin;
  }
  const int n = static_cast<int>(member(plans_, i, offsetof(Plan, bunches)));
  double total = *target_.photons, in_bin = bin == 0 ? 0. : profile.photons[bin];
  const YieldAlongStep yield = yield_of(plans_, i);
  if (context.grid ? bin != 0 && !try_add_photons(yield, n, in_bin)
                   : !try_add_photons(yield, n, total, bin == 0 ? nullptr : &in_bin))
    return false;
  add_skipped_step(n, total, bin, in_bin, context);
  return true;
}

bool Emitter::try_each_bunch(const RecordedSteps& steps, int i, const ObservationContext& context) {
  if (!(steps.w[i] > 0.)) return false;
  const auto loop = bunch_loop_of(steps.step(i), steps.indices(i), emission_, kMaxBunches);
  if (!loop) return false;
  // Nothing is drawn before all is known to be a number.
  const Step& step = loop->step;
  lit_.begin(static_cast<std::size_t>(step.bunches));
  BunchPlaces places(step.before, step.between);
  for (int k = 0; k < step.bunches; ++k) {
    const Step::Point& at = places.go_to(k);
    lit_.set_light(lit_.count, loop->beta_n(at, emission_), step);
    if (lit_.is_dark(lit_.count)) continue;
    if (!std::isfinite(lit_.sine2[lit_.count] + at.x + at.y + at.z)) return false;
    lit_.keep(lit_.count, k);
  }
  irrevocably(context, [&] {
    draw_azimuths(step.bunches);
    count_step(lit_.count);
    ++counts_.each_bunch;
    add_one_by_one({step, context});
  });
  return true;
}

std::size_t Emitter::emit_answered(std::span<const StepAnswer> answers, std::size_t first,
                                   std::span<const RecordedSteps> chunks, ObservationContext& context) {
  for (std::size_t i = first; (i = skip_steps(answers, i, context)) < answers.size(); ++i) {
    if (answers[i].verdict != Verdict::kDetailed) return i;
    emit_detailed(answers[i], chunks[i / kChunkSteps], static_cast<int>(i % kChunkSteps), context);
  }
  return answers.size();
}

std::size_t Emitter::skip_steps(std::span<const StepAnswer> answers, std::size_t first,
                                const ObservationContext& context) {
  // What the device has written is not in the near caches; of most steps one line is read.
  constexpr std::size_t kAhead = 16, kDetailsAhead = 8;  // steps
  double* const in_bins = context.profile.photons;
  double total = *target_.photons;
  std::uint64_t steps = 0, bunches = 0, drawn = 0;
  std::size_t i = first;
  for (; i < answers.size(); ++i) {
    if (i + kAhead < answers.size()) __builtin_prefetch(&answers[i + kAhead]);
    if (const std::size_t ahead = i + kDetailsAhead;
        ahead < answers.size() && answers[ahead].verdict == Verdict::kDetailed)
      for (std::size_t line = 1; line < sizeof(StepAnswer) / alignof(StepAnswer); ++line)
        __builtin_prefetch(reinterpret_cast<const char*>(&answers[ahead]) + line * alignof(StepAnswer));
    const StepAnswer& answer = answers[i];
    if (answer.verdict == Verdict::kNone) continue;
    if (answer.verdict != Verdict::kUnseen) break;
    const double with_step = answer.total.added_to(total);
    const double in_bin = answer.bin == 0 ? 0. : answer.in_bin.added_to(in_bins[answer.bin]);
    if (std::isnan(with_step + in_bin)) break;
    if (answer.bin != 0) in_bins[answer.bin] = in_bin;
    total = with_step;
    ++steps;
    bunches += static_cast<std::uint64_t>(answer.bunches);
    drawn += static_cast<std::uint64_t>(azimuths_drawn(answer.bunches));
  }
  halfway_ = true;
  target_.numbers->step_over(drawn);
  halfway_ = false;
  counts_.steps += steps;
  counts_.bunches += bunches;
  *target_.photons = total;
  *target_.bunches += static_cast<double>(bunches);
  event_.look();
  return i;
}

void Emitter::emit_detailed(const StepAnswer& answer, const RecordedSteps& steps, int in_chunk,
                            ObservationContext& context) {
  const int n = answer.bunches;
  const Step step = step_of(answer, n, steps.begin_time[in_chunk], steps.end_time[in_chunk]);
  set_straight(steps, in_chunk, context);
  irrevocably(context, [&] {
    count_step(static_cast<std::size_t>(n));
    if (answer.sectors == 0)
      step_over_azimuths(n);
    else
      append_sectors({step, context}, answer.sectors);
    add_photons(step, 0, n, answer.total, *target_.photons);
    *target_.bunches += n;
    if (answer.bin != 0) fill_two_bins({step, context}, answer);
  });
}

void Emitter::append_sectors(const LitStep& here, std::uint64_t sectors) {
  const Step& step = here.step;
  ++counts_.near_telescopes;
  BunchPlaces places(step.before, step.between);
  lit_.begin(kMaxBunches);
  for (int done = 0; done < step.bunches; done += kMaxBunches) {
    target_.numbers->draw(lit_.azimuth.data(), std::min(step.bunches, kMaxBunches));
    for (int k = done; k < std::min(step.bunches, done + kMaxBunches); ++k) {
      const double azimuth = lit_.azimuth[static_cast<std::size_t>(k - done)];
      const auto sector = static_cast<unsigned>(azimuth * StepAnswer::kSectors) % StepAnswer::kSectors;
      if ((sectors >> sector & 1U) == 0) continue;
      const Step::Point& at = places.go_to(k);
      BunchLight lit = light_at(step, at.path);
      lit.azimuth = azimuth;
      const Bunch bunch = bunch_of(here, at, lit);
      if (!event_.cannot_hit(bunch)) bunches_to_follow().push_back(bunch);
    }
  }
}

void Emitter::fill_two_bins(const LitStep& here, const StepAnswer& answer) {
  const Step& step = here.step;
  double* const photons = here.context.profile.photons;
  add_photons(step, 0, answer.bin_end, answer.in_bin, photons[answer.bin]);
  if (answer.next_bin == 0) return;
  BunchPlaces places(step.before, step.between);
  for (int k = answer.bin_end; k < answer.next_begin; ++k) {
    const Step::Point& at = places.go_to(k);
    add_to_bins(here, at, light_at(step, at.path).photons);
  }
  add_photons(step, answer.next_begin, step.bunches, answer.in_next_bin, photons[answer.next_bin]);
}

}  // namespace cherenkov::corsika
