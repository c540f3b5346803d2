// Sequences by number, by either backend.
#include "ranmar/generator.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

using Generator = ranmar::Generator<ranmar::Form48>;

TEST(Generator, InterleavedSequencesOfAnyBackendAreTheSame) {
  constexpr int kSequences = 16;
  Generator reference(ranmar::Backend::kReference, kSequences);
  Generator other(ranmar::Backend::kSimd, kSequences);
  std::mt19937 random(3);
  for (int s = 1; s <= kSequences; ++s) {
    const std::uint64_t skip = random();
    reference.seed(s, s * 1000, skip);
    other.seed(s, s * 1000, skip);
  }
  std::vector<double> expected(2000);
  std::vector<double> got(2000);
  for (int draw = 0; draw < 20000; ++draw) {
    const int s = static_cast<int>(random() % kSequences) + 1;
    const std::size_t n = draw % 50 == 0 ? random() % 2000 : random() % 5;
    reference.fill(s, expected.data(), n);
    other.fill(s, got.data(), n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(expected[i], got[i]);
  }
}

TEST(Generator, StateBehindIsWhereTheConsumerStands) {
  Generator ahead(ranmar::Backend::kSimd, 1);
  Generator consumer(ranmar::Backend::kReference, 1);
  ahead.seed(1, 99);
  consumer.seed(1, 99);
  std::vector<double> out(4096);
  ahead.fill(1, out.data(), 4096);
  consumer.fill(1, out.data(), 1000);
  EXPECT_EQ(ahead.state(1, 3096), consumer.state(1));
  consumer.skip(1, 3096);
  ahead.skip(1, 100);
  EXPECT_EQ(consumer.state(1, -100), ahead.state(1));
}

TEST(Generator, RefusesWrongSequences) {
  Generator generator(ranmar::Backend::kSimd, 9);
  double number = 0.;
  EXPECT_THROW(generator.seed(0, 1), std::out_of_range);
  EXPECT_THROW(generator.seed(10, 1), std::out_of_range);
  EXPECT_THROW(generator.fill(1, &number, 1), std::logic_error);
  EXPECT_THROW(Generator(ranmar::Backend::kSimd, 0), std::invalid_argument);
  EXPECT_THROW(Generator(ranmar::Backend::kSimd, Generator::kMostSequences + 1), std::invalid_argument);
}

}  // namespace
