// The state of one sequence, and the generator one number at a time, for host and device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ranmar/form.hpp"

namespace ranmar {

/// All that the rest of a sequence depends on: the last 97 words, oldest first, and the arithmetic part. This
/// is the state before number n: number n is the next one that is made from it.
template <class Form>
struct RANMAR_API State {
  std::array<typename Form::Word, kLongLag> x{};  ///< x[0] is x_(n-97), x[96] is x_(n-1)
  typename Form::Arithmetic c = Form::kStart;     ///< c_(n-1), below Form::kModulus

  friend bool operator==(const State&, const State&) = default;
};

/// The state before the first number of the sequence of a seed.
///
/// `ijkl` is the one-number seed of James (1990), 1 to 900000000, ij*30082+kl; it is split and expanded bit
/// by bit as there, in 32-bit integer arithmetic. Any value is accepted, as CORSIKA accepts it.
template <class Form>
RANMAR_API State<Form> seeded_state(std::int32_t ijkl);

/// The number that belongs to word x_n and arithmetic value c_n: x_n - c_n mod 1, and one unit where that is
/// 0.
template <class Form>
RANMAR_HOST_DEVICE inline typename Form::Real number(typename Form::Word x, typename Form::Arithmetic c) {
  using Word = typename Form::Word;
  auto difference = static_cast<Word>(RANMAR_DIFFERENCE(x, static_cast<Word>(c), Form::kArithmeticShift));
#ifdef __CUDA_ARCH__
  // Without 64-bit conversions, which are slow there: the 48 bits become the fraction of a number in [1,2),
  // and 1 is taken off, exactly.
  if (difference == 0) difference = Word{1} << Form::kShift;
  if constexpr (Form::kBits == 48) {
    return __longlong_as_double(static_cast<long long>(RANMAR_MANTISSA(difference))) - 1.;
  } else {
    return __uint2float_rn(difference >> Form::kShift) * 0x1p-24F;
  }
#else
  if (difference == 0) return Form::kUnit;
  return static_cast<typename Form::Real>(difference >> Form::kShift) * Form::kUnit;
#endif
}

/// c_n from c_(n-1).
template <class Form>
RANMAR_HOST_DEVICE inline typename Form::Arithmetic next_arithmetic(typename Form::Arithmetic c) {
  return c >= Form::kStep ? c - Form::kStep : c + (Form::kModulus - Form::kStep);
}

/// c_n from c_(n-1) in the two published forms.
inline std::uint32_t next_arithmetic(std::uint32_t c) { return next_arithmetic<Form48>(c); }

/// True where the next number of `state` is 0 before the rule that makes it one unit.
template <class Form>
bool next_is_zero(const State<Form>& state) {
  const auto x = static_cast<typename Form::Word>(state.x[0] - state.x[kLongLag - kShortLag]);
  return x == static_cast<typename Form::Word>(next_arithmetic<Form>(state.c)) << Form::kArithmeticShift;
}

// Jump-ahead: moving a state by any number of steps at the price of a few polynomial products.

/// The polynomial of a jump by J numbers: t^J modulo t^97 + t^64 - 1 over Z/2^64; of each coefficient the low
/// 48 or 24 bits are used. [i] is the coefficient of t^i.
using JumpPolynomial = std::array<std::uint64_t, kLongLag>;

/// The polynomial of a jump by `numbers`, backwards where negative. The words satisfy x_n = x_(n-97) -
/// x_(n-33), whose characteristic polynomial is t^97 + t^64 - 1; t is invertible: t (t^96 + t^63) = 1.
/// (Haramoto and Suzuki, arXiv:2512.00093, do this for the 24-bit form.)
RANMAR_API JumpPolynomial jump_polynomial(std::int64_t numbers);

/// The polynomial of a jump twice as far: the square.
RANMAR_API JumpPolynomial doubled(const JumpPolynomial& polynomial);

/// What `numbers` steps (any sign) subtract from c, modulo Form::kModulus; 0 to kModulus-1.
template <class Form>
RANMAR_API typename Form::Arithmetic arithmetic_distance(std::int64_t numbers);

/// Moves `state` by the jump of `polynomial` in the words, and by `numbers` in the arithmetic part.
template <class Form>
RANMAR_API void apply_jump(State<Form>& state, const JumpPolynomial& polynomial, std::int64_t numbers);

/// Moves `state` by `numbers` (any sign, up to 2^63-1), as if that many had been drawn: under a millisecond.
template <class Form>
RANMAR_API void jump(State<Form>& state, std::int64_t numbers);

namespace detail {
// A copy of `state` after jump().
template <class Form>
[[nodiscard]] State<Form> jumped(State<Form> state, std::int64_t numbers) {
  jump(state, numbers);
  return state;
}
}  // namespace detail

// A state in the terms of the classic routines RMMAQ and RMMAQD: a ring U of reals, C, and the two indices.

/// U(97), C, I97 and J97 as the classic loop keeps them: U(I97) is the oldest value, U(J97) the one 33 back,
/// both indices count down from 97 to 1 and around.
struct RANMAR_API RmmaqdState {
  std::array<double, kLongLag> u{};
  double c = 0.;
  std::int32_t i97 = 0;
  std::int32_t j97 = 0;
};

/// `state` with its oldest word at U(i97), i97 in 1..97, else std::invalid_argument. After n numbers of a
/// freshly seeded sequence the classic loop stands at i97 = 97 - (n mod 97).
RANMAR_API RmmaqdState to_rmmaqd(const State<Form48>& state, std::int32_t i97);

/// The inverse. Throws std::invalid_argument if the values are not a state of this generator: indices out of
/// range or not 64 apart around the ring, reals that are not multiples of 2^-48 in [0,1), C not a multiple of
/// 2^-24 below 16777213/2^24.
RANMAR_API State<Form48> from_rmmaqd(const RmmaqdState& classic);

}  // namespace ranmar
