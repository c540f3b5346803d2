// The subjects of the batteries, each a stream of words.
#include "subjects.hpp"

#include <stdexcept>
#include <vector>

#include "ranmar/engine.hpp"

namespace validation {
namespace {

using Seed = std::int32_t;
using ranmar::Form24;
using ranmar::Form48;
using ranmar::FormExtended48;

/// The `bits` bits, at most 32, from bit `low` on of every number, without gaps: of `count` subsequences of
/// one seed, or sequences of as many seeds, of which each gives a number in turn.
template <class Form, int low, int bits, int count = 1, bool seeds = false>
Words of(Seed seed) {
  std::vector<ranmar::Engine<Form>> engines;
  engines.reserve(count);
  for (int k = 0; k < count; ++k) engines.emplace_back(seeds ? seed + k : seed, seeds ? 0 : k);
  return [engines, turn = std::size_t{0}, held = std::uint64_t{0}, left = 0]() mutable {
    for (; left < 32; left += bits, ++turn) {
      const auto number = static_cast<std::uint64_t>(engines[turn % count]() / Form::kUnit);
      held = held << bits | (number >> low & ((std::uint64_t{1} << bits) - 1));
    }
    left -= 32;
    return static_cast<std::uint32_t>(held >> left);
  };
}

std::uint32_t reversed(std::uint32_t word) {
  std::uint32_t result = 0;
  for (int i = 0; i < 32; ++i, word >>= 1) result = result << 1 | (word & 1);
  return result;
}

struct Subject {
  std::string_view name;
  Words (*open)(Seed seed);
};

constexpr Subject kSubjects[] = {
    {"form48", of<Form48, 16, 32>},
    {"form48-low24", of<Form48, 0, 24>},
    {"form48-high24", of<Form48, 24, 24>},
    {"form48-reversed",
     [](Seed seed) -> Words { return [words = of<Form48, 16, 32>(seed)] { return reversed(words()); }; }},
    {"form24", of<Form24, 0, 24>},
    {"extended", of<FormExtended48, 16, 32>},
    {"extended-low24", of<FormExtended48, 0, 24>},
    {"instances-8", of<Form48, 16, 32, 8>},
    {"instances-64", of<Form48, 16, 32, 64>},
    {"seeds-4", of<Form48, 16, 32, 4, true>},
    {"form24-padded",
     [](Seed seed) -> Words {
       return [engine = ranmar::Engine<Form24>(seed)]() mutable {
         return static_cast<std::uint32_t>(engine() / Form24::kUnit) << 8;
       };
     }},
    {"r250", [](Seed seed) -> Words { return R250(static_cast<std::uint32_t>(seed)); }},
    // Its triples lie in 15 planes (Marsaglia 1968).
    {"randu",
     [](Seed seed) -> Words {
       return [x = static_cast<std::uint32_t>(seed) | 1U]() mutable {
         return (x = x * 65539U & 0x7fffffffU) << 1;
       };
     }},
};

}  // namespace

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
