// R250, a generator that is known to be bad: x_n = x_(n-103) xor x_(n-250) (Kirkpatrick and Stoll 1981).
// Wolff's cluster updates of the Ising model catch it (Ferrenberg, Landau and Wong 1992). For host and
// device. Touches nothing.
#pragma once

#include <cstdint>

#include "ranmar/form.hpp"

namespace validation {

/// Words of 32 bits from a seed of any value. The 250 start words come from a multiplicative generator of
/// modulus 2^64, the upper half of each; their leading bits are made linearly independent as usual.
class R250 {
 public:
  RANMAR_HOST_DEVICE explicit R250(std::uint32_t seed) {
    std::uint64_t x = 2 * std::uint64_t{seed} + 1;
    for (auto& word : ring_) word = static_cast<std::uint32_t>((x *= 6364136223846793005U) >> 32);
    std::uint32_t mask = 0xffffffffU, bit = 0x80000000U;
    for (int i = 0; i < 32; ++i, mask >>= 1, bit >>= 1) {
      auto& word = ring_[7 * i + 3];
      word = (word & mask) | bit;
    }
  }

  RANMAR_HOST_DEVICE std::uint32_t operator()() {
    auto& word = ring_[at_];
    word ^= ring_[at_ < 103 ? at_ + 147 : at_ - 103];
    at_ = at_ == 249 ? 0 : at_ + 1;
    return word;
  }

 private:
  std::uint32_t ring_[250];
  int at_ = 0;
};

}  // namespace validation
