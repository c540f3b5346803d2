#pragma once

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
