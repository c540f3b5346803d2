// Jump-ahead: moving a state by any number of steps at the price of a few polynomial products.
#pragma once

#include <array>
#include <cstdint>

#include "ranmar/state.hpp"

namespace ranmar {

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

}  // namespace ranmar
