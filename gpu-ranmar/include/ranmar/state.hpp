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

}  // namespace ranmar
