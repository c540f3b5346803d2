#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

/// What an expression's exception says; empty where it throws none.
template <typename Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const std::exception& problem) {
    return problem.what();
  }
  return "";
}

/// Whether a text has a part: for EXPECT_PRED2, which prints both where it has not.
inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Expects that an expression throws, and that the exception says `part`.
#define EXPECT_ERROR(part, ...) EXPECT_PRED2(::holds, error_of([&] { __VA_ARGS__; }), part)
