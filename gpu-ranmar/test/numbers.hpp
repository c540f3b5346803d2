// The reference's numbers, which all others must be; a state whose next number is zero; and room for numbers
// in a device's memory, with room around it that must stay as it was.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "ranmar/fill.hpp"

template <class Real>
testing::AssertionResult same_bits(const std::vector<Real>& expected, const std::vector<Real>& got) {
  if (expected.size() != got.size()) return testing::AssertionFailure() << "sizes differ";
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::memcmp(&expected[i], &got[i], sizeof(Real)) != 0)
      return testing::AssertionFailure() << "number " << i << " is " << got[i] << ", not " << expected[i];
  return testing::AssertionSuccess();
}

/// The next n numbers by the reference.
template <class Form>
std::vector<typename Form::Real> expected_numbers(ranmar::State<Form>& state, std::size_t n) {
  std::vector<typename Form::Real> numbers(n);
  ranmar::fill_reference(state, numbers.data(), n);
  return numbers;
}

/// A state whose next number is 0 before it becomes one unit: c_1 cancels x_1 = x_(1-97) - x_(1-33) exactly.
template <class Form>
ranmar::State<Form> before_a_zero() {
  auto state = ranmar::seeded_state<Form>(1);
  const typename Form::Word c = ranmar::next_arithmetic<Form>(state.c);
  state.x[0] = static_cast<typename Form::Word>(state.x[64] + (c << Form::kArithmeticShift));
  EXPECT_TRUE(ranmar::next_is_zero(state));
  return state;
}

/// Room for n numbers in a `Memory`, which the backend has: made of bytes, and read.
template <class Memory, class T>
class GuardedIn {
 public:
  static constexpr std::size_t kGuard = 64;

  explicit GuardedIn(std::size_t n, std::size_t offset = 0)
      : n_(n), first_(kGuard + offset), memory_(poison(n + offset + 2 * kGuard)) {}

  [[nodiscard]] const Memory& memory() const { return memory_; }
  [[nodiscard]] std::size_t first() const { return first_; }  ///< place of the first number
  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.get()) + first_; }

  /// The contents; fails the test where the room around was written to, or the device reports an error.
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> all(first_ + n_ + kGuard);
    memory_.read(all.data(), all.size() * sizeof(T));
    const auto around = poison(first_);
    EXPECT_EQ(std::memcmp(all.data(), around.data(), around.size()), 0) << "written before the start";
    EXPECT_EQ(std::memcmp(all.data() + first_ + n_, around.data(), kGuard * sizeof(T)), 0)
        << "written past the end";
    all.resize(first_ + n_);
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first_));
    return all;
  }

 private:
  static std::vector<unsigned char> poison(std::size_t numbers) {
    return std::vector<unsigned char>(numbers * sizeof(T), 0xA5);
  }

  std::size_t n_, first_;
  Memory memory_;
};
