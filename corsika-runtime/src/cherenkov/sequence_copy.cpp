#include "corsika_runtime/cherenkov/sequence_copy.hpp"

#include <algorithm>

#include "ranmar/rmmaqd_state.hpp"
#include "stage_limits.hpp"

namespace cherenkov::corsika {
namespace {

// Numbers up to here are made and forgotten: a jump takes longer.
constexpr std::uint64_t kFar = 1U << 16;

}  // namespace

void SequenceCopy::follow(std::uint64_t position) {
  const bool near =
      known_ && position >= made_ - ready_.size() && position - std::min(position, made_) < kFar;
  if (!near) {
    ahead_.set_state(1, state());
    here_.set_state(1, state());
    made_ = position_ = position;
    ready_.clear();
    known_ = true;
  }
  while (made_ < position) make_more();
}

void SequenceCopy::read(std::uint64_t position, double* out, int n) {
  for (int i = 0; i < n; ++i, ++position) {
    while (position >= made_) make_more();
    out[i] = ready_[ready_.size() - static_cast<std::size_t>(made_ - position)];
  }
}

ranmar::State<ranmar::Form48> SequenceCopy::state_at(std::uint64_t position) {
  here_.skip(1, static_cast<std::int64_t>(position - position_));
  position_ = position;
  return here_.state(1);
}

bool SequenceCopy::is_at(std::uint64_t position) {
  return position >= position_ && state_at(position) == state();
}

ranmar::State<ranmar::Form48> SequenceCopy::state() const {
  ranmar::RmmaqdState classic;
  int indices[2] = {0, 0}, iseed[3] = {0, 0, 0};
  routines_.sequence_state(&kCherenkovSequence, classic.u.data(), &classic.c, indices, iseed);
  classic.i97 = indices[0];
  classic.j97 = indices[1];
  return ranmar::from_rmmaqd(classic);
}

void SequenceCopy::make_more() {
  ready_.resize(block_);
  ahead_.fill(1, ready_.data(), block_);
  made_ += block_;
}

std::uint64_t drawn_for_light(const Routines& routines) {
  int iseed[3] = {0, 0, 0};
  routines.sequence_counters(&kCherenkovSequence, iseed);
  return static_cast<std::uint64_t>(iseed[2]) * 1000000000U + static_cast<std::uint64_t>(iseed[1]);
}

}  // namespace cherenkov::corsika
