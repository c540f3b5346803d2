// The start of a sequence from its seed, states in the terms of RMMAQD, and jump-ahead on the host, both
// ways.
#include "ranmar/state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "ranmar/detail/words.hpp"

namespace ranmar {
namespace {

constexpr double kWordUnit = 0x1p-48;
constexpr double kArithmeticUnit = 0x1p-24;

// Index into the ring of the word that is `age` numbers younger than the oldest.
std::size_t ring_index(std::int32_t i97, int age) {
  return static_cast<std::size_t>(((i97 - 1 - age) % kLongLag + kLongLag) % kLongLag);
}

// How many units a real of a state is, which is a multiple of them below `end`. std::isless raises no
// floating-point exception, which CORSIKA may have trapped. A negative zero is refused, too, because the
// words of a sequence have no sign and could not give it back.
std::uint64_t units_of(double value, double unit, double end, const char* what) {
  if (std::signbit(value) || !std::isless(value, end) || value / unit != std::floor(value / unit))
    throw std::invalid_argument(std::string(what) + " is out of its range, or no multiple of its unit");
  return static_cast<std::uint64_t>(value / unit);
}

// p/t, with 1/t = t^96 + t^63.
void over_t(JumpPolynomial& p) {
  const std::uint64_t lowest = p[0];
  for (int i = 0; i + 1 < kLongLag; ++i) p[i] = p[i + 1];
  p[kLongLag - 1] = lowest;
  p[kLongLag - kShortLag - 1] += lowest;
}

std::uint64_t magnitude(std::int64_t numbers) {
  return numbers < 0 ? 0 - static_cast<std::uint64_t>(numbers) : static_cast<std::uint64_t>(numbers);
}

// Jumps up to here go word by word, which then takes less time than the polynomial.
constexpr std::uint64_t kStepped = 1U << 17;

// The next words, each in the place of the one that it no longer needs: the word kLag before is taken off
// (or, with kSign -1, added to) the oldest one. x is oldest first.
template <int kLag, int kSign, class Words>
void step_words(Words& x, std::uint64_t numbers) {
  constexpr int kGap = kLongLag - kLag;
  const auto step_to = [&x](int end) {
    for (int i = 0; i < std::min(end, kLag); ++i) x[i] -= kSign * x[i + kGap];
    for (int i = kLag; i < end; ++i) x[i] -= kSign * x[i - kLag];
  };
  for (; numbers >= kLongLag; numbers -= kLongLag) step_to(kLongLag);
  step_to(static_cast<int>(numbers));
  std::rotate(x.begin(), x.begin() + static_cast<int>(numbers), x.end());
}

}  // namespace

template <class Form>
State<Form> seeded_state(std::int32_t ijkl) {
  State<Form> state;
  detail::seed_words<Form>(ijkl, state.x.data());
  return state;
}

RmmaqdState to_rmmaqd(const State<Form48>& state, std::int32_t i97) {
  if (i97 < 1 || i97 > kLongLag) throw std::invalid_argument("I97 is not in 1..97");
  RmmaqdState classic;
  for (int age = 0; age < kLongLag; ++age)
    classic.u[ring_index(i97, age)] = static_cast<double>(state.x[age] >> Form48::kShift) * kWordUnit;
  classic.c = state.c * kArithmeticUnit;
  classic.i97 = i97;
  classic.j97 = static_cast<std::int32_t>(ring_index(i97, kLongLag - kShortLag)) + 1;
  return classic;
}

State<Form48> from_rmmaqd(const RmmaqdState& classic) {
  if (classic.i97 < 1 || classic.i97 > kLongLag) throw std::invalid_argument("I97 is not in 1..97");
  if (classic.j97 != static_cast<std::int32_t>(ring_index(classic.i97, kLongLag - kShortLag)) + 1)
    throw std::invalid_argument("J97 does not stand 64 places after I97");
  State<Form48> state;
  for (int age = 0; age < kLongLag; ++age)
    state.x[age] = units_of(classic.u[ring_index(classic.i97, age)], kWordUnit, 1., "a value of U")
                   << Form48::kShift;
  state.c = static_cast<std::uint32_t>(
      units_of(classic.c, kArithmeticUnit, Arithmetic24::kModulus * kArithmeticUnit, "C"));
  return state;
}

template <class Form>
typename Form::Arithmetic arithmetic_distance(std::int64_t numbers) {
  const std::uint64_t moved = detail::arithmetic_steps<Form>({0, magnitude(numbers)});
  return static_cast<typename Form::Arithmetic>(numbers < 0 && moved != 0 ? Form::kModulus - moved : moved);
}

JumpPolynomial doubled(const JumpPolynomial& polynomial) {
  JumpPolynomial result = polynomial;
  detail::square(result.data());
  return result;
}

JumpPolynomial jump_polynomial(std::int64_t numbers) {
  const std::uint64_t exponent = magnitude(numbers);
  JumpPolynomial result{1};
  for (int bit = std::bit_width(exponent) - 1; bit >= 0; --bit) {
    detail::square(result.data());
    if ((exponent >> bit & 1) == 0) continue;
    if (numbers < 0) {
      over_t(result);
    } else {
      detail::times_t(result.data());
    }
  }
  return result;
}

template <class Form>
void apply_jump(State<Form>& state, const JumpPolynomial& polynomial, std::int64_t numbers) {
  detail::apply_polynomial<Form>(polynomial.data(), state.x.data());
  state.c = detail::arithmetic_less<Form>(state.c, arithmetic_distance<Form>(numbers));
}

template <class Form>
void jump(State<Form>& state, std::int64_t numbers) {
  const std::uint64_t distance = magnitude(numbers);
  if (distance > kStepped) return apply_jump(state, jump_polynomial(numbers), numbers);
  if (numbers < 0) {  // x_(n-97) = x_n + x_(n-33): in reversed order a recurrence with the lag 64
    std::reverse(state.x.begin(), state.x.end());
    step_words<kLongLag - kShortLag, -1>(state.x, distance);
    std::reverse(state.x.begin(), state.x.end());
  } else {
    step_words<kShortLag, 1>(state.x, distance);
  }
  state.c = detail::arithmetic_less<Form>(state.c, arithmetic_distance<Form>(numbers));
}

#define RANMAR_STATES_OF(Form)                                                       \
  template State<Form> seeded_state<Form>(std::int32_t);                             \
  template void apply_jump<Form>(State<Form>&, const JumpPolynomial&, std::int64_t); \
  template void jump<Form>(State<Form>&, std::int64_t);                              \
  template Form::Arithmetic arithmetic_distance<Form>(std::int64_t);
RANMAR_STATES_OF(Form48)
RANMAR_STATES_OF(Form24)
RANMAR_STATES_OF(FormExtended48)

}  // namespace ranmar
