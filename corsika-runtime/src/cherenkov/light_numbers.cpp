#include "corsika_runtime/cherenkov/light_numbers.hpp"

#include "corsika_runtime/cherenkov/event.hpp"

namespace cherenkov::corsika {
void CorsikaNumbers::draw(double* numbers, int n) {
  int sequence = kCherenkovSequence;
  routines_.draw(numbers, &n, &sequence);
}

void CorsikaNumbers::step_over(std::uint64_t n) {
  constexpr std::uint64_t kMost = 1U << 30;
  if (n == 0) return;  // RNMSKP may be called only for a sequence that was started
  for (; n > kMost; n -= kMost) step_over(kMost);
  const int now = static_cast<int>(n);
  routines_.step_over != nullptr ? routines_.step_over(&now, &kCherenkovSequence) : draw_unused(now);
}

void CorsikaNumbers::draw_unused(int n) {
  double unused[kMaxBunches];
  for (; n > 0; n -= kMaxBunches) draw(unused, std::min(n, kMaxBunches));
}

std::uint64_t CorsikaNumbers::position() const {
  int iseed[3] = {0, 0, 0};
  routines_.sequence_counters(&kCherenkovSequence, iseed);
  return static_cast<std::uint64_t>(iseed[2]) * 1000000000U + static_cast<std::uint64_t>(iseed[1]);
}

ranmar::State<ranmar::Form48> CorsikaNumbers::state() {
  ranmar::RmmaqdState classic;
  int indices[2] = {0, 0}, iseed[3] = {0, 0, 0};
  routines_.sequence_state(&kCherenkovSequence, classic.u.data(), &classic.c, indices, iseed);
  classic.i97 = indices[0];
  classic.j97 = indices[1];
  return ranmar::from_rmmaqd(classic);
}

void SequenceCopy::follow() {
  constexpr std::uint64_t kFar = 1U << 16;  // numbers up to here are made and forgotten: a jump takes longer
  position_ = original_->position();
  const bool near = known_ && !drew_negative_ && position_ >= made_ - ready_.size() &&
                    position_ - std::min(position_, made_) < kFar;
  if (!near) {
    ahead_.set_state(1, original_->state());
    made_ = position_;
    ready_.clear();
    known_ = true;
    drew_negative_ = false;
  }
  while (made_ < position_) make_more();
}

void SequenceCopy::draw(double* numbers, int n) {
  for (int i = 0; i < n; ++i) {
    const std::uint64_t at = position_ + static_cast<std::uint64_t>(i);
    while (at >= made_) make_more();
    numbers[i] = ready_[ready_.size() - static_cast<std::size_t>(made_ - at)];
  }
  position_ += static_cast<std::uint64_t>(n);
  drew_negative_ = drew_negative_ || n < 0;
}

ranmar::State<ranmar::Form48> SequenceCopy::state() {
  auto state = ahead_.state(1);
  ranmar::jump(state, static_cast<std::int64_t>(position_ - made_));
  return state;
}

bool SequenceCopy::is_as_original() { return drew_negative_ || state() == original_->state(); }

LightTarget target_of(const Routines& routines) {
  LightTarget target{std::make_shared<CorsikaNumbers>(routines), nullptr, nullptr, routines.collect};
  routines.counters(&target.photons, &target.bunches);
  return target;
}

void SequenceCopy::make_more() {
  ready_.resize(block_);
  ahead_.fill(1, ready_.data(), block_);
  made_ += block_;
}

}  // namespace cherenkov::corsika
