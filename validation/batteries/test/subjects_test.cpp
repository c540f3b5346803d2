// Tests of the subjects of the batteries: their words against known answers.
#include "subjects.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

namespace validation {
namespace {

constexpr std::int32_t kSeed = 54217137;
// Numbers 1 to 4 of that seed times 2^48: known-answers.txt.
constexpr std::uint64_t kNumbers[]{133543159487477, 225387151215932, 145340696027213, 85170398920766};

std::vector<std::uint32_t> words_of(std::string_view name, std::size_t count, std::int32_t seed = kSeed) {
  std::vector<std::uint32_t> words(count);
  std::ranges::generate(words, open_subject(name, seed));
  return words;
}

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

TEST(Subjects, HighBits) {
  const auto words = words_of("form48", 4);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(words[i], low(kNumbers[i] >> 16));
  const auto reversed = words_of("form48-reversed", 1);
  for (int bit = 0; bit < 32; ++bit) EXPECT_EQ(reversed[0] >> bit & 1U, words[0] >> (31 - bit) & 1U);
}

TEST(Subjects, PartsFollowWithoutGaps) {
  const auto check = [](const std::vector<std::uint32_t>& words, int shift) {
    std::uint64_t part[4];
    for (int i = 0; i < 4; ++i) part[i] = kNumbers[i] >> shift & 0xffffff;
    EXPECT_EQ(words[0], low(part[0] << 8 | part[1] >> 16));
    EXPECT_EQ(words[1], low(part[1] << 16 | part[2] >> 8));
    EXPECT_EQ(words[2], low(part[2] << 24 | part[3]));
  };
  check(words_of("form48-low24", 3), 0);
  check(words_of("form48-high24", 3), 24);
}

TEST(Subjects, SequencesInTurn) {
  const auto four = words_of("seeds-4", 8);
  for (int k = 0; k < 4; ++k) {
    const auto one = words_of("form48", 2, kSeed + k);
    EXPECT_EQ(four[static_cast<std::size_t>(k)], one[0]);
    EXPECT_EQ(four[static_cast<std::size_t>(k) + 4], one[1]);
  }
  const auto eight = words_of("instances-8", 16), one = words_of("form48", 2);
  EXPECT_EQ(eight[0], one[0]);
  EXPECT_EQ(eight[8], one[1]);
  EXPECT_EQ(std::set<std::uint32_t>(eight.begin(), eight.end()).size(), 16U);
}

/// How often three bits, from `shift` on, are zero in a word whose forerunners 33 and 97 back have them zero.
double share_of_zeros(std::string_view name, int shift) {
  const auto words = words_of(name, 4000000);
  const auto zero = [&](std::size_t i) { return (words[i] >> shift & 7U) == 0; };
  double pairs = 0., hits = 0.;
  for (std::size_t i = 97; i < words.size(); ++i) {
    if (!zero(i - 33) || !zero(i - 97)) continue;
    ++pairs;
    hits += zero(i) ? 1. : 0.;
  }
  return hits / pairs;
}

// Why WeightDistrib rejects the 48-bit form (docs/results.md): below bit 24 a number is the
// difference of two earlier ones and nothing else, so that it is zero in half of such cases and not in an
// eighth.
TEST(Subjects, ArithmeticPartReachesTheUpper24BitsOnly) {
  constexpr int kBits1To3 = 29, kBits22To24 = 8, kBits25To27 = 5;
  constexpr double kFourSigmas = 4. * 0.00133;  // of 62500 pairs
  EXPECT_NEAR(share_of_zeros("form48", kBits1To3), 0.125, kFourSigmas);
  EXPECT_NEAR(share_of_zeros("form48", kBits22To24), 0.125, kFourSigmas);
  EXPECT_NEAR(share_of_zeros("form48", kBits25To27), 0.5, 0.01);
  EXPECT_NEAR(share_of_zeros("extended", kBits25To27), 0.125, kFourSigmas);
}

TEST(Subjects, RefusesUnknownNamesAndSeeds) {
  EXPECT_THROW(open_subject("form49", 1), std::invalid_argument);
  EXPECT_THROW(open_subject("form48", 0), std::invalid_argument);
  EXPECT_THROW(open_subject("form48", 900000001), std::invalid_argument);
}

}  // namespace
}  // namespace validation
