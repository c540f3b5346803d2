// The arithmetic on a sequence's 97 words that the library and the engines share, for host and device:
// seeding and jump-ahead. Words are plain pointers, because device code cannot call std::array. Not an
// interface.
#pragma once

#include <cstdint>

#include "ranmar/form.hpp"

namespace ranmar::detail {

/// The words before the first number of a seed, oldest first; James (1990), in 32-bit arithmetic as there.
template <class Form>
RANMAR_HOST_DEVICE RANMAR_APART inline void seed_words(std::int32_t ijkl, typename Form::Word* x) {
  using Word = typename Form::Word;
  const std::int32_t ij = ijkl / 30082;
  const std::int32_t kl = ijkl - 30082 * ij;
  std::int32_t i = (ij / 177) % 177 + 2;
  std::int32_t j = ij % 177 + 2;
  std::int32_t k = (kl / 169) % 178 + 1;
  std::int32_t l = kl % 169;
  // U(1) is filled first and read last: the ring is read from U(97) down, so U(1) holds the newest word.
  RANMAR_ROLLED
  for (int n = 0; n < kLongLag; ++n) {
    Word word = 0;
    RANMAR_ROLLED
    for (int bit = 0; bit < Form::kBits; ++bit) {
      const std::int32_t m = ((i * j) % 179 * k) % 179;
      i = j;
      j = k;
      k = m;
      l = (53 * l + 1) % 169;
      word = static_cast<Word>(word << 1) | static_cast<Word>((l * m) % 64 >= 32);
    }
    x[kLongLag - 1 - n] = static_cast<Word>(word << Form::kShift);
  }
}

/// Replaces the polynomial p, of 97 coefficients, by its square modulo t^97 + t^64 - 1 over Z/2^64.
RANMAR_HOST_DEVICE RANMAR_APART inline void square(std::uint64_t* p) {
  constexpr int kDegrees = 2 * kLongLag - 1;
  std::uint64_t product[kDegrees] = {};
  RANMAR_ROLLED
  for (int i = 0; i < kLongLag; ++i) {
    product[2 * i] += p[i] * p[i];
    const std::uint64_t twice = 2 * p[i];
    RANMAR_ROLLED
    for (int j = i + 1; j < kLongLag; ++j) product[i + j] += twice * p[j];
  }
  RANMAR_ROLLED
  for (int k = kDegrees - 1; k >= kLongLag; --k) {  // t^97 = 1 - t^64
    product[k - kLongLag] += product[k];
    product[k - kShortLag] -= product[k];
  }
  RANMAR_ROLLED
  for (int i = 0; i < kLongLag; ++i) p[i] = product[i];
}

/// Replaces p by t p.
RANMAR_HOST_DEVICE inline void times_t(std::uint64_t* p) {
  const std::uint64_t highest = p[kLongLag - 1];
  RANMAR_ROLLED
  for (int i = kLongLag - 1; i > 0; --i) p[i] = p[i - 1];
  p[0] = highest;
  p[kLongLag - kShortLag] -= highest;
}

/// Moves words ahead by J numbers, with p = t^J (state.hpp): x_(k+J) is the sum over i of p_i x_(k+i), so 193
/// consecutive words give all 97 of the new state.
template <class Form>
RANMAR_HOST_DEVICE RANMAR_APART inline void apply_polynomial(const std::uint64_t* p,
                                                             typename Form::Word* words) {
  using Word = typename Form::Word;
  constexpr int kWindow = 2 * kLongLag - 1;
  Word x[kWindow];
  RANMAR_ROLLED
  for (int i = 0; i < kLongLag; ++i) x[i] = words[i];
  RANMAR_ROLLED
  for (int i = kLongLag; i < kWindow; ++i) x[i] = static_cast<Word>(x[i - kLongLag] - x[i - kShortLag]);
  RANMAR_ROLLED
  for (int k = 0; k < kLongLag; ++k) {
    Word sum = 0;
    RANMAR_ROLLED
    for (int i = 0; i < kLongLag; ++i) sum += static_cast<Word>(p[i]) * x[k + i];
    words[k] = sum;
  }
}

/// A count of numbers, 128 bits in two words: CUDA's compilers cannot divide 128-bit integers.
struct Count128 {
  std::uint64_t high;
  std::uint64_t low;
};

/// a b mod m for a and b below m, which is below 2^63.
RANMAR_HOST_DEVICE inline std::uint64_t product_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  std::uint64_t sum = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) sum = sum + a >= m ? sum + a - m : sum + a;
    a = 2 * a >= m ? 2 * a - m : 2 * a;
  }
  return sum;
}

/// What `steps` numbers subtract from c.
template <class Form>
RANMAR_HOST_DEVICE inline std::uint64_t arithmetic_steps(Count128 steps) {
  constexpr std::uint64_t kM = Form::kModulus;
  constexpr std::uint64_t kTwo64 = (0xFFFFFFFFFFFFFFFFULL % kM + 1) % kM;
  const std::uint64_t count = (product_modulo(steps.high % kM, kTwo64, kM) + steps.low % kM) % kM;
  return product_modulo(count, Form::kStep, kM);
}

/// c minus `down` modulo the form's modulus; both are below it.
template <class Form>
RANMAR_HOST_DEVICE inline typename Form::Arithmetic arithmetic_less(typename Form::Arithmetic c,
                                                                    std::uint64_t down) {
  return static_cast<typename Form::Arithmetic>(c >= down ? c - down : c + (Form::kModulus - down));
}

/// Moves a state, words and c, ahead by `steps` numbers: some 5000 multiplications for each bit of `steps`.
template <class Form>
RANMAR_HOST_DEVICE RANMAR_APART inline void jump_ahead(Count128 steps, typename Form::Word* words,
                                                       typename Form::Arithmetic* c) {
  std::uint64_t p[kLongLag] = {1};
  bool moved = false;
  RANMAR_ROLLED
  for (int bit = 127; bit >= 0; --bit) {
    if (moved) square(p);
    if (((bit >= 64 ? steps.high >> (bit - 64) : steps.low >> bit) & 1) == 0) continue;
    times_t(p);
    moved = true;
  }
  if (!moved) return;
  apply_polynomial<Form>(p, words);
  *c = arithmetic_less<Form>(*c, arithmetic_steps<Form>(steps));
}

}  // namespace ranmar::detail
