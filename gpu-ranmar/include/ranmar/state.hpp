// The state of one sequence, and the generator in its plainest words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ranmar/form.hpp"

namespace ranmar {

/// All that the rest of a sequence depends on: the last 97 words, oldest first, and the arithmetic part.
template <class Form>
struct State {
  std::array<typename Form::Word, kLongLag> x{};  ///< x[0] is x_(n-97), x[96] is x_(n-1)
  std::uint32_t c = kArithmeticStart;             ///< c_(n-1), 0 to 16777212

  friend bool operator==(const State&, const State&) = default;
};

/// The state before the first number of the sequence of a seed.
///
/// `ijkl` is the one-number seed of James (1990), 1 to 900000000, ij*30082+kl; it is split and expanded bit
/// by bit as there, in 32-bit integer arithmetic. Any value is accepted, as CORSIKA accepts it.
template <class Form>
State<Form> seeded_state(std::int32_t ijkl);

/// The number that belongs to word x_n and arithmetic value c_n: x_n - c_n mod 1, and one unit where that is
/// 0.
template <class Form>
inline typename Form::Real number(typename Form::Word x, std::uint32_t c) {
  const auto difference =
      static_cast<typename Form::Word>(x - (static_cast<typename Form::Word>(c) << Form::kArithmeticShift));
  if (difference == 0) return Form::kUnit;
  return static_cast<typename Form::Real>(difference >> Form::kShift) * Form::kUnit;
}

/// c_n from c_(n-1).
inline std::uint32_t next_arithmetic(std::uint32_t c) {
  return c >= kArithmeticStep ? c - kArithmeticStep : c + (kArithmeticModulus - kArithmeticStep);
}

/// True where the next number of `state` is 0 before the rule that makes it one unit.
template <class Form>
bool next_is_zero(const State<Form>& state) {
  const auto x = static_cast<typename Form::Word>(state.x[0] - state.x[kLongLag - kShortLag]);
  return x == static_cast<typename Form::Word>(next_arithmetic(state.c)) << Form::kArithmeticShift;
}

}  // namespace ranmar
