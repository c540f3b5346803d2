// Engines against the reference, on the host; test/cuda/device_test.cu has them on a device.
#include "ranmar/engine.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "ranmar/fill.hpp"
#include "ranmar/jump.hpp"

namespace {

template <class Form>
class EngineOf : public testing::Test {};
using Forms = testing::Types<ranmar::Form48, ranmar::Form24, ranmar::FormExtended48>;
TYPED_TEST_SUITE(EngineOf, Forms);

template <class Form>
ranmar::State<Form> saved(const ranmar::Engine<Form>& engine) {
  ranmar::State<Form> state;
  engine.save(state);
  return state;
}

TYPED_TEST(EngineOf, DrawsTheSequenceOfItsSeed) {
  for (const std::int32_t seed : {54217137, 0, -7, 900000000}) {
    ranmar::Engine<TypeParam> engine(seed);
    auto state = ranmar::seeded_state<TypeParam>(seed);
    std::vector<typename TypeParam::Real> expected(1000);
    ranmar::fill_reference(state, expected.data(), expected.size());
    for (const auto number : expected) ASSERT_EQ(engine(), number);
    EXPECT_EQ(saved(engine), state);
  }
}

TYPED_TEST(EngineOf, SubsequencesAndOffsetsAreJumps) {
  for (const std::uint64_t subsequence : {0, 1, 5}) {
    for (const std::uint64_t offset : {0ULL, 1ULL, 97ULL, 123456789012ULL}) {
      auto state = ranmar::seeded_state<TypeParam>(4711);
      for (std::uint64_t k = 0; k < subsequence; ++k) ranmar::jump(state, std::int64_t{1} << 60);
      ranmar::jump(state, static_cast<std::int64_t>(offset));
      EXPECT_EQ(saved(ranmar::Engine<TypeParam>(4711, subsequence, offset)), state) << subsequence << offset;
    }
  }
}

// 2^32 subsequences are 2^92 numbers, beyond what jump() takes: by the square of squares, and c by 128 bits.
TYPED_TEST(EngineOf, FarSubsequences) {
  auto polynomial = ranmar::jump_polynomial(std::int64_t{1} << 60);
  for (int i = 0; i < 32; ++i) polynomial = ranmar::doubled(polynomial);
  auto state = ranmar::seeded_state<TypeParam>(99);
  const std::uint64_t start = state.c;
  ranmar::apply_jump(state, polynomial, 0);
  __extension__ using Wide = unsigned __int128;
  constexpr std::uint64_t kModulus = TypeParam::kModulus;
  const auto steps = static_cast<std::uint64_t>((Wide{1} << 92) % kModulus);
  const auto down = static_cast<std::uint64_t>(Wide{steps} * TypeParam::kStep % kModulus);
  state.c = static_cast<typename TypeParam::Arithmetic>((start + kModulus - down) % kModulus);
  EXPECT_EQ(saved(ranmar::Engine<TypeParam>(99, std::uint64_t{1} << 32)), state);
}

// The last offset of a subsequence, one more, and the carry into the high word.
TYPED_TEST(EngineOf, OffsetsRunIntoTheNextSubsequence) {
  constexpr std::uint64_t kDistance = std::uint64_t{1} << ranmar::kSubsequenceBits;
  using Engine = ranmar::Engine<TypeParam>;
  EXPECT_EQ(saved(Engine(1, 6, kDistance + 3)), saved(Engine(1, 7, 3)));
  EXPECT_EQ(saved(Engine(1, 15, UINT64_MAX)), saved(Engine(1, 30, kDistance - 1)));
}

TYPED_TEST(EngineOf, DiscardsAsManyAsItSays) {
  for (const std::uint64_t numbers : {0ULL, 1ULL, 96ULL, 97ULL, 32767ULL, 32768ULL, 1000000ULL, 1ULL << 60}) {
    ranmar::Engine<TypeParam> engine(3, 2);
    for (int i = 0; i < 50; ++i) engine();
    engine.discard(numbers);
    EXPECT_EQ(saved(engine), saved(ranmar::Engine<TypeParam>(3, 2, 50 + numbers))) << numbers;
  }
}

}  // namespace
