// The subjects of the batteries, each a stream of words.
#include "subjects.hpp"

#include <stdexcept>

#include "r250.hpp"
#include "ranmar/engine.hpp"

namespace validation {
namespace {

using ranmar::Form24;
using ranmar::Form48;
using ranmar::FormExtended48;

constexpr std::int32_t kLargestSeed = 900000000;

/// Numbers of one or more sequences in turn, one of each.
template <class Form>
class Numbers {
 public:
  Numbers(ranmar::Backend backend, std::vector<ranmar::State<Form>> states)
      : backend_(backend), states_(std::move(states)), made_(states_.size()) {
    for (auto& row : made_) row.resize(kBlock);
  }

  /// The next number as an integer below 2^Form::kBits.
  std::uint64_t next() {
    if (at_ == kBlock) refill();
    const auto number = made_[turn_][at_];
    if (++turn_ == states_.size()) {
      turn_ = 0;
      ++at_;
    }
    return static_cast<std::uint64_t>(number / Form::kUnit);
  }

 private:
  static constexpr std::size_t kBlock = 4096;

  void refill() {
    for (std::size_t i = 0; i < states_.size(); ++i)
      ranmar::fill<Form>(backend_, states_[i], made_[i].data(), kBlock);
    at_ = 0;
  }

  ranmar::Backend backend_;
  std::vector<ranmar::State<Form>> states_;
  std::vector<std::vector<typename Form::Real>> made_;
  std::size_t at_ = kBlock, turn_ = 0;
};

/// The `bits` bits, at most 32, from bit `low` on of every number, without gaps.
template <class Form>
Words part(Numbers<Form> numbers, int low, int bits) {
  return [numbers = std::move(numbers), low, bits, held = std::uint64_t{0},
          count = 0](std::vector<std::uint32_t>& out) mutable {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    for (auto& word : out) {
      while (count < 32) {
        held = held << bits | (numbers.next() >> low & mask);
        count += bits;
      }
      count -= 32;
      word = static_cast<std::uint32_t>(held >> count);
    }
  };
}

/// The highest 32 bits of every number of the 48-bit forms.
template <class Form>
Words high32(Numbers<Form> numbers) {
  return part(std::move(numbers), 16, 32);
}

std::uint32_t reversed(std::uint32_t word) {
  std::uint32_t result = 0;
  for (int i = 0; i < 32; ++i, word >>= 1) result = result << 1 | (word & 1);
  return result;
}

Words reversed_bits(Words words) {
  return [words = std::move(words)](std::vector<std::uint32_t>& out) {
    words(out);
    for (auto& word : out) word = reversed(word);
  };
}

/// 24-bit numbers as the upper bits of a word whose lower 8 are zero.
Words zero_padded(Numbers<Form24> numbers) {
  return [numbers = std::move(numbers)](std::vector<std::uint32_t>& out) mutable {
    for (auto& word : out) word = static_cast<std::uint32_t>(numbers.next()) << 8;
  };
}

/// RANDU: x_n = 65539 x_(n-1) mod 2^31, whose triples lie in 15 planes (Marsaglia 1968).
Words randu(std::int32_t seed) {
  return [x = static_cast<std::uint32_t>(seed) | 1U](std::vector<std::uint32_t>& out) mutable {
    for (auto& word : out) word = (x = x * 65539U & 0x7fffffffU) << 1;
  };
}

Words r250(std::int32_t seed) {
  return [r250 = R250(static_cast<std::uint32_t>(seed))](std::vector<std::uint32_t>& out) mutable {
    for (auto& word : out) word = r250();
  };
}

/// `count` subsequences of one seed in turn.
template <class Form>
Numbers<Form> numbers(std::int32_t seed, ranmar::Backend backend, unsigned count = 1) {
  std::vector<ranmar::State<Form>> states;
  for (unsigned k = 0; k < count; ++k) states.push_back(ranmar::engine_state<Form>(seed, k, 0));
  return {backend, std::move(states)};
}

/// Sequences of this seed and those that follow it, as a run of CORSIKA uses them.
Numbers<Form48> consecutive_seeds(std::int32_t seed, ranmar::Backend backend, int count) {
  std::vector<ranmar::State<Form48>> states;
  for (int k = 0; k < count; ++k) states.push_back(ranmar::seeded_state<Form48>(seed + k));
  return {backend, std::move(states)};
}

using Seed = std::int32_t;
using ranmar::Backend;

constexpr Subject kSubjects[] = {
    {"form48", "48-bit form, the high 32 bits of each number", false,
     [](Seed seed, Backend backend) { return high32(numbers<Form48>(seed, backend)); }},
    {"form48-low24", "48-bit form, the low 24 bits of each number", false,
     [](Seed seed, Backend backend) { return part(numbers<Form48>(seed, backend), 0, 24); }},
    {"form48-high24", "48-bit form, the high 24 bits of each number", false,
     [](Seed seed, Backend backend) { return part(numbers<Form48>(seed, backend), 24, 24); }},
    {"form48-reversed", "48-bit form, the high 32 bits in reversed order", false,
     [](Seed seed, Backend backend) { return reversed_bits(high32(numbers<Form48>(seed, backend))); }},
    {"form24", "24-bit form, all 24 bits", false,
     [](Seed seed, Backend backend) { return part(numbers<Form24>(seed, backend), 0, 24); }},
    {"extended", "extended form, the high 32 bits", false,
     [](Seed seed, Backend backend) { return high32(numbers<FormExtended48>(seed, backend)); }},
    {"extended-low24", "extended form, the low 24 bits", false,
     [](Seed seed, Backend backend) { return part(numbers<FormExtended48>(seed, backend), 0, 24); }},
    {"instances-8", "8 instances of one sequence in turn, the high 32 bits", false,
     [](Seed seed, Backend backend) { return high32(numbers<Form48>(seed, backend, 8)); }},
    {"instances-64", "64 instances of one sequence in turn, the high 32 bits", false,
     [](Seed seed, Backend backend) { return high32(numbers<Form48>(seed, backend, 64)); }},
    {"seeds-4", "4 sequences of consecutive seeds in turn, the high 32 bits", false,
     [](Seed seed, Backend backend) { return high32(consecutive_seeds(seed, backend, 4)); }},
    {"form24-padded", "24-bit form as words whose low 8 bits are zero; must be rejected", true,
     [](Seed seed, Backend backend) { return zero_padded(numbers<Form24>(seed, backend)); }},
    {"r250", "R250, x_n = x_(n-103) xor x_(n-250)", true, [](Seed seed, Backend) { return r250(seed); }},
    {"randu", "RANDU; must be rejected", true, [](Seed seed, Backend) { return randu(seed); }},
};

}  // namespace

std::span<const Subject> subjects() { return kSubjects; }

Words open_subject(std::string_view name, std::int32_t seed, std::string_view backend_name) {
  if (seed < 1 || seed > kLargestSeed)
    throw std::invalid_argument("the seed cannot be " + std::to_string(seed) + "; give 1 to 900000000");
  const auto backend = ranmar::backend_of(backend_name);
  std::string names;
  for (const Subject& subject : kSubjects) {
    if (subject.name == name) return subject.open(seed, backend);
    names += (names.empty() ? "" : ", ") + std::string(subject.name);
  }
  throw std::invalid_argument("the subject cannot be " + std::string(name) + "; give one of " + names);
}

}  // namespace validation
