#include "corsika_runtime/cherenkov/light_check.hpp"

#include <cstdio>
#include <cstring>

namespace cherenkov::corsika {
namespace {

// Numbers of the sequence made at a time: for step after step, and for single steps far apart.
constexpr std::size_t kManyNumbers = 4096, kFewNumbers = 512;
// Every so many steps the whole state of the sequence is compared, else its position.
constexpr std::uint64_t kStatesFrom = 1024;
// Of the bunches that the stage does not follow a spot check follows one of so many.
constexpr unsigned kFollowed = 16;
// Of TELOUT, in its order.
constexpr const char* kTeloutArguments[] = {"photons", "weight", "x",      "y",         "u",
                                            "v",       "time",   "height", "wavelength"};

// "bunches: CORSIKA 2 (4000000000000000), stage 3 (4008000000000000)": with the numbers' bits.
std::string difference_of(const std::string& what, double corsika, double stage) {
  char line[128];
  std::snprintf(line, sizeof line, ": CORSIKA %.17g (%016llx), stage %.17g (%016llx)", corsika,
                std::bit_cast<unsigned long long>(corsika), stage, std::bit_cast<unsigned long long>(stage));
  return what + line;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_light(const Bunch& a, const Bunch& b) {
  return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.u, b.u) && same_bits(a.v, b.v) &&
         same_bits(a.height, b.height);
}

// Whether a bunch of the step has a beta*n below 1 + 1e-5; sea level has 1 + 2.8e-4 at most.
bool is_near_threshold(LightKind light, const Step& step) {
  constexpr double kNear = 1e-5;
  if (light != LightKind::kWhole) return false;
  const double first = step.beta_n + step.beta_n_slope * (step.before.path + step.between.path);
  const double last = step.beta_n + step.beta_n_slope * (step.before.path + step.bunches * step.between.path);
  return std::min(first, last) - 1. < kNear;
}

std::uint64_t digest_of(const Arrival& values) {
  std::uint64_t digest = 0;
  for (const double value : values)
    digest = std::rotl(digest ^ std::bit_cast<std::uint64_t>(value), 29) * 0x9e3779b97f4a7c15U;
  return digest;
}

double number_of(std::uint64_t n) { return static_cast<double>(n); }

}  // namespace

LightCheck::LightCheck(const Routines& routines, bool spot_checks)
    : routines_(routines),
      spot_checks_(spot_checks),
      corsikas_numbers_(std::make_shared<CorsikaNumbers>(routines_)),
      sequence_(std::make_shared<SequenceCopy>(corsikas_numbers_, spot_checks ? kFewNumbers : kManyNumbers)),
      emitter_(routines_, target()) {
  routines_.counters(&photons_, &bunches_counted_);
}

LightTarget LightCheck::target() {
  return {sequence_, &photons_copy_, &bunches_copy_,
          [this](const Arrival& light) { given_.push_back(light); }};
}

ObservationContext LightCheck::on_copies(const ObservationContext& context) {
  ObservationContext copy = context;
  copy.profile.photons = profile_copy_.data();
  return copy;
}

void LightCheck::differ(const std::string& what, double corsika, double stage) const {
  std::string where = "check: step " + std::to_string(number_);
  if (steps_.size() > next_ && steps_[next_].number != number_)
    where = "check: step " + std::to_string(steps_[next_].number) + " to " + std::to_string(number_);
  throw CheckDifference(where + ": " + difference_of(what, corsika, stage));
}

void LightCheck::differ_at(std::size_t bunch, const std::string& what, double corsika, double stage) const {
  std::size_t step = steps_.size() - 1;
  while (step > 0 && steps_[step].first_bunch > bunch) --step;
  throw CheckDifference("check: step " + std::to_string(steps_[step].number) + ": bunch " +
                        std::to_string(bunch - steps_[step].first_bunch + 1) +
                        difference_of(what, corsika, stage));
}

void LightCheck::expect_same(const Sums& corsika, const Sums& stage) const {
  if (!same_bits(corsika.bunches, stage.bunches))
    differ("bunches of the event", corsika.bunches, stage.bunches);
  if (!same_bits(corsika.photons, stage.photons))
    differ("photons of the event", corsika.photons, stage.photons);
  if (corsika.drawn != stage.drawn)
    differ("numbers drawn for light", number_of(corsika.drawn), number_of(stage.drawn));
}

void LightCheck::expect_same_profile(const char* when, const double* corsika,
                                     const std::vector<double>& stage) const {
  if (std::memcmp(corsika, stage.data(), stage.size() * sizeof(double)) == 0) return;
  for (std::size_t i = 0; i < stage.size(); ++i) expect_same_bin(i, when, corsika[i], stage[i]);
}

void LightCheck::expect_same_bin(std::size_t bin, const char* when, double corsika, double stage) const {
  if (!same_bits(corsika, stage))
    differ("bin " + std::to_string(bin) + " of the longitudinal distribution of light" + when, corsika,
           stage);
}

LightCheck::Sums LightCheck::corsikas_sums() const {
  return {*photons_, *bunches_counted_, corsikas_numbers_->position()};
}

LightCheck::Sums LightCheck::stages_sums() const {
  return {photons_copy_, bunches_copy_, sequence_->position()};
}

void LightCheck::begin_step(const StepFate& fate, const RecordedSteps* chunk, int place,
                            const ObservationContext& context) {
  ++number_;
  ++counts_.steps;
  fate_ = fate.what;
  if (fate_ == StepFate::kLeft && !is_at_once_) {
    ++counts_.own_loop;
    return;
  }
  if (!has_copies_) {
    profile_ = context.profile.photons;
    const std::size_t bins = context.profile.size();
    last_ = corsikas_sums();
    photons_copy_ = last_.photons;
    bunches_copy_ = last_.bunches;
    // The two are the same after compare().
    if (last_profile_.size() != bins ||
        !std::equal(profile_, profile_ + bins, last_profile_.begin(), same_bits)) {
      last_profile_.assign(profile_, profile_ + bins);
      profile_copy_ = last_profile_;
    }
    if (fate_ != StepFate::kLeft)
      sequence_->follow();
    else
      sequence_->go_to(last_.drawn);
    has_copies_ = true;
  }
  // Recorded steps are done later: nothing may come between.
  const Sums now = corsikas_sums();
  if (now.drawn != last_.drawn)
    differ("numbers drawn for light between two steps", number_of(now.drawn), number_of(last_.drawn));
  expect_same(now, last_);
  expect_same_profile(" between two steps", profile_, last_profile_);
  drawn_in_all_ = routines_.drawn_in_all();
  plane_height_ = context.plane.height;
  counts_.near_threshold += is_near_threshold(fate.light, fate.step) ? 1U : 0U;
  if (fate_ == StepFate::kDropped)
    ++counts_.no_light;
  else
    steps_.push_back(
        {chunk, place, number_, now, bunches_.size(), changes_.size(), fate.light, fate.step.bunches, false});
}

void LightCheck::begin_at_once(const StepFate& fate, const ObservationContext& context, const Emit& emit) {
  is_at_once_ = true;
  passed_over_ = false;
  wanted_ = 0;
  begin_step(fate, nullptr, 0, context);
  is_left_ = fate_ == StepFate::kLeft;
  if (is_left_) emitter_.left_to_corsika();
  if (fate_ != StepFate::kTaken) return;
  kept_.clear();
  emitter_.keep_light(&kept_);
  is_left_ = !emit(emitter_, on_copies(context));
  emitter_.keep_light(nullptr);
  for (const Bunch& bunch : kept_) emitter_.arrive(bunch, context);
}

bool LightCheck::refract(const Bunch& bunch) {
  passed_over_ = false;
  if (steps_.empty() || steps_.back().number != number_) return false;
  refracted_.resize(bunches_.size());
  refracted_.push_back(bunch);
  if (!spot_checks_) return false;
  const bool is_followed = is_left_ ? !emitter_.event().can_skip(bunch, plane_height_)
                                    : wanted_ < kept_.size() && same_light(bunch, kept_[wanted_]);
  passed_over_ = !is_followed && ++passed_ % kFollowed != 0;
  return passed_over_;
}

int LightCheck::collect(Arrival light) {
  ++counts_.bunches;
  // As the package and the stage do, where CORSIKA has a weight.
  Arrival given = light;
  given[0] = light[0] * light[1];
  given[1] = 1.;
  // With a DetectorGrid CERENK counts.
  const double counts = routines_.telescopes != nullptr ? 1. : 0.;
  const double photons_now = *photons_ + counts * given[0], bunches_now = *bunches_counted_ + counts;
  if (passed_over_) {
    passed_over_ = false;
    *photons_ = photons_now;
    *bunches_counted_ = bunches_now;
    bunches_.push_back(0);
    return 0;
  }
  const long stored = routines_.stored();
  const bool is_wanted = is_at_once_ && wanted_ < given_.size() &&
                         std::equal(given.begin(), given.end(), given_[wanted_].begin(), same_bits);
  const std::uint64_t drawn = is_wanted ? routines_.drawn_in_all() : 0;
  const int answer = routines_.collect(light);
  if (is_wanted) {
    ++wanted_;
    drawn_by_hits_ += routines_.drawn_in_all() - drawn;
  }
  const long hits = routines_.stored() - stored;
  counts_.hits += static_cast<std::uint64_t>(hits);
  if (steps_.empty() || steps_.back().number != number_) return answer;
  if (hits != 0) hits_.emplace_back(bunches_.size(), given);
  bunches_.push_back(digest_of(given));
  // The stage does not look at the answer, counts every bunch once, and does not call TELOUT for most.
  const std::size_t bunch = bunches_.size() - 1;
  if (answer != 0) differ_at(bunch, ": answer of TELOUT", answer, 0.);
  if (!same_bits(*photons_, photons_now))
    differ_at(bunch, ": photons counted by TELOUT", *photons_, photons_now);
  if (!same_bits(*bunches_counted_, bunches_now))
    differ_at(bunch, ": bunches counted by TELOUT", *bunches_counted_, bunches_now);
  return answer;
}

void LightCheck::end_step() {
  if (!has_copies_) return;
  const Sums now = corsikas_sums();
  if (fate_ == StepFate::kDropped) {
    expect_same(now, last_);
    expect_same_profile("", profile_, last_profile_);
  }
  // Of a step that is done later another sequence knows nothing.
  const std::uint64_t all = routines_.drawn_in_all() - drawn_in_all_,
                      light = now.drawn - last_.drawn + drawn_by_hits_;
  last_ = now;
  for (std::size_t i = 0; i < last_profile_.size(); ++i) {
    if (same_bits(profile_[i], last_profile_[i])) continue;
    changes_.push_back({i, last_profile_[i], profile_[i]});
    last_profile_[i] = profile_[i];
  }
  if (is_at_once_) {
    if (is_left_) left_to_corsika(nullptr, 0);
    compare();
  }
  if (all != light && !is_left_) differ("numbers drawn from all sequences", number_of(all), number_of(light));
  is_at_once_ = is_left_ = false;
  drawn_by_hits_ = 0;
}

LightCheck::Taken LightCheck::behind(std::size_t step) const {
  if (step + 1 < steps_.size()) return steps_[step + 1];
  return {nullptr, 0, 0, last_, bunches_.size(), changes_.size(), LightKind::kNone, 0, false};
}

// The bunches from next_bunch_ to `end` are not followed by the stage, which goes on with `given`.
void LightCheck::expect_no_hit(std::size_t end, const Arrival* given) const {
  if (next_hit_ == hits_.size() || hits_[next_hit_].first >= end) return;
  const auto& [bunch, hit] = hits_[next_hit_];
  if (given != nullptr && same_bits(hit[7], (*given)[7]))
    for (std::size_t i = 0; i < hit.size(); ++i)
      if (!same_bits(hit[i], (*given)[i]))
        differ_at(bunch, std::string(" hits a telescope, its ") + kTeloutArguments[i], hit[i], (*given)[i]);
  differ_at(bunch, " hits a telescope and is not followed by the stage: x", hit[2], 0.);
}

// A bunch that the stage hands to TELOUT must be one that CORSIKA handed to it, in CORSIKA's order.
void LightCheck::match_given() {
  for (const Arrival& given : given_) {
    const auto found = std::find(bunches_.begin() + static_cast<std::ptrdiff_t>(next_bunch_), bunches_.end(),
                                 digest_of(given));
    const auto at = static_cast<std::size_t>(found - bunches_.begin());
    expect_no_hit(at, &given);
    if (at == bunches_.size()) differ("bunch that the stage follows, not CORSIKA: x", 0., given[2]);
    if (next_hit_ < hits_.size() && hits_[next_hit_].first == at) ++next_hit_;
    next_bunch_ = at + 1;
    ++counts_.candidates;
  }
  given_.clear();
}

void LightCheck::left_to_corsika(const RecordedSteps* chunk, int place) {
  // Chunks are used again; the counter of bunches tells which of two steps it is.
  std::size_t left = next_;
  while (left < steps_.size() && !(steps_[left].chunk == chunk && steps_[left].place == place &&
                                   steps_[left].before.bunches >= bunches_copy_))
    ++left;
  if (left == steps_.size()) differ("bunches of the event", last_.bunches, bunches_copy_);
  match_given();
  Taken& step = steps_[left];
  expect_no_hit(step.first_bunch, nullptr);
  expect_same(step.before, stages_sums());
  const Taken after = behind(left);
  for (std::size_t b = step.first_bunch; b < after.first_bunch; ++b) {
    const bool is_hit = next_hit_ < hits_.size() && hits_[next_hit_].first == b;
    if (b < refracted_.size() && emitter_.event().can_skip(refracted_[b], plane_height_)) {
      if (is_hit)
        differ_at(b, " of CORSIKA's own loop hits a telescope, and would be skipped: x",
                  hits_[next_hit_].second[2], 0.);
      ++counts_.skipped;
    }
    if (is_hit) ++next_hit_;
  }
  // Other bins are compared later.
  for (std::size_t i = step.first_change; i < after.first_change; ++i) {
    const Change& change = changes_[i];
    expect_same_bin(change.bin, "", change.before, profile_copy_[change.bin]);
    profile_copy_[change.bin] = change.after;
  }
  photons_copy_ = after.before.photons;
  bunches_copy_ = after.before.bunches;
  sequence_->go_to(after.before.drawn);
  // How CORSIKA's own loop drew is not known, where it may draw in other ways than the stage.
  if (is_at_once_) sequence_->forget();
  step.is_left = true;
  next_ = left + 1;
  next_bunch_ = after.first_bunch;
}

void LightCheck::compare() {
  if (!has_copies_) return;
  match_given();
  expect_no_hit(bunches_.size(), nullptr);
  expect_same(corsikas_sums(), stages_sums());
  expect_same_profile("", profile_, profile_copy_);
  if (number_ >= next_state_ && !is_left_) {
    next_state_ = number_ + kStatesFrom;
    if (!sequence_->is_as_original())
      differ("state of the generator's sequence at number", number_of(last_.drawn),
             number_of(sequence_->position()));
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Taken &taken = steps_[i], after = behind(i);
    if (taken.is_left) {
      ++counts_.own_loop;
    } else if (routines_.telescopes == nullptr ? taken.before.drawn == after.before.drawn
                                               : same_bits(taken.before.bunches, after.before.bunches)) {
      ++counts_.no_light;
    } else {
      counts_.one_bunch += taken.light != LightKind::kOther && taken.bunches == 1 ? 1U : 0U;
      counts_.over_100 += taken.light != LightKind::kOther && taken.bunches > 100 ? 1U : 0U;
      counts_.several_bins += after.first_change - taken.first_change > 1 ? 1U : 0U;
    }
  }
  steps_.clear();
  changes_.clear();
  bunches_.clear();
  refracted_.clear();
  hits_.clear();
  next_ = next_bunch_ = next_hit_ = 0;
  has_copies_ = false;
}

}  // namespace cherenkov::corsika
