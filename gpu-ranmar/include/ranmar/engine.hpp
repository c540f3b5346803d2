// An engine in the manner of cuRAND's and rocRAND's device interfaces: one sequence drawn by one thread, on
// the host or on a CUDA device. Header only: a program that uses nothing else of libranmar needs not link it.
#pragma once

#include <cstdint>

#include "ranmar/detail/words.hpp"
#include "ranmar/form.hpp"
#include "ranmar/state.hpp"

namespace ranmar {

/// log2 of the distance between subsequences, in numbers: more than any program draws of one. Subsequence k
/// is instance k of ranmar_instances_create and of cuda::Sequence.
inline constexpr int kSubsequenceBits = 60;

/// Distance between neighbouring instances of a sequence, in numbers.
inline constexpr std::int64_t kInstanceDistance = std::int64_t{1} << kSubsequenceBits;

/// The state before number `offset` (from 0) of a subsequence of a seed: that is number 2^60 subsequence +
/// offset of the seed's sequence. All values are accepted. Takes a jump where either is not 0: under a
/// millisecond on the host; see Engine for a device.
template <class Form>
RANMAR_HOST_DEVICE inline State<Form> engine_state(std::int32_t seed, std::uint64_t subsequence,
                                                   std::uint64_t offset) {
  State<Form> state;
  auto* words = reinterpret_cast<typename Form::Word*>(&state);
  detail::seed_words<Form>(seed, words);
  const std::uint64_t low = (subsequence << kSubsequenceBits) + offset;
  const std::uint64_t high = (subsequence >> (64 - kSubsequenceBits)) + (low < offset ? 1 : 0);
  detail::jump_ahead<Form>({high, low}, words, &state.c);
  return state;
}

/// One sequence. Its 97 words are a ring buffer in the engine itself. An engine has 784 bytes in the 48-bit
/// form, 792 in the extended one, 396 in the 24-bit one. A CUDA thread has them in local memory, where
/// threads that draw in lockstep have coalesced accesses. Where 32 threads can share a sequence,
/// cuda::WarpSequence is faster.
///
/// To construct one from (seed, subsequence, offset) costs a jump unless subsequence and offset are 0. In one
/// thread of a device a jump is slow, but all threads make theirs at the same time. Do it once and save() the
/// states.
template <class Form>
class Engine {
 public:
  using Word = typename Form::Word;
  using Real = typename Form::Real;
  using result_type = Real;

  RANMAR_HOST_DEVICE explicit Engine(std::int32_t seed, std::uint64_t subsequence = 0,
                                     std::uint64_t offset = 0)
      : Engine(engine_state<Form>(seed, subsequence, offset)) {}

  /// Goes on from a state.
  RANMAR_HOST_DEVICE explicit Engine(const State<Form>& state) : c_(state.c) {
    const auto* x = reinterpret_cast<const Word*>(&state);
    for (int i = 0; i < kLongLag; ++i) ring_[i] = x[i];
  }

  /// The next number: doubles in [2^-48, 1) of the 48-bit forms, floats in [2^-24, 1) of the 24-bit form.
  RANMAR_HOST_DEVICE Real operator()() {
    const int middle = oldest_ >= kShortLag ? oldest_ - kShortLag : oldest_ + (kLongLag - kShortLag);
    const auto x = static_cast<Word>(ring_[oldest_] - ring_[middle]);
    ring_[oldest_] = x;
    oldest_ = oldest_ + 1 == kLongLag ? 0 : oldest_ + 1;
    c_ = next_arithmetic<Form>(c_);
    return number<Form>(x, c_);
  }

  /// Writes the state before the next number.
  RANMAR_HOST_DEVICE void save(State<Form>& state) const {
    auto* x = reinterpret_cast<Word*>(&state);
    for (int i = 0; i < kLongLag; ++i) x[i] = ring_[(oldest_ + i) % kLongLag];
    state.c = c_;
  }

 private:
  Word ring_[kLongLag];
  typename Form::Arithmetic c_;
  int oldest_ = 0;
};

}  // namespace ranmar
