// Numbers made on a device against the reference, bit for bit.
#include "ranmar/cuda/sequence.hpp"

#include <random>

#include "device.hpp"
#include "ranmar/jump.hpp"

namespace {

using ranmar::cuda::Sequence;
using ranmar::cuda::Tuning;

template <class Form>
class CudaSequence : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }

  static void expect_fills(Sequence<Form>& sequence, ranmar::State<Form>& state, std::size_t n,
                           std::size_t offset = 0) {
    const Guarded<typename Form::Real> out(n, offset);
    sequence.fill(out.data(), n);
    ASSERT_TRUE(same_bits(expected_numbers(state, n), out.read())) << n << " numbers, offset " << offset;
    ASSERT_EQ(sequence.state(), state);
  }
};

using Forms = testing::Types<ranmar::Form48, ranmar::Form24, ranmar::FormExtended48>;
TYPED_TEST_SUITE(CudaSequence, Forms);

TYPED_TEST(CudaSequence, EveryShortLength) {
  auto state = ranmar::seeded_state<TypeParam>(54217137);
  Sequence<TypeParam> sequence(state);
  for (std::size_t n = 0; n <= 400; ++n) this->expect_fills(sequence, state, n, n % 5);
}

TYPED_TEST(CudaSequence, RandomLengthsAndRepeats) {
  std::mt19937_64 random(2011);
  for (int trial = 0; trial < 12; ++trial) {
    auto state = ranmar::seeded_state<TypeParam>(static_cast<std::int32_t>(random() % 900000000));
    ranmar::jump(state, static_cast<std::int64_t>(random() >> 2));
    Sequence<TypeParam> sequence(state);
    for (int size = 0; size < 4; ++size) {
      const std::size_t n = random() % (std::size_t{1} << (4 + random() % 19));
      for (std::uint64_t repeat = 0; repeat <= random() % 4; ++repeat) {
        this->expect_fills(sequence, state, n, random() % 4);
      }
    }
  }
}

TYPED_TEST(CudaSequence, AnyCutGivesTheSame) {
  for (const Tuning& tuning : {Tuning{1, 1}, Tuning{16, 4}, Tuning{4, 24}, Tuning{32, 1}}) {
    auto state = ranmar::seeded_state<TypeParam>(77);
    Sequence<TypeParam> sequence(state, 1, tuning);
    for (std::size_t n : {3000001, 3000001, 3000001, 1000, 3000001}) this->expect_fills(sequence, state, n);
  }
}

TYPED_TEST(CudaSequence, LargeFills) {
  auto state = ranmar::seeded_state<TypeParam>(11);
  Sequence<TypeParam> sequence(state);
  for (int i = 0; i < 3; ++i) this->expect_fills(sequence, state, 20000003);
}

TYPED_TEST(CudaSequence, InterleavedSequencesAreIndependent) {
  std::vector<ranmar::State<TypeParam>> states;
  std::vector<Sequence<TypeParam>> sequences;
  for (int s = 0; s < 5; ++s) {
    states.push_back(ranmar::seeded_state<TypeParam>(s * 1000 + 1));
    sequences.emplace_back(states.back());
  }
  std::mt19937 random(5);
  for (int draw = 0; draw < 60; ++draw) {
    const std::size_t s = random() % 5;
    this->expect_fills(sequences[s], states[s], random() % 3 == 0 ? 4096 : random() % 70000);
  }
}

TYPED_TEST(CudaSequence, InstancesAreTheirDistanceApart) {
  for (const int instances : {2, 7, 600}) {
    const auto start = ranmar::seeded_state<TypeParam>(99);
    Sequence<TypeParam> sequence(start, instances);
    for (const std::size_t n : {1001, 1001, 40000}) {
      const Guarded<typename TypeParam::Real> out(n * static_cast<std::size_t>(instances));
      std::vector<typename TypeParam::Real> expected;
      for (const int k : {0, 1, instances - 1}) {
        auto state = start;
        for (int jumps = 0; jumps < k; ++jumps) ranmar::jump(state, ranmar::cuda::kInstanceDistance);
        ranmar::jump(state, static_cast<std::int64_t>(sequence.position()));
        ASSERT_EQ(sequence.state(k), state);
      }
      std::vector<ranmar::State<TypeParam>> states;
      for (int k = 0; k < instances; ++k) states.push_back(sequence.state(k));
      for (auto& state : states) {
        const auto numbers = expected_numbers(state, n);
        expected.insert(expected.end(), numbers.begin(), numbers.end());
      }
      sequence.fill(out.data(), n);
      ASSERT_TRUE(same_bits(expected, out.read())) << instances << " instances of " << n;
    }
  }
}

TYPED_TEST(CudaSequence, AZeroBecomesOneUnit) {
  auto state = ranmar::seeded_state<TypeParam>(1);
  using Word = typename TypeParam::Word;
  state.x[0] = static_cast<Word>(state.x[64] + (static_cast<Word>(ranmar::next_arithmetic<TypeParam>(state.c))
                                                << TypeParam::kArithmeticShift));
  ASSERT_TRUE(ranmar::next_is_zero(state));
  Sequence<TypeParam> sequence(state);
  const Guarded<typename TypeParam::Real> out(100);
  sequence.fill(out.data(), 100);
  EXPECT_EQ(out.read()[0], TypeParam::kUnit);
}

TYPED_TEST(CudaSequence, RefusesBadInput) {
  const auto state = ranmar::seeded_state<TypeParam>(1);
  EXPECT_THROW(Sequence<TypeParam>(state, 0), std::invalid_argument);
  EXPECT_THROW(Sequence<TypeParam>(state, (1 << 20) + 1), std::invalid_argument);
  EXPECT_THROW(Sequence<TypeParam>(state, 1, Tuning{0, 24}), std::invalid_argument);
  EXPECT_THROW(Sequence<TypeParam>(state, 1, Tuning{4, 0}), std::invalid_argument);
  Sequence<TypeParam> sequence(state);
  EXPECT_THROW(sequence.fill(nullptr, 1), std::invalid_argument);
  EXPECT_NO_THROW(sequence.fill(nullptr, 0));
  EXPECT_THROW(sequence.fill(reinterpret_cast<typename TypeParam::Real*>(256), std::size_t{1} << 41),
               std::invalid_argument);
  EXPECT_THROW((void)sequence.state(1), std::invalid_argument);
  EXPECT_EQ(sequence.state(), state);
}

}  // namespace
