// The subjects of the batteries, each a stream of words.
#include "subjects.hpp"

#include <algorithm>
#include <stdexcept>

#include "ranmar/engine.hpp"

namespace validation {
namespace {

using Seed = std::int32_t;
using ranmar::Form24;
using ranmar::Form48;
using ranmar::FormExtended48;

/// One engine, or more of which each gives a number in turn.
template <class Form>
using Engines = std::vector<ranmar::Engine<Form>>;

/// The `bits` bits, at most 32, from bit `low` on of every number, without gaps.
template <class Form>
Words part(Engines<Form> engines, int low, int bits) {
  return [engines = std::move(engines), low, bits, turn = std::size_t{0}, held = std::uint64_t{0},
          count = 0](std::vector<std::uint32_t>& out) mutable {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    for (auto& word : out) {
      for (; count < 32; count += bits) {
        const auto number = static_cast<std::uint64_t>(engines[turn]() / Form::kUnit);
        if (++turn == engines.size()) turn = 0;
        held = held << bits | (number >> low & mask);
      }
      count -= 32;
      word = static_cast<std::uint32_t>(held >> count);
    }
  };
}

/// A stream of the words that `next` gives.
template <class Next>
Words each(Next next) {
  return [next](std::vector<std::uint32_t>& out) mutable {
    for (auto& word : out) word = next();
  };
}

std::uint32_t reversed(std::uint32_t word) {
  std::uint32_t result = 0;
  for (int i = 0; i < 32; ++i, word >>= 1) result = result << 1 | (word & 1);
  return result;
}

/// `count` subsequences of one seed, or sequences of as many seeds.
template <class Form, int low, int bits, int count = 1, bool seeds = false>
Words of(Seed seed) {
  Engines<Form> engines;
  for (int k = 0; k < count; ++k) engines.emplace_back(seeds ? seed + k : seed, seeds ? 0 : k);
  return part(std::move(engines), low, bits);
}

constexpr Subject kSubjects[] = {
    {"form48", of<Form48, 16, 32>},
    {"form48-low24", of<Form48, 0, 24>},
    {"form48-high24", of<Form48, 24, 24>},
    {"form48-reversed",
     [](Seed seed) -> Words {
       return [words = of<Form48, 16, 32>(seed)](std::vector<std::uint32_t>& out) {
         words(out);
         std::ranges::transform(out, out.begin(), reversed);
       };
     }},
    {"form24", of<Form24, 0, 24>},
    {"extended", of<FormExtended48, 16, 32>},
    {"extended-low24", of<FormExtended48, 0, 24>},
    {"instances-8", of<Form48, 16, 32, 8>},
    {"instances-64", of<Form48, 16, 32, 64>},
    {"seeds-4", of<Form48, 16, 32, 4, true>},
    {"form24-padded",
     [](Seed seed) {
       return each([engine = ranmar::Engine<Form24>(seed)]() mutable {
         return static_cast<std::uint32_t>(engine() / Form24::kUnit) << 8;
       });
     }},
    {"r250", [](Seed seed) { return each(R250(static_cast<std::uint32_t>(seed))); }},
    // Its triples lie in 15 planes (Marsaglia 1968).
    {"randu",
     [](Seed seed) {
       return each([x = static_cast<std::uint32_t>(seed) | 1U]() mutable {
         return (x = x * 65539U & 0x7fffffffU) << 1;
       });
     }},
};

}  // namespace

std::span<const Subject> subjects() { return kSubjects; }

Words open_subject(std::string_view name, Seed seed) {
  if (seed < 1 || seed > 900000000)
    throw std::invalid_argument("the seed cannot be " + std::to_string(seed) + "; give 1 to 900000000");
  std::string names;
  for (const Subject& subject : kSubjects) {
    if (subject.name == name) return subject.open(seed);
    names += " " + std::string(subject.name);
  }
  throw std::invalid_argument("the subject cannot be '" + std::string(name) + "'; give one of" + names);
}

}  // namespace validation
