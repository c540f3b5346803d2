// The streams of 32-bit words that statistical batteries test: RANMAR's forms (docs/generator.md), parts of
// their bits, several subsequences of one seed or sequences of several seeds in turn, and three controls that
// a battery must reject. Uses libranmar; touches nothing.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ranmar/form.hpp"

namespace validation {

/// Gives the next word of a stream.
using Words = std::function<std::uint32_t()>;

/// The stream of a subject, from its first number, for a seed of 1 to 900000000. Numbers come from engines,
/// whose numbers are those of every backend (validation/known-answers). Throws std::invalid_argument where
/// the name is unknown or the seed out of range.
///
/// Where a part of a number has fewer than 32 bits, the parts follow each other without a gap, the highest
/// bit first: a word then holds pieces of two numbers, and no bit of it is constant. The control
/// form24-padded is the exception: the low 8 bits of its words are 0.
Words open_subject(std::string_view name, std::int32_t seed);

// R250, a generator that is known to be bad: x_n = x_(n-103) xor x_(n-250) (Kirkpatrick and Stoll 1981).
// Wolff's cluster updates of the Ising model catch it (Ferrenberg, Landau and Wong 1992). For host and
// device.

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
