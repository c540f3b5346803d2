#include "ranmar/jump.hpp"

#include <bit>

namespace ranmar {
namespace {

constexpr int kN = kLongLag;

// Brings a product of degree 192 back below 97 with t^97 = 1 - t^64.
JumpPolynomial reduced(std::array<std::uint64_t, 2 * kN - 1>& product) {
  for (int k = 2 * kN - 2; k >= kN; --k) {
    product[k - kN] += product[k];
    product[k - kShortLag] -= product[k];
  }
  JumpPolynomial result;
  for (int i = 0; i < kN; ++i) result[i] = product[i];
  return result;
}

JumpPolynomial squared(const JumpPolynomial& a) {
  std::array<std::uint64_t, 2 * kN - 1> product{};
  for (int i = 0; i < kN; ++i) {
    product[std::size_t{2} * i] += a[i] * a[i];
    const std::uint64_t twice = 2 * a[i];
    for (int j = i + 1; j < kN; ++j) product[i + j] += twice * a[j];
  }
  return reduced(product);
}

JumpPolynomial times_t(const JumpPolynomial& a) {
  JumpPolynomial result;
  result[0] = a[kN - 1];
  for (int i = 1; i < kN; ++i) result[i] = a[i - 1];
  result[kN - kShortLag] -= a[kN - 1];
  return result;
}

// 1/t = t^96 + t^63.
JumpPolynomial over_t(const JumpPolynomial& a) {
  JumpPolynomial result;
  for (int i = 0; i + 1 < kN; ++i) result[i] = a[i + 1];
  result[kN - 1] = a[0];
  result[kN - kShortLag - 1] += a[0];
  return result;
}

std::uint64_t magnitude(std::int64_t numbers) {
  return numbers < 0 ? 0 - static_cast<std::uint64_t>(numbers) : static_cast<std::uint64_t>(numbers);
}

__extension__ using Product = unsigned __int128;  // of two 48-bit values

}  // namespace

template <class Form>
typename Form::Arithmetic arithmetic_distance(std::int64_t numbers) {
  const auto moved =
      static_cast<std::uint64_t>(Product{magnitude(numbers) % Form::kModulus} * Form::kStep % Form::kModulus);
  return static_cast<typename Form::Arithmetic>(numbers < 0 && moved != 0 ? Form::kModulus - moved : moved);
}

JumpPolynomial doubled(const JumpPolynomial& polynomial) { return squared(polynomial); }

JumpPolynomial jump_polynomial(std::int64_t numbers) {
  const std::uint64_t exponent = magnitude(numbers);
  JumpPolynomial result{};
  result[0] = 1;
  for (int bit = std::bit_width(exponent) - 1; bit >= 0; --bit) {
    result = squared(result);
    if ((exponent >> bit & 1) != 0) result = numbers < 0 ? over_t(result) : times_t(result);
  }
  return result;
}

template <class Form>
void apply_jump(State<Form>& state, const JumpPolynomial& polynomial, std::int64_t numbers) {
  using Word = typename Form::Word;
  // x_(k+J) = sum over i of p_i x_(k+i): 193 consecutive words give all 97 of the new state.
  std::array<Word, 2 * kN - 1> x;
  for (int i = 0; i < kN; ++i) x[i] = state.x[i];
  for (int i = kN; i < 2 * kN - 1; ++i) x[i] = static_cast<Word>(x[i - kN] - x[i - kShortLag]);
  for (int k = 0; k < kN; ++k) {
    Word sum = 0;
    for (int i = 0; i < kN; ++i) sum += static_cast<Word>(polynomial[i]) * x[k + i];
    state.x[k] = sum;
  }
  const std::uint64_t down = arithmetic_distance<Form>(numbers);
  state.c = static_cast<typename Form::Arithmetic>(state.c >= down ? state.c - down
                                                                   : state.c + (Form::kModulus - down));
}

template <class Form>
void jump(State<Form>& state, std::int64_t numbers) {
  if (numbers != 0) apply_jump(state, jump_polynomial(numbers), numbers);
}

template void apply_jump<Form48>(State<Form48>&, const JumpPolynomial&, std::int64_t);
template void apply_jump<Form24>(State<Form24>&, const JumpPolynomial&, std::int64_t);
template void jump<Form48>(State<Form48>&, std::int64_t);
template void jump<Form24>(State<Form24>&, std::int64_t);
template void apply_jump<FormExtended48>(State<FormExtended48>&, const JumpPolynomial&, std::int64_t);
template void jump<FormExtended48>(State<FormExtended48>&, std::int64_t);
template Form48::Arithmetic arithmetic_distance<Form48>(std::int64_t);
template Form24::Arithmetic arithmetic_distance<Form24>(std::int64_t);
template FormExtended48::Arithmetic arithmetic_distance<FormExtended48>(std::int64_t);

}  // namespace ranmar
