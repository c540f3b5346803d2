// A device's numbers against the reference's.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "ranmar/fill.hpp"

template <class Real>
testing::AssertionResult same_bits(const std::vector<Real>& expected, const std::vector<Real>& got) {
  if (expected.size() != got.size()) return testing::AssertionFailure() << "sizes differ";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&expected[i], &got[i], sizeof(Real)) != 0) {
      return testing::AssertionFailure() << "number " << i << " is " << got[i] << ", not " << expected[i];
    }
  }
  return testing::AssertionSuccess();
}

/// The next n numbers by the reference.
template <class Form>
std::vector<typename Form::Real> expected_numbers(ranmar::State<Form>& state, std::size_t n) {
  std::vector<typename Form::Real> numbers(n);
  ranmar::fill_reference(state, numbers.data(), n);
  return numbers;
}
