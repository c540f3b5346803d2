#include "ranmar/state.hpp"

namespace ranmar {

template <class Form>
State<Form> seeded_state(std::int32_t ijkl) {
  const std::int32_t ij = ijkl / 30082;
  const std::int32_t kl = ijkl - 30082 * ij;
  std::int32_t i = (ij / 177) % 177 + 2;
  std::int32_t j = ij % 177 + 2;
  std::int32_t k = (kl / 169) % 178 + 1;
  std::int32_t l = kl % 169;

  State<Form> state;
  // U(1) is filled first and read last: the ring is read from U(97) down, so U(1) holds the newest word.
  for (int n = 0; n < kLongLag; ++n) {
    typename Form::Word word = 0;
    for (int bit = 0; bit < Form::kBits; ++bit) {
      const std::int32_t m = ((i * j) % 179 * k) % 179;
      i = j;
      j = k;
      k = m;
      l = (53 * l + 1) % 169;
      word =
          static_cast<typename Form::Word>(word << 1) | static_cast<typename Form::Word>((l * m) % 64 >= 32);
    }
    state.x[kLongLag - 1 - n] = static_cast<typename Form::Word>(word << Form::kShift);
  }
  return state;
}

template State<Form48> seeded_state<Form48>(std::int32_t);
template State<Form24> seeded_state<Form24>(std::int32_t);
template State<FormExtended48> seeded_state<FormExtended48>(std::int32_t);

}  // namespace ranmar
