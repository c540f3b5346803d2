// For kernels: sequences that live in a warp's registers. Header only. One thread with a sequence of its own
// uses engine.hpp.
//
// 32 consecutive numbers, a row, depend only on numbers 33 and more back, so the lanes of a warp make a row
// at a time. A row rotated by one lane (its first word the last of the row before) serves both lags: x of row
// r is rotated row r-3 (97 back) minus rotated row r-1 (33 back). Three rotated rows and the newest word are
// the state itself, in order: three words per lane.
#pragma once

#include <cstdint>

#include "ranmar/engine.hpp"
#include "ranmar/state.hpp"

namespace ranmar::cuda {

inline constexpr unsigned kAllLanes = 0xFFFFFFFFU;
inline constexpr int kRow = RANMAR_ROW;  ///< numbers of a row, which a warp makes together: 32

/// (c - down) modulo the form's modulus; both are below it.
template <class Form>
__device__ __forceinline__ typename Form::Arithmetic arithmetic_down(typename Form::Arithmetic c,
                                                                     typename Form::Arithmetic down) {
  return RANMAR_DOWN(min, c, down, Form::kModulus);
}

/// A warp's rotated rows. kNumbers: of the sequence, from one number of a lane to its next. Not an interface.
template <class Form, int kNumbers>
class RotatedRows {
 protected:
  using Word = typename Form::Word;
  using Arithmetic = typename Form::Arithmetic;

  __device__ __forceinline__ RotatedRows(unsigned lane, Word oldest, Word middle, Word last, Word newest,
                                         Arithmetic c)
      : lane_(lane), oldest_(oldest), middle_(middle), last_(last), newest_(newest), c_(c) {}

  /// Turns the rows to the one after the next. x: this lane's word of the next row. Returns its number.
  __device__ __forceinline__ typename Form::Real turn(Word x) {
    const Word around = __shfl_sync(kAllLanes, x, (lane_ + kRow - 1) % kRow);
    oldest_ = middle_;
    middle_ = last_;
    last_ = lane_ == 0 ? newest_ : around;
    newest_ = around;  // of use in lane 0 alone
    const typename Form::Real u = number<Form>(x, c_);
    c_ = arithmetic_down<Form>(
        c_, static_cast<Arithmetic>(std::uint64_t{kNumbers} * Form::kStep % Form::kModulus));
    return u;
  }

  unsigned lane_;
  Word oldest_, middle_, last_;  // rows r-3, r-2 and r-1 of the next row r, each rotated by one lane
  Word newest_;                  // in lane 0: the last word of row r-1
  Arithmetic c_;                 // of this lane's number in row r
};

/// One sequence drawn by a whole warp. Every member function is called by all 32 lanes of a converged warp;
/// blocks are one-dimensional, or have a width that is a multiple of 32.
template <class Form>
class WarpSequence : RotatedRows<Form, kRow> {
  using Rows = RotatedRows<Form, kRow>;
  using Rows::lane_, Rows::oldest_, Rows::middle_, Rows::last_, Rows::newest_, Rows::c_;

 public:
  using Word = typename Form::Word;
  using Real = typename Form::Real;
  using Arithmetic = typename Form::Arithmetic;

  /// Goes on from `state` (the same for all lanes, in any memory): the first number is the next one of
  /// `state`.
  __device__ __forceinline__ explicit WarpSequence(const State<Form>& state)
      : WarpSequence(words(state), state.c, threadIdx.x % kRow) {}

  /// Begins with number `offset` (from 0) of a subsequence of a seed, as Engine does. All lanes make the same
  /// jump, which is slow: do it once and save() the state.
  __device__ __forceinline__ WarpSequence(std::int32_t seed, std::uint64_t subsequence, std::uint64_t offset)
      : WarpSequence(engine_state<Form>(seed, subsequence, offset)) {}

  /// Lane l gets number l of the next 32: doubles in [2^-48, 1), floats in [2^-24, 1).
  __device__ __forceinline__ Real next() { return this->turn(static_cast<Word>(oldest_ - last_)); }

  /// Writes the state before the next number.
  __device__ __forceinline__ void save(State<Form>& state) const {
    Word* x = const_cast<Word*>(words(state));
    x[lane_] = oldest_;
    x[kRow + lane_] = middle_;
    x[2 * kRow + lane_] = last_;
    if (lane_ == 0) {
      x[kLongLag - 1] = newest_;
      // One step back from this lane's next c.
      state.c = arithmetic_down<Form>(c_, static_cast<Arithmetic>(Form::kModulus - Form::kStep));
    }
  }

 private:
  __device__ __forceinline__ WarpSequence(const Word* x, Arithmetic c, unsigned lane)
      : Rows(
            lane, x[lane], x[kRow + lane], x[2 * kRow + lane], x[kLongLag - 1],
            arithmetic_down<Form>(c, static_cast<Arithmetic>((lane + 1ULL) * Form::kStep % Form::kModulus))) {
  }

  static __device__ __forceinline__ const Word* words(const State<Form>& state) {
    return reinterpret_cast<const Word*>(&state);
  }
};

}  // namespace ranmar::cuda
