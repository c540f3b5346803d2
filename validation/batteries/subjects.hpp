// The streams of 32-bit words that statistical batteries test: RANMAR's forms (docs/generator.md), parts of
// their bits, several subsequences of one seed or sequences of several seeds in turn, and three controls that
// a battery must reject. Uses libranmar; touches nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace validation {

/// Writes the next words of a stream to `out`, as many as it has room for.
using Words = std::function<void(std::vector<std::uint32_t>& out)>;

struct Subject {
  std::string_view name;
  std::string_view what;  ///< one line
  bool control;           ///< a battery must reject it: a bad generator, or words with constant bits
  Words (*open)(std::int32_t seed);
};

/// All subjects that open_subject() knows.
std::span<const Subject> subjects();

/// The stream of a subject, from its first number, for a seed of 1 to 900000000. Numbers come from engines,
/// whose numbers are those of every backend (validation/known-answers). Throws std::invalid_argument where
/// the name is unknown or the seed out of range.
///
/// Where a part of a number has fewer than 32 bits, the parts follow each other without a gap, the highest
/// bit first: a word then holds pieces of two numbers, and no bit of it is constant. The control
/// form24-padded is the exception: the low 8 bits of its words are 0.
Words open_subject(std::string_view name, std::int32_t seed);

}  // namespace validation
