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
  typename Form::Arithmetic c = Form::kStart;     ///< c_(n-1), below Form::kModulus

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
RANMAR_HOST_DEVICE inline typename Form::Real number(typename Form::Word x, typename Form::Arithmetic c) {
  const auto difference =
      static_cast<typename Form::Word>(x - (static_cast<typename Form::Word>(c) << Form::kArithmeticShift));
  if (difference == 0) return Form::kUnit;
  return static_cast<typename Form::Real>(difference >> Form::kShift) * Form::kUnit;
}

/// c_n from c_(n-1).
template <class Form>
inline typename Form::Arithmetic next_arithmetic(typename Form::Arithmetic c) {
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
