// The start of a sequence from its seed, and states in the terms of RMMAQD.
#include "ranmar/state.hpp"

#include <cmath>
#include <stdexcept>

#include "ranmar/detail/words.hpp"
#include "ranmar/rmmaqd_state.hpp"

namespace ranmar {
namespace {

constexpr double kWordUnit = 0x1p-48;
constexpr double kArithmeticUnit = 0x1p-24;

// Index into the ring of the word that is `age` numbers younger than the oldest.
std::size_t ring_index(std::int32_t i97, int age) {
  return static_cast<std::size_t>(((i97 - 1 - age) % kLongLag + kLongLag) % kLongLag);
}

}  // namespace

template <class Form>
State<Form> seeded_state(std::int32_t ijkl) {
  State<Form> state;
  detail::seed_words<Form>(ijkl, state.x.data());
  return state;
}

template State<Form48> seeded_state<Form48>(std::int32_t);
template State<Form24> seeded_state<Form24>(std::int32_t);
template State<FormExtended48> seeded_state<FormExtended48>(std::int32_t);

RmmaqdState to_rmmaqd(const State<Form48>& state, std::int32_t i97) {
  if (i97 < 1 || i97 > kLongLag) throw std::invalid_argument("I97 is not in 1..97");
  RmmaqdState classic;
  for (int age = 0; age < kLongLag; ++age) {
    classic.u[ring_index(i97, age)] = static_cast<double>(state.x[age] >> Form48::kShift) * kWordUnit;
  }
  classic.c = state.c * kArithmeticUnit;
  classic.i97 = i97;
  classic.j97 = static_cast<std::int32_t>(ring_index(i97, kLongLag - kShortLag)) + 1;
  return classic;
}

State<Form48> from_rmmaqd(const RmmaqdState& classic) {
  if (classic.i97 < 1 || classic.i97 > kLongLag) throw std::invalid_argument("I97 is not in 1..97");
  if (classic.j97 != static_cast<std::int32_t>(ring_index(classic.i97, kLongLag - kShortLag)) + 1) {
    throw std::invalid_argument("J97 does not stand 64 places after I97");
  }
  State<Form48> state;
  for (int age = 0; age < kLongLag; ++age) {
    const double value = classic.u[ring_index(classic.i97, age)];
    // std::isless raises no floating-point exception, which CORSIKA may have trapped. A negative zero is
    // refused, too, because the words of a sequence have no sign and could not give it back.
    if (std::signbit(value) || !std::isless(value, 1.)) {
      throw std::invalid_argument("U holds a value that is not in [0,1)");
    }
    const double units = value / kWordUnit;
    if (units != std::floor(units))
      throw std::invalid_argument("U holds a value that is no multiple of 2^-48");
    state.x[age] = static_cast<std::uint64_t>(units) << Form48::kShift;
  }
  if (std::signbit(classic.c) || !std::isless(classic.c, kArithmeticModulus * kArithmeticUnit)) {
    throw std::invalid_argument("C is not in [0,16777213/2^24)");
  }
  const double c = classic.c / kArithmeticUnit;
  if (c != std::floor(c)) throw std::invalid_argument("C is no multiple of 2^-24");
  state.c = static_cast<std::uint32_t>(c);
  return state;
}

}  // namespace ranmar
