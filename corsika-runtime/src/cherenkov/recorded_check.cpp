#include "corsika_runtime/cherenkov/recorded_check.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "check_text.hpp"

namespace cherenkov::corsika {
namespace {

// Numbers of the sequence made at a time.
constexpr std::size_t kManyNumbers = 4096;
// Every so many steps the whole state of the sequence is compared, else its position.
constexpr std::uint64_t kStatesFrom = 1024;

std::uint64_t digest_of(const std::array<double, 9>& values) {
  std::uint64_t digest = 0;
  for (const double value : values)
    digest = std::rotl(digest ^ std::bit_cast<std::uint64_t>(value), 29) * 0x9e3779b97f4a7c15U;
  return digest;
}

double number_of(std::uint64_t n) { return static_cast<double>(n); }

}  // namespace

RecordedCheck::RecordedCheck(const CheckedRoutines& routines)
    : routines_(routines),
      corsikas_numbers_(std::make_shared<CorsikaNumbers>(routines_.stage)),
      sequence_(std::make_shared<SequenceCopy>(corsikas_numbers_, kManyNumbers)) {
  routines_.stage.counters(&photons_, &bunches_counted_);
}

LightTarget RecordedCheck::target() {
  return {sequence_, &photons_copy_, &bunches_copy_, [this](const Arrival& light) { candidate(light); }};
}

ObservationContext RecordedCheck::on_copies(const ObservationContext& context) {
  ObservationContext copy = context;
  copy.profile.photons = profile_copy_.data();
  return copy;
}

void RecordedCheck::differ(const std::string& what, double corsika, double stage) const {
  std::string where = "check: step " + std::to_string(number_);
  if (steps_.size() > next_ && steps_[next_].number != number_)
    where = "check: step " + std::to_string(steps_[next_].number) + " to " + std::to_string(number_);
  throw CheckDifference(where + ": " + difference_of(what, corsika, stage));
}

void RecordedCheck::expect_same(const Sums& corsika, const Sums& stage) const {
  if (!same_bits(corsika.bunches, stage.bunches))
    differ("bunches of the event", corsika.bunches, stage.bunches);
  if (!same_bits(corsika.photons, stage.photons))
    differ("photons of the event", corsika.photons, stage.photons);
  if (corsika.drawn != stage.drawn)
    differ("numbers drawn for light", number_of(corsika.drawn), number_of(stage.drawn));
}

void RecordedCheck::expect_same_profile(const char* when, const double* corsika,
                                        const std::vector<double>& stage) const {
  if (std::memcmp(corsika, stage.data(), stage.size() * sizeof(double)) == 0) return;
  for (std::size_t i = 0; i < stage.size(); ++i)
    if (!same_bits(corsika[i], stage[i]))
      differ("bin " + std::to_string(i) + " of the longitudinal distribution of light" + when, corsika[i],
             stage[i]);
}

RecordedCheck::Sums RecordedCheck::corsikas_sums() const {
  return {*photons_, *bunches_counted_, corsikas_numbers_->position()};
}

RecordedCheck::Sums RecordedCheck::stages_sums() const {
  return {photons_copy_, bunches_copy_, sequence_->position()};
}

void RecordedCheck::take_copies(const ObservationContext& context) {
  profile_ = context.profile.photons;
  const auto bins =
      static_cast<std::size_t>(std::min(context.profile.bins + 2, context.profile.max_bins) + 1);
  last_ = corsikas_sums();
  photons_copy_ = last_.photons;
  bunches_copy_ = last_.bunches;
  last_profile_.assign(profile_, profile_ + bins);
  profile_copy_ = replayed_ = last_profile_;
  sequence_->follow();
  has_copies_ = true;
}

void RecordedCheck::begin_step(Handling handling, const RecordedSteps* chunk, int place, LightKind light,
                               const Step& step, const ObservationContext& context) {
  ++number_;
  ++counts_.steps;
  handling_ = handling;
  if (handling == Handling::kLeft) {
    ++counts_.own_loop;
    return;
  }
  if (!has_copies_) take_copies(context);
  // Recorded steps are done later: nothing may come between.
  const Sums now = corsikas_sums();
  if (now.drawn != last_.drawn)
    differ("numbers drawn for light between two steps", number_of(now.drawn), number_of(last_.drawn));
  expect_same(now, last_);
  expect_same_profile(" between two steps", profile_, last_profile_);
  drawn_in_all_ = routines_.drawn_in_all();
  if (handling == Handling::kRecorded) {
    steps_.push_back(
        {chunk, place, number_, now, bunches_.size(), changes_.size(), light, step.bunches, false});
    counts_.near_threshold += is_near_threshold(light, step) ? 1U : 0U;
  } else {
    ++counts_.no_light;
  }
}

void RecordedCheck::refract(const Bunch& bunch) {
  if (handling_ != Handling::kRecorded) return;
  refracted_.resize(bunches_.size());
  refracted_.push_back(bunch);
}

int RecordedCheck::collect(double* photons, double* weight, double* x, double* y, double* u, double* v,
                           double* t, double* height, double* wavelength) {
  const Arrival given{*photons, *weight, *x, *y, *u, *v, *t, *height, *wavelength};
  const double photons_now = *photons_ + given[0], bunches_now = *bunches_counted_ + 1.;
  const long stored = routines_.stored();
  const int answer = routines_.stage.collect(photons, weight, x, y, u, v, t, height, wavelength);
  ++counts_.bunches;
  const long hits = routines_.stored() - stored;
  counts_.hits += static_cast<std::uint64_t>(hits);
  if (handling_ != Handling::kRecorded) return answer;
  // The stage does not look at the answer, counts every bunch once, and does not call TELOUT for most.
  if (answer != 0) differ("answer of TELOUT", answer, 0.);
  if (!same_bits(*photons_, photons_now)) differ("photons counted by TELOUT", *photons_, photons_now);
  if (!same_bits(*bunches_counted_, bunches_now))
    differ("bunches counted by TELOUT", *bunches_counted_, bunches_now);
  if (hits != 0) hits_.emplace_back(bunches_.size(), given);
  bunches_.push_back(digest_of(given));
  return answer;
}

void RecordedCheck::end_step() {
  if (handling_ == Handling::kLeft) return;
  const Sums now = corsikas_sums();
  if (handling_ == Handling::kDropped) {
    expect_same(now, last_);
    expect_same_profile("", profile_, last_profile_);
  }
  // Of a step that is done later another sequence knows nothing.
  const std::uint64_t all = routines_.drawn_in_all() - drawn_in_all_, light = now.drawn - last_.drawn;
  if (all != light) differ("numbers drawn from all sequences", number_of(all), number_of(light));
  last_ = now;
  find_changes();
}

void RecordedCheck::find_changes() {
  if (std::memcmp(profile_, last_profile_.data(), last_profile_.size() * sizeof(double)) == 0) return;
  for (std::size_t i = 0; i < last_profile_.size(); ++i) {
    if (same_bits(profile_[i], last_profile_[i])) continue;
    last_profile_[i] = profile_[i];
    changes_.push_back({i, profile_[i]});
  }
}

std::size_t RecordedCheck::end_of_bunches(std::size_t step) const {
  return step + 1 < steps_.size() ? steps_[step + 1].first_bunch : bunches_.size();
}

std::size_t RecordedCheck::end_of_changes(std::size_t step) const {
  return step + 1 < steps_.size() ? steps_[step + 1].first_change : changes_.size();
}

// The bunches from next_bunch_ to `end` are not followed by the stage, which goes on with `given`.
void RecordedCheck::expect_no_hit(std::size_t end, const Arrival* given) {
  if (next_hit_ == hits_.size() || hits_[next_hit_].first >= end) return;
  const Arrival& hit = hits_[next_hit_].second;
  if (given != nullptr && same_bits(hit[7], (*given)[7]))
    for (std::size_t i = 0; i < hit.size(); ++i)
      if (!same_bits(hit[i], (*given)[i]))
        differ(std::string("a bunch hits a telescope, its ") + kTeloutArguments[i], hit[i], (*given)[i]);
  differ("a bunch hits a telescope and is not followed by the stage: x", hit[2], 0.);
}

// A bunch that the stage hands to TELOUT must be one that CORSIKA handed to it, in CORSIKA's order.
void RecordedCheck::candidate(const Arrival& given) {
  const auto found = std::find(bunches_.begin() + static_cast<std::ptrdiff_t>(next_bunch_), bunches_.end(),
                               digest_of(given));
  const auto at = static_cast<std::size_t>(found - bunches_.begin());
  expect_no_hit(at, &given);
  if (at == bunches_.size()) differ("bunch that the stage follows, not CORSIKA: x", 0., given[2]);
  if (next_hit_ < hits_.size() && hits_[next_hit_].first == at) ++next_hit_;
  next_bunch_ = at + 1;
  ++counts_.candidates;
}

void RecordedCheck::left_to_corsika(const RecordedSteps& chunk, int place,
                                    const std::function<bool(const Bunch&)>& can_skip) {
  // Chunks are used again; the counter of bunches tells which of two steps it is.
  std::size_t left = next_;
  while (left < steps_.size() && !(steps_[left].chunk == &chunk && steps_[left].place == place &&
                                   steps_[left].before.bunches >= bunches_copy_))
    ++left;
  if (left == steps_.size()) differ("bunches of the event", last_.bunches, bunches_copy_);
  Recorded& step = steps_[left];
  expect_no_hit(step.first_bunch, nullptr);
  expect_same(step.before, stages_sums());
  const std::size_t first_change = next_ < steps_.size() ? steps_[next_].first_change : 0;
  for (std::size_t i = first_change; i < step.first_change; ++i)
    replayed_[changes_[i].bin] = changes_[i].photons;
  expect_same_profile("", replayed_.data(), profile_copy_);
  const std::size_t end = end_of_bunches(left);
  for (std::size_t b = step.first_bunch; b < end; ++b) {
    const bool is_hit = next_hit_ < hits_.size() && hits_[next_hit_].first == b;
    if (b < refracted_.size() && can_skip(refracted_[b])) {
      if (is_hit)
        differ("a bunch of CORSIKA's own loop hits a telescope, and would be skipped: x",
               hits_[next_hit_].second[2], 0.);
      ++counts_.skipped;
    }
    if (is_hit) ++next_hit_;
  }
  for (std::size_t i = step.first_change; i < end_of_changes(left); ++i)
    replayed_[changes_[i].bin] = profile_copy_[changes_[i].bin] = changes_[i].photons;
  const Sums& after = left + 1 < steps_.size() ? steps_[left + 1].before : last_;
  photons_copy_ = after.photons;
  bunches_copy_ = after.bunches;
  sequence_->go_to(after.drawn);
  step.is_left = true;
  next_ = left + 1;
  next_bunch_ = end;
}

void RecordedCheck::count(std::size_t step) {
  const Recorded& recorded = steps_[step];
  if (recorded.is_left) {
    ++counts_.own_loop;
    return;
  }
  if (recorded.first_bunch == end_of_bunches(step)) {
    ++counts_.no_light;
    return;
  }
  counts_.one_bunch += recorded.light != LightKind::kOther && recorded.bunches == 1 ? 1U : 0U;
  counts_.over_100 += recorded.light != LightKind::kOther && recorded.bunches > 100 ? 1U : 0U;
  counts_.several_bins += end_of_changes(step) - recorded.first_change > 1 ? 1U : 0U;
}

void RecordedCheck::compare() {
  if (!has_copies_) return;
  expect_no_hit(bunches_.size(), nullptr);
  expect_same(corsikas_sums(), stages_sums());
  expect_same_profile("", profile_, profile_copy_);
  if (number_ - states_compared_ >= kStatesFrom) {
    states_compared_ = number_;
    if (!sequence_->is_as_original())
      differ("state of the generator's sequence at number", number_of(last_.drawn),
             number_of(sequence_->position()));
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) count(i);
  steps_.clear();
  changes_.clear();
  bunches_.clear();
  refracted_.clear();
  hits_.clear();
  next_ = next_bunch_ = next_hit_ = 0;
  has_copies_ = false;
}

}  // namespace cherenkov::corsika
