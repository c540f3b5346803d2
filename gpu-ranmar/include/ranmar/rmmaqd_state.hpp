// A state in the terms of the classic routines RMMAQ and RMMAQD: a ring U of reals, C, and the two indices.
#pragma once

#include <array>
#include <cstdint>

#include "ranmar/state.hpp"

namespace ranmar {

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
