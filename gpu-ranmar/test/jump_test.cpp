// Jumps against steps.
#include "ranmar/jump.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "ranmar/fill.hpp"

namespace {

using ranmar::Form24;
using ranmar::Form48;
using ranmar::State;

template <class Form>
State<Form> stepped(State<Form> state, std::size_t numbers) {
  static std::vector<typename Form::Real> sink(1 << 16);
  while (numbers > 0) {
    const std::size_t now = std::min(numbers, sink.size());
    ranmar::fill_simd(state, sink.data(), now);
    numbers -= now;
  }
  return state;
}

template <class Form>
State<Form> jumped(State<Form> state, std::int64_t numbers) {
  ranmar::jump(state, numbers);
  return state;
}

TEST(Jump, EqualsSteppingOverRandomSplits) {
  std::mt19937_64 random(20111);
  for (int trial = 0; trial < 340; ++trial) {
    const auto total = static_cast<std::size_t>(trial < 300 ? trial : random() % 10000000);
    const std::size_t part = total == 0 ? 0 : random() % total;
    const auto seed = static_cast<std::int32_t>(random() % 900000000);
    const auto start = ranmar::seeded_state<Form48>(seed);
    const auto end = stepped(start, total);
    EXPECT_EQ(jumped(jumped(start, static_cast<std::int64_t>(part)), static_cast<std::int64_t>(total - part)),
              end);
    EXPECT_EQ(stepped(jumped(start, static_cast<std::int64_t>(part)), total - part), end);
    const auto start24 = ranmar::seeded_state<Form24>(seed);
    EXPECT_EQ(jumped(start24, static_cast<std::int64_t>(total)), stepped(start24, total));
  }
}

// One in 16 million positions has an arithmetic part of 0, which is not the modulus.
TEST(Jump, ToAnArithmeticPartOfZero) {
  const auto start = ranmar::seeded_state<Form24>(5);
  std::int64_t numbers = 0;
  for (auto c = start.c; c != 0; ++numbers) c = ranmar::next_arithmetic(c);
  const auto end = jumped(start, numbers);
  EXPECT_EQ(end.c, 0U) << numbers;
  EXPECT_EQ(jumped(ranmar::seeded_state<Form48>(5), numbers).c, 0U);
  EXPECT_EQ(jumped(end, -numbers), start);
}

TEST(Jump, EqualsSteppingOverManyNumbers) {
#ifdef __SANITIZE_ADDRESS__
  constexpr int kNumbers = 50000000;  // steps are slow with sanitizers
#else
  constexpr int kNumbers = 1000000000;
#endif
  const auto start = ranmar::seeded_state<Form48>(11);
  EXPECT_EQ(jumped(start, kNumbers), stepped(start, kNumbers));
}

// Short jumps go word by word, longer ones by a polynomial.
TEST(Jump, WordByWordIsThePolynomial) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const auto numbers = static_cast<std::int64_t>(random() % (trial % 2 == 0 ? 400 : (1U << 18) + 100));
    for (const std::int64_t distance : {numbers, -numbers}) {
      const auto compare = [distance](auto start) {
        auto by_polynomial = start;
        ranmar::apply_jump(by_polynomial, ranmar::jump_polynomial(distance), distance);
        EXPECT_EQ(jumped(start, distance), by_polynomial) << distance;
      };
      compare(ranmar::seeded_state<Form48>(trial + 1));
      compare(ranmar::seeded_state<Form24>(trial + 1));
      compare(ranmar::seeded_state<ranmar::FormExtended48>(trial + 1));
    }
  }
}

TEST(Jump, PartsAddUpAndBackwardsUndoesForwards) {
  std::mt19937_64 random(1);
  const auto start = ranmar::seeded_state<Form48>(12);
  for (int trial = 0; trial < 20; ++trial) {
    const auto numbers = static_cast<std::int64_t>(random() >> 1);
    const auto end = jumped(start, numbers);
    EXPECT_EQ(jumped(end, -numbers), start);
    EXPECT_EQ(jumped(jumped(start, numbers / 3), numbers - numbers / 3), end);
  }
  EXPECT_EQ(jumped(stepped(start, 1), -1), start);
}

}  // namespace
