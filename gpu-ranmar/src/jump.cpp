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

// x_n = x_(n-97) - x_(n-33), each word in the place of the one that it no longer needs. x is oldest first.
template <class Words>
void step_words(Words& x, std::uint64_t numbers) {
  constexpr int kGap = kLongLag - kShortLag;
  const auto step = [&x](int i) { x[i] -= i < kShortLag ? x[i + kGap] : x[i - kShortLag]; };
  for (; numbers >= kLongLag; numbers -= kLongLag) {
    for (int i = 0; i < kShortLag; ++i) x[i] -= x[i + kGap];
    for (int i = kShortLag; i < kLongLag; ++i) x[i] -= x[i - kShortLag];
  }
  const int rest = static_cast<int>(numbers);
  for (int i = 0; i < rest; ++i) step(i);
  std::rotate(x.begin(), x.begin() + rest, x.end());
}

// The same backwards: x_(n-97) = x_n + x_(n-33).
template <class Words>
void step_words_back(Words& x, std::uint64_t numbers) {
  constexpr int kGap = kLongLag - kShortLag;
  for (; numbers >= kLongLag; numbers -= kLongLag) {
    for (int i = kLongLag - 1; i >= kShortLag; --i) x[i] += x[i - kShortLag];
    for (int i = kShortLag - 1; i >= 0; --i) x[i] += x[i + kGap];
  }
  const int rest = static_cast<int>(numbers);
  std::rotate(x.begin(), x.end() - rest, x.end());
  for (int i = rest - 1; i >= 0; --i) x[i] += i < kShortLag ? x[i + kGap] : x[i - kShortLag];
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
  numbers < 0 ? step_words_back(state.x, distance) : step_words(state.x, distance);
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
