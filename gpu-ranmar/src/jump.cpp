// Jump-ahead on the host, both ways.
#include "ranmar/jump.hpp"

#include <algorithm>
#include <bit>

#include "ranmar/detail/words.hpp"

namespace ranmar {
namespace {

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

#define RANMAR_JUMPS_OF(Form)                                                        \
  template void apply_jump<Form>(State<Form>&, const JumpPolynomial&, std::int64_t); \
  template void jump<Form>(State<Form>&, std::int64_t);                              \
  template Form::Arithmetic arithmetic_distance<Form>(std::int64_t);
RANMAR_JUMPS_OF(Form48)
RANMAR_JUMPS_OF(Form24)
RANMAR_JUMPS_OF(FormExtended48)

}  // namespace ranmar
