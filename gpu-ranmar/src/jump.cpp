// Jump-ahead on the host, both ways.
#include "ranmar/jump.hpp"

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

__extension__ using Product = unsigned __int128;  // of two 48-bit values

}  // namespace

template <class Form>
typename Form::Arithmetic arithmetic_distance(std::int64_t numbers) {
  const auto moved =
      static_cast<std::uint64_t>(Product{magnitude(numbers) % Form::kModulus} * Form::kStep % Form::kModulus);
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
