// For kernels: sequences that live in registers.
//
// 32 consecutive numbers depend only on numbers 33 and more back, so the lanes of a warp make 32 at a time. A
// row turned by one lane (its first word the last of the row before) serves both lags: x of row r is turned
// row r-3 (97 back) minus turned row r-1 (33 back). Three turned rows and the newest word are the state
// itself, in order: three words a lane.
#pragma once

#include <cstdint>

#include "ranmar/state.hpp"

namespace ranmar::cuda {

inline constexpr unsigned kAllLanes = 0xFFFFFFFFU;
inline constexpr int kRow = 32;  ///< numbers that a warp makes together

/// The number of word x and arithmetic value c, bit for bit `number<Form>(x, c)`, without 64-bit conversions:
/// the 48 bits become the fraction of a number in [1,2), and 1 is taken off, exactly.
template <class Form>
__device__ __forceinline__ typename Form::Real number_on_device(typename Form::Word x,
                                                                typename Form::Arithmetic c) {
  using Word = typename Form::Word;
  Word bits = static_cast<Word>(x - (static_cast<Word>(c) << Form::kArithmeticShift));
  if (bits == 0) bits = Word{1} << Form::kShift;  // a zero becomes one unit
  if constexpr (Form::kBits == 48) {
    return __longlong_as_double(static_cast<long long>(bits >> 12 | 0x3FF0000000000000ULL)) - 1.;
  } else {
    return __uint2float_rn(bits >> Form::kShift) * 0x1p-24F;
  }
}

/// c moved down by `down` (below the modulus).
template <class Form>
__device__ __forceinline__ typename Form::Arithmetic arithmetic_down(typename Form::Arithmetic c,
                                                                     typename Form::Arithmetic down) {
  const typename Form::Arithmetic below = c - down;  // where negative, a huge value
  return min(below, static_cast<typename Form::Arithmetic>(below + Form::kModulus));
}

/// One sequence drawn by a whole warp. Every member function is called by all 32 lanes of a converged warp;
/// blocks are one-dimensional, or have a width that is a multiple of 32.
template <class Form>
class WarpSequence {
 public:
  using Word = typename Form::Word;
  using Real = typename Form::Real;
  using Arithmetic = typename Form::Arithmetic;

  /// Stands where `state` (the same for all lanes, in any memory) stands.
  __device__ __forceinline__ explicit WarpSequence(const State<Form>& state) : lane_(threadIdx.x % kRow) {
    const Word* x = words(state);
    oldest_ = x[lane_];
    middle_ = x[kRow + lane_];
    last_ = x[2 * kRow + lane_];
    newest_ = x[kLongLag - 1];
    c_ = arithmetic_down<Form>(state.c,
                               static_cast<Arithmetic>((lane_ + 1ULL) * Form::kStep % Form::kModulus));
  }

  /// Lane l gets number l of the next 32: doubles in [2^-48, 1), floats in [2^-24, 1).
  __device__ __forceinline__ Real next() {
    Word x;
    return next(x);
  }

  /// The same, and the word that the number was made of.
  __device__ __forceinline__ Real next(Word& x) {
    x = static_cast<Word>(oldest_ - last_);
    const Word around = __shfl_sync(kAllLanes, x, (lane_ + kRow - 1) % kRow);
    oldest_ = middle_;
    middle_ = last_;
    last_ = lane_ == 0 ? newest_ : around;
    newest_ = around;  // of use in lane 0 alone
    const Real u = number_on_device<Form>(x, c_);
    c_ = arithmetic_down<Form>(c_, kRowStep);
    return u;
  }

  /// Writes the state of the next number.
  __device__ __forceinline__ void save(State<Form>& state) const {
    Word* x = const_cast<Word*>(words(state));
    x[lane_] = oldest_;
    x[kRow + lane_] = middle_;
    x[2 * kRow + lane_] = last_;
    if (lane_ == 0) {
      x[kLongLag - 1] = newest_;
      state.c = arithmetic_down<Form>(
          c_, static_cast<Arithmetic>(Form::kModulus - Form::kStep));  // lane 0's next c, one step back
    }
  }

 private:
  static constexpr auto kRowStep =
      static_cast<Arithmetic>(std::uint64_t{kRow} * Form::kStep % Form::kModulus);

  static __device__ __forceinline__ const Word* words(const State<Form>& state) {
    return reinterpret_cast<const Word*>(&state);
  }

  unsigned lane_;
  Word oldest_, middle_, last_;  // turned rows
  Word newest_;
  Arithmetic c_;
};

/// One sequence drawn by one thread. Its 97 words are a ring in the thread's own (local) memory, which the
/// hardware lays out so that threads of a warp in step read side by side. Slower than a warp's sequence; for
/// code where every thread must have its own.
template <class Form>
class ThreadSequence {
 public:
  __device__ explicit ThreadSequence(const State<Form>& state) : c_(state.c) {
    const auto* x = reinterpret_cast<const typename Form::Word*>(&state);
    for (int i = 0; i < kLongLag; ++i) ring_[i] = x[i];
  }

  /// The next number of the thread's sequence.
  __device__ typename Form::Real next() {
    const int middle = oldest_ >= kShortLag ? oldest_ - kShortLag : oldest_ + (kLongLag - kShortLag);
    const auto x = static_cast<typename Form::Word>(ring_[oldest_] - ring_[middle]);
    ring_[oldest_] = x;
    oldest_ = oldest_ + 1 == kLongLag ? 0 : oldest_ + 1;
    c_ = arithmetic_down<Form>(c_, Form::kStep);
    return number_on_device<Form>(x, c_);
  }

  /// Writes the state of the next number.
  __device__ void save(State<Form>& state) const {
    auto* x = reinterpret_cast<typename Form::Word*>(&state);
    for (int i = 0; i < kLongLag; ++i) x[i] = ring_[(oldest_ + i) % kLongLag];
    state.c = c_;
  }

 private:
  typename Form::Word ring_[kLongLag];
  typename Form::Arithmetic c_;
  int oldest_ = 0;
};

}  // namespace ranmar::cuda
