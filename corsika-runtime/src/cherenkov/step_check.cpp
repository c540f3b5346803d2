#include "corsika_runtime/cherenkov/step_check.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "check_text.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {
namespace {

// Every so many steps the whole state of the sequence is compared, else its position.
constexpr std::uint64_t kStatesFrom = 1024;
// Of the bunches that the stage does not follow a spot check follows one of so many.
constexpr unsigned kFollowed = 16;
// Numbers made at a time: for step after step, and for single steps far apart.
constexpr std::size_t kManyNumbers = 4096, kFewNumbers = 512;
bool same_light(const Bunch& a, const Bunch& b) {
  return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.u, b.u) && same_bits(a.v, b.v) &&
         same_bits(a.height, b.height);
}

}  // namespace

StepCheck::StepCheck(const CheckedRoutines& routines, bool spot_checks)
    : routines_(routines),
      spot_checks_(spot_checks),
      corsikas_numbers_(std::make_shared<CorsikaNumbers>(routines_.stage)),
      sequence_(std::make_shared<SequenceCopy>(corsikas_numbers_, spot_checks ? kFewNumbers : kManyNumbers)),
      stage_(routines_.stage, {sequence_, &photons_copy_, &bunches_copy_,
                               [this](const Arrival& light) { expected_.push_back(light); }}) {
  stage_.keep_light(&refracted_);
  routines_.stage.counters(&photons_, &bunches_);
}

void StepCheck::differ(const std::string& what, double corsika, double stage) const {
  throw CheckDifference("check: step " + std::to_string(number_) + ": " +
                        difference_of(what, corsika, stage));
}

void StepCheck::expect_same(const char* what, double corsika, double stage) const {
  if (!same_bits(corsika, stage)) differ(what, corsika, stage);
}

std::string StepCheck::bunch() const {
  return "bunch " + std::to_string(static_cast<long long>(*bunches_ - bunches_before_));
}

void StepCheck::begin(LightKind light, const Step& step, const ObservationContext& context,
                      const Emit& emit) {
  ++number_;
  ++counts_.steps;
  photons_copy_ = *photons_;
  bunches_copy_ = bunches_before_ = *bunches_;
  drawn_before_ = corsikas_numbers_->position();
  sequence_->go_to(drawn_before_);
  drawn_in_all_before_ = routines_.drawn_in_all();
  drawn_by_hits_ = 0;
  expected_.clear();
  refracted_.clear();
  matched_ = 0;
  cannot_hit_ = passed_over_ = false;
  context_ = context;
  const auto bins =
      static_cast<std::size_t>(std::min(context.profile.bins + 2, context.profile.max_bins) + 1);
  if (profile_copy_.size() != bins ||
      std::memcmp(profile_copy_.data(), context.profile.photons, bins * sizeof(double)) != 0)
    profile_copy_.assign(context.profile.photons, context.profile.photons + bins);

  kind_ = light == LightKind::kNone ? Kind::kNoLight : Kind::kOwnLoop;
  if (emit) {
    sequence_->follow();
    ObservationContext copy = context;
    copy.profile.photons = profile_copy_.data();
    if (!emit(stage_, copy))
      kind_ = Kind::kOwnLoop;
    else
      kind_ = same_bits(bunches_copy_, bunches_before_) ? Kind::kNoLight : Kind::kTaken;
    for (const Bunch& bunch : refracted_) stage_.arrive(bunch, context);
  } else if (light != LightKind::kNone) {
    stage_.left_to_corsika();
  }
  count(light, step);
}

void StepCheck::count(LightKind light, const Step& step) {
  counts_.no_light += kind_ == Kind::kNoLight ? 1U : 0U;
  counts_.own_loop += kind_ == Kind::kOwnLoop ? 1U : 0U;
  counts_.candidates += expected_.size();
  counts_.each_bunch = stage_.counts().each_bunch;
  counts_.near_threshold += is_near_threshold(light, step) ? 1U : 0U;
  if (kind_ != Kind::kTaken) return;
  counts_.one_bunch += step.bunches == 1 ? 1U : 0U;
  counts_.over_100 += step.bunches > 100 ? 1U : 0U;
  // CORSIKA's distribution is that of before.
  int filled = 0;
  for (std::size_t i = 0; i < profile_copy_.size() && filled < 2; ++i)
    filled += same_bits(profile_copy_[i], context_.profile.photons[i]) ? 0 : 1;
  counts_.several_bins += filled > 1 ? 1U : 0U;
}

