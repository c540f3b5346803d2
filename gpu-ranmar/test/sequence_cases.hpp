// Numbers made on a device against the reference, bit for bit: the tests of CUDA's and of OpenCL's sequences.
// The backend's sequence_test.cpp includes this once, after `SequencePart`, which says what differs:
//   make<Form>(start, instances, tuning)  a sequence;  fill(sequence, out, n)  a fill of a Guarded
//   Target<Real>                          what a sequence is asked to fill
//   kTrials, kStep, kCut, kLarge, kMany, kLong  sizes that the device makes in a few seconds
//   tunings<Form>()                       ways of cutting a fill, all of which give the same
#pragma once

#include <random>
#include <vector>

#include "ranmar/jump.hpp"

namespace {

template <class Form>
class DeviceSequence : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }

  static void expect_fills(backend::Sequence<Form>& sequence, ranmar::State<Form>& state, std::size_t n,
                           std::size_t offset = 0) {
    const Guarded<typename Form::Real> out(n, offset);
    SequencePart::fill(sequence, out, n);
    ASSERT_TRUE(same_bits(expected_numbers(state, n), out.read())) << n << " numbers, offset " << offset;
    ASSERT_EQ(sequence.state(), state);
  }
};

using Forms = testing::Types<ranmar::Form48, ranmar::Form24, ranmar::FormExtended48>;
TYPED_TEST_SUITE(DeviceSequence, Forms);

TYPED_TEST(DeviceSequence, EveryShortLength) {
  auto state = ranmar::seeded_state<TypeParam>(54217137);
  auto sequence = SequencePart::make(state);
  for (std::size_t n = 0; n <= 400; n += n < 100 ? 1 : SequencePart::kStep)
    this->expect_fills(sequence, state, n, n % 5);
}

TYPED_TEST(DeviceSequence, RandomLengthsAndRepeats) {
  std::mt19937_64 random(2011);
  for (int trial = 0; trial < SequencePart::kTrials; ++trial) {
    auto state = ranmar::seeded_state<TypeParam>(static_cast<std::int32_t>(random() % 900000000));
    ranmar::jump(state, static_cast<std::int64_t>(random() >> 2));
    auto sequence = SequencePart::make(state);
    for (int size = 0; size < 4; ++size) {
      const std::size_t n = random() % (std::size_t{1} << (4 + random() % 19));
      for (std::uint64_t repeat = 0; repeat <= random() % 4; ++repeat)
        this->expect_fills(sequence, state, n, random() % 4);
    }
  }
}

TYPED_TEST(DeviceSequence, AnyCutAndAnyTuningGiveTheSame) {
  for (const auto& tuning : SequencePart::tunings<TypeParam>()) {
    auto state = ranmar::seeded_state<TypeParam>(77);
    auto sequence = SequencePart::make(state, 1, tuning);
    for (std::size_t n :
         {SequencePart::kCut, SequencePart::kCut, std::size_t{1000}, std::size_t{31}, SequencePart::kCut})
      this->expect_fills(sequence, state, n, n % 3);
  }
}

TYPED_TEST(DeviceSequence, LargeFills) {
  auto state = ranmar::seeded_state<TypeParam>(11);
  auto sequence = SequencePart::make(state);
  for (int i = 0; i < 3; ++i) this->expect_fills(sequence, state, SequencePart::kLarge);
}

TYPED_TEST(DeviceSequence, InterleavedSequencesAreIndependent) {
  std::vector<ranmar::State<TypeParam>> states;
  std::vector<backend::Sequence<TypeParam>> sequences;
  for (int s = 0; s < 5; ++s) {
    states.push_back(ranmar::seeded_state<TypeParam>(s * 1000 + 1));
    sequences.push_back(SequencePart::make(states.back()));
  }
  std::mt19937 random(5);
  for (int draw = 0; draw < 60; ++draw) {
    const std::size_t s = random() % 5;
    this->expect_fills(sequences[s], states[s], random() % 3 == 0 ? 4096 : random() % 70000);
  }
}

TYPED_TEST(DeviceSequence, InstancesAreTheirDistanceApart) {
  for (const int instances : {2, 7, SequencePart::kMany}) {
    const auto start = ranmar::seeded_state<TypeParam>(99);
    auto sequence = SequencePart::make(start, instances);
    std::int64_t position = 0;
    for (const std::size_t n : {std::size_t{1001}, std::size_t{1001}, SequencePart::kLong}) {
      for (const int k : {0, 1, instances - 1}) {
        auto state = start;
        for (int jumps = 0; jumps < k; ++jumps) ranmar::jump(state, ranmar::kInstanceDistance);
        ranmar::jump(state, position);
        ASSERT_EQ(sequence.state(k), state);
      }
      std::vector<typename TypeParam::Real> expected;
      for (int k = 0; k < instances; ++k) {
        auto state = sequence.state(k);
        const auto numbers = expected_numbers(state, n);
        expected.insert(expected.end(), numbers.begin(), numbers.end());
      }
      const Guarded<typename TypeParam::Real> out(expected.size());
      SequencePart::fill(sequence, out, n);
      position += static_cast<std::int64_t>(n);
      ASSERT_TRUE(same_bits(expected, out.read())) << instances << " instances of " << n;
    }
  }
}

TYPED_TEST(DeviceSequence, AZeroBecomesOneUnit) {
  auto state = ranmar::seeded_state<TypeParam>(1);
  using Word = typename TypeParam::Word;
  state.x[0] = static_cast<Word>(state.x[64] + (static_cast<Word>(ranmar::next_arithmetic<TypeParam>(state.c))
                                                << TypeParam::kArithmeticShift));
  ASSERT_TRUE(ranmar::next_is_zero(state));
  for (const auto& tuning : SequencePart::tunings<TypeParam>()) {
    auto sequence = SequencePart::make(state, 1, tuning);
    const Guarded<typename TypeParam::Real> out(100);
    SequencePart::fill(sequence, out, 100);
    EXPECT_EQ(out.read()[0], TypeParam::kUnit);
  }
}

TYPED_TEST(DeviceSequence, RefusesBadInput) {
  const auto state = ranmar::seeded_state<TypeParam>(1);
  for (const int instances : {0, (1 << 20) + 1})
    EXPECT_THROW(SequencePart::make(state, instances), std::invalid_argument);
  for (const backend::Tuning& tuning : {backend::Tuning{0, 24}, backend::Tuning{4, 0}})
    EXPECT_THROW(SequencePart::make(state, 1, tuning), std::invalid_argument);
  auto sequence = SequencePart::make(state);
  EXPECT_THROW(sequence.fill(nullptr, 1), std::invalid_argument);
  EXPECT_NO_THROW(sequence.fill(nullptr, 0));
  auto* const somewhere = reinterpret_cast<SequencePart::Target<typename TypeParam::Real>>(256);
  EXPECT_THROW(sequence.fill(somewhere, std::size_t{1} << 41), std::invalid_argument);
  EXPECT_THROW((void)sequence.state(1), std::invalid_argument);
  EXPECT_EQ(sequence.state(), state);
}

}  // namespace