bool StepCheck::refract(const Bunch& bunch) {
  passed_over_ = false;
  if (kind_ == Kind::kOwnLoop) {
    photons_copy_ = *photons_;
    bunches_copy_ = *bunches_;
    cannot_hit_ = stage_.can_skip(bunch, context_.plane.height);
  }
  if (!spot_checks_) return false;
  const bool unseen = kind_ == Kind::kOwnLoop
                          ? cannot_hit_
                          : kind_ == Kind::kTaken &&
                                !(matched_ < refracted_.size() && same_light(bunch, refracted_[matched_]));
  passed_over_ = unseen && ++passed_ % kFollowed != 0;
  return passed_over_;
}

int StepCheck::collect(double* photons, double* weight, double* x, double* y, double* u, double* v, double* t,
                       double* height, double* wavelength) {
  if (passed_over_) {
    passed_over_ = cannot_hit_ = false;
    ++counts_.bunches;
    *photons_ += *photons * *weight;
    *bunches_ += 1.;
    return 0;
  }
  const Arrival given{*photons, *weight, *x, *y, *u, *v, *t, *height, *wavelength};
  const bool wanted = kind_ == Kind::kTaken && matched_ < expected_.size() &&
                      std::equal(given.begin(), given.end(), expected_[matched_].begin(), same_bits);
  const std::uint64_t drawn_so_far = wanted ? routines_.drawn_in_all() : 0;
  const double photons_so_far = *photons_;
  const double bunches_so_far = *bunches_;
  const long stored = routines_.stored();

  const int answer = routines_.stage.collect(photons, weight, x, y, u, v, t, height, wavelength);

  ++counts_.bunches;
  const long hits = routines_.stored() - stored;
  counts_.hits += static_cast<std::uint64_t>(hits);
  // The stage does not look at the answer, counts every bunch once, and does not call TELOUT for most.
  if (answer != 0) differ(bunch() + ": answer of TELOUT", answer, 0.);
  if (const double photons_now = photons_so_far + given[0]; !same_bits(*photons_, photons_now))
    differ(bunch() + ": photons counted by TELOUT", *photons_, photons_now);
  if (!same_bits(*bunches_, bunches_so_far + 1.))
    differ(bunch() + ": bunches counted by TELOUT", *bunches_, bunches_so_far + 1.);
  if (wanted) {
    ++matched_;
    drawn_by_hits_ += routines_.drawn_in_all() - drawn_so_far;
  } else if (kind_ == Kind::kTaken && hits != 0) {
    miss(given);
  } else if (kind_ == Kind::kOwnLoop && cannot_hit_) {
    if (hits != 0) differ(bunch() + " of CORSIKA's own loop, telescopes hit", static_cast<double>(hits), 0.);
    ++counts_.skipped;
  }
  cannot_hit_ = false;
  return answer;
}

// A telescope stored a bunch that the stage does not give to TELOUT, or gives with other values.
void StepCheck::miss(const Arrival& given) const {
  if (matched_ < expected_.size() && same_bits(given[7], expected_[matched_][7]))
    for (std::size_t i = 0; i < given.size(); ++i)
      if (!same_bits(given[i], expected_[matched_][i]))
        differ(bunch() + " hits a telescope, its " + kTeloutArguments[i], given[i], expected_[matched_][i]);
  differ(bunch() + " hits a telescope and is not followed by the stage: x", given[2], 0.);
}

void StepCheck::end() {
  const auto number_of = [](std::uint64_t n) { return static_cast<double>(n); };
  const std::uint64_t drawn_now = corsikas_numbers_->position();
  if (kind_ != Kind::kOwnLoop) {
    expect_same("bunches of the event", *bunches_, bunches_copy_);
    expect_same("photons of the event", *photons_, photons_copy_);
    expect_same("numbers drawn for light", number_of(drawn_now), number_of(sequence_->position()));
    compare_profile();
    if (matched_ != expected_.size())
      differ("bunch that the stage follows, not CORSIKA: x", 0., expected_[matched_][2]);
    expect_same("numbers drawn from all sequences",
                number_of(routines_.drawn_in_all() - drawn_in_all_before_),
                number_of(drawn_now - drawn_before_ + drawn_by_hits_));
    if (number_ % kStatesFrom == 1 && kind_ == Kind::kTaken && !sequence_->is_as_original())
      differ("state of the generator's sequence at number", number_of(drawn_now),
             number_of(sequence_->position()));
  }
  // How CORSIKA's own loop drew is not known.
  if (kind_ == Kind::kOwnLoop) sequence_->forget();
  kind_ = Kind::kNoLight;
}

void StepCheck::compare_profile() {
  if (std::memcmp(profile_copy_.data(), context_.profile.photons, profile_copy_.size() * sizeof(double)) == 0)
    return;
  for (std::size_t i = 0; i < profile_copy_.size(); ++i)
    if (!same_bits(context_.profile.photons[i], profile_copy_[i]))
      differ("bin " + std::to_string(i) + " of the longitudinal distribution of light",
             context_.profile.photons[i], profile_copy_[i]);
}

}  // namespace cherenkov::corsika
